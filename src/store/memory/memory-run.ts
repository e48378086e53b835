/** An accepted run in the memory store, and the orders of runs. */

import type { DeliveryProgress, NewRun } from '../../core/new-run.ts'
import type { Lane, StoredStanding } from '../ports.ts'

export type MemoryRun = {
  readonly id: number
  run: NewRun
  lane: Lane | undefined
  /** Goes up each time that the run is taken, gets its turn, or is revived. Below 0 while the run is parked. */
  fence: number
  attempt: number
  /**
   * Whether a worker has taken the run and has stored no end. After the lease has run out, `true` means that the attempt was interrupted.
   */
  leased: boolean
  /**
   * When a tried run is due: at the end of its lease, at the time that its worker gave, or from the time at which its lane let it begin.
   */
  dueAt: number
  /** When a dead run ended. */
  endedAt: number
  reply: { readonly reply: string; readonly progress?: DeliveryProgress } | undefined
  error: string | undefined
}

export const byDueTime = (a: MemoryRun, b: MemoryRun): number => a.dueAt - b.dueAt || a.id - b.id
export const byEnd = (a: MemoryRun, b: MemoryRun): number => a.endedAt - b.endedAt || a.id - b.id
export const byId = (a: MemoryRun, b: MemoryRun): number => a.id - b.id

/** Whether a worker holds the run: its lease has not run out. */
export const isInProgress = ({ leased, dueAt }: MemoryRun, now: number): boolean => leased && dueAt > now

/** Whether the reply of a run may be on its way. */
export const isDelivering = ({ leased, reply }: MemoryRun): boolean => leased && reply !== undefined

/** Whether a run that is not dead can be ended by an event. */
export const isEndable = (entry: MemoryRun): boolean => !entry.run.cancelled && !isDelivering(entry)

export const standingOf = ({ run, leased, attempt, dueAt, error }: MemoryRun, isDead: boolean, now: number): StoredStanding => {
  const state = isDead ? 'dead' : leased ? 'running' : 'waiting'
  return {
    eventId: run.eventId,
    state,
    attempt,
    ...(state === 'waiting' && (attempt > 0 || dueAt > now) ? { dueInMs: dueAt - now } : {}),
    ...(error === undefined ? {} : { error }),
  }
}
