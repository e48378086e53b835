/** Waits for what becomes of one event, by what the journal and the running gateway say of it. */

import { setTimeout as wait } from 'node:timers/promises'
import { exit, Fault } from '../../core/fault.ts'
import type { GatewayFinder } from '../running-gateway.ts'
import type { Workspace } from '../workspace.ts'
import type { EventStatus } from './event-status.ts'
import { findEvents } from './events.ts'

const firstPauseMs = 25
const longestPauseMs = 500
/** A record is in the journal milliseconds after the answer: one that is not there by then is in another journal, or lost. */
const recordMs = 3_000

/** The event as soon as `isEnough`, or as it stands after `timeoutMs`; `undefined`: there is no record of it here. */
export const followEvent = async (
  workspace: Workspace,
  gateway: GatewayFinder,
  id: string,
  { timeoutMs, isEnough }: { readonly timeoutMs: number; readonly isEnough: (known: EventStatus) => boolean },
): Promise<EventStatus | undefined> => {
  const started = performance.now()
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    const known = await lookFor(workspace, gateway, id)
    const leftMs = (known ? timeoutMs : Math.min(timeoutMs, recordMs)) - (performance.now() - started)
    if (leftMs <= 0 || (known && isEnough(known))) return known
    await wait(Math.min(pauseMs, leftMs))
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
