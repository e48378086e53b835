/** Cancels runs that have not ended: those that wait, and those whose agents are being asked. */

import type { GatewayFinder } from '../../../datadir/running-gateway.ts'
import type { Workspace } from '../../../datadir/workspace.ts'
import { cancelledError } from '../../../runs/flow/cancels.ts'
import { type DoneCounter, type EventResult, workOnEach } from '../event-batch.ts'
import type { EventStatus } from '../event-status.ts'
import { withRuns } from './with-runs.ts'

/** A run that ends makes room in its lane at once, so those that wait are cancelled first: none of them begins meanwhile. */
const waitingFirst = (events: readonly EventStatus[]): EventStatus[] =>
  [...events].sort((a, b) => Number(a.state === 'running') - Number(b.state === 'running'))

/**
 * Cancels the runs of these events, one after the other. A worker records the end of each as soon as it takes the run. Throws a Fault
 * without a gateway (exit 4), unless the store is shared.
 */
export const cancelEvents = (
  workspace: Workspace,
  finder: GatewayFinder,
  events: readonly EventStatus[],
  countDone: DoneCounter,
): Promise<readonly EventResult[]> =>
  withRuns(workspace, finder, ({ cancel }) =>
    workOnEach(
      waitingFirst(events),
      async (known) => {
        const { result } = await cancel({ id: known.event.event_id })
        return result === 'cancelled' ? { ok: true } : { ok: false, why: result === 'delivering' ? delivering : whyNotCancelled(known) }
      },
      countDone,
    ),
  )

const delivering = 'its reply is being delivered'

const whyNotCancelled = ({ state, error }: EventStatus): string => {
  if (state === 'cancelled' || error === cancelledError) return 'it is cancelled already'
  return state === 'merged' ? 'another event of its group has the run' : `it has no run that has not ended: ${state}`
}
