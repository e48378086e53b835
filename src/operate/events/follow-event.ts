/**
 * Waits until one event has reached a state, by asking the journal and the running gateway or the shared store; or until a time is over.
 */

import { pause, systemClock } from '../../core/clock.ts'
import { exit, Fault } from '../../core/fault.ts'
import { backOff } from '../../core/turns/back-off.ts'
import type { GatewayFinder } from '../../datadir/running-gateway.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import type { EventStatus } from './event-status.ts'
import { findEvents } from './events.ts'

const pauseAfter = backOff({ first: 25, most: 500 })
/**
 * How long to wait for an event that the journal does not have yet, in milliseconds. A record is written milliseconds after the answer, so
 * a record that is missing after this time is lost, or is in another journal.
 */
const recordMs = 3_000

/**
 * Returns the status of the event as soon as `isEnough` holds for it, or its status after `timeoutMs`; `undefined` where this journal has
 * no record of the event after three seconds, or after `timeoutMs` if that is less.
 */
export const followEvent = async (
  workspace: Workspace,
  gateway: GatewayFinder,
  id: string,
  { timeoutMs, isEnough }: { readonly timeoutMs: number; readonly isEnough: (known: EventStatus) => boolean },
): Promise<EventStatus | undefined> => {
  const started = performance.now()
  for (let looks = 1; ; looks++) {
    const known = await lookFor(workspace, gateway, id)
    const leftMs = (known ? timeoutMs : Math.min(timeoutMs, recordMs)) - (performance.now() - started)
    if (leftMs <= 0 || (known && isEnough(known))) return known
    await pause(Math.min(pauseAfter(looks), leftMs), systemClock)
  }
}

const lookFor = async (workspace: Workspace, gateway: GatewayFinder, id: string): Promise<EventStatus | undefined> => {
  try {
    const { events } = await findEvents(workspace, gateway, [id])
    return events[0]
  } catch (error) {
    if (error instanceof Fault && error.exitCode === exit.notFound) return undefined
    throw error
  }
}
