/** Answers the control operations about catch-ups. */

import type { RunningGateway } from '../../datadir/running-gateway.ts'
import type { CatchUps } from '../../features/catch-up/catch-up.ts'
import type { Status } from '../../generated/control.ts'

/** The catch-ups of a gateway. `open`: opens them where a route has `catch_up`. `catchUps`: absent until then. */
export type CatchUpControl = { readonly open: () => Promise<void>; readonly catchUps: () => CatchUps | undefined }

/** Returns the catch-ups that an operator should know of, for the status, without their events. */
export const openCatchUps = ({ catchUps }: CatchUpControl): Pick<Status, 'catch_ups'> => {
  const open = catchUps()?.open() ?? []
  return open.length > 0 ? { catch_ups: open.map((each) => ({ ...each, events: [] })) } : {}
}

export const createCatchUpAnswers = ({ open, catchUps }: CatchUpControl): Pick<RunningGateway, 'catchUp' | 'catchUps'> => ({
  async catchUp({ route, since, dry_run: dryRun } = {}) {
    // A subscription may have come since the last reload.
    await open()
    return { routes: catchUps()?.begin({ route, since, dryRun }) ?? [] }
  },
  catchUps: async () => ({ routes: catchUps()?.states() ?? [] }),
})
