/** Asks the running gateway for catch-ups, and follows them to their end. */

import { loadConfig } from '../../config/load.ts'
import { type Clock, pause, systemClock } from '../../core/clock.ts'
import { exit, Fault } from '../../core/fault.ts'
import { nearest } from '../../core/text.ts'
import type { GatewayFinder } from '../../datadir/running-gateway.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import type { CatchUpState } from '../../generated/control.ts'
import type { CatchUpQuestion } from './catch-up.ts'

/** How often the gateway is asked for the state of the catch-ups. */
const pollEveryMs = 300

/** Called with the states of the catch-ups at each poll, until all have ended. */
export type OnProgress = (states: readonly CatchUpState[]) => void

/**
 * Lets the gateway catch up with the senders of one route, or of all that can. Resolves to the last state of each catch-up. Throws a Fault
 * where no gateway runs, or no such route can catch up.
 */
export const askCatchUp = async (
  workspace: Workspace,
  finder: GatewayFinder,
  { route, since, dryRun = false }: CatchUpQuestion,
  progress: OnProgress,
  clock: Pick<Clock, 'after'> = systemClock,
): Promise<readonly CatchUpState[]> => {
  const gateway = await finder.need()
  const question = { ...(route === undefined ? {} : { route }), ...(since === undefined ? {} : { since }), dry_run: dryRun }
  const { routes: begun } = await gateway.catchUp(question)
  if (begun.length === 0) throw noSuchRoute(workspace, route)
  const names = new Set(begun.map((state) => state.route))
  for (let states = begun; ; ) {
    if (states.every(({ ended_at: endedAt }) => endedAt !== undefined)) return states
    progress(states)
    await pause(pollEveryMs, clock)
    states = (await gateway.catchUps()).routes.filter((state) => names.has(state.route))
  }
}

const noSuchRoute = (workspace: Workspace, route: string | undefined): Fault => {
  const { routes } = loadConfig(workspace).config
  const able = [...routes.values()].filter(({ spec }) => spec.catch_up !== undefined).map(({ name }) => name)
  const hint = `${workspace.self} doctor says which routes could have catch_up; after a change: ${workspace.self} gateway reload`
  if (route === undefined) return new Fault('not_found', 'no route that the gateway serves has catch_up', { exitCode: exit.notFound, hint })
  const suggest = nearest(route, able)
  return new Fault('not_found', `the gateway serves no route "${route}" with catch_up`, {
    exitCode: exit.notFound,
    hint,
    suggest,
  })
}
