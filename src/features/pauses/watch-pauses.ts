/** Reads the pauses of routes when a gateway starts, and again within a second of each change of their file. */

import { join } from 'node:path'
import { readEntries } from '../../config/writing/entry-store.ts'
import type { Clock } from '../../core/clock.ts'
import { messageOf } from '../../core/fault.ts'
import { stampOf } from '../../core/file-stamp.ts'
import type { Log } from '../../core/log.ts'
import type { Scope } from '../../core/scope.ts'
import { repeat } from '../../core/turns/repeat.ts'
import { type Pause, pausesFileName, pausesIn } from '../../datadir/paused-routes.ts'
import type { Pauses } from './pauses.ts'

const pollEveryMs = 1_000

export type PauseWatchOptions = {
  readonly dataDir: string
  readonly pauses: Pauses
  readonly clock: Clock
  readonly log: Log
  /** Called after each poll. Lets the runs begin whose routes are not paused any more. */
  readonly polled: () => void
  readonly scope: Scope
}

/**
 * Reads the file now, and again a second after each poll, until the end of the scope. While the file cannot be used, the pauses that it had
 * before stay in force. Returns the function that polls at once: what the file has then counts from there on.
 */
export const watchPauses = ({ dataDir, pauses, clock, log, polled, scope }: PauseWatchOptions): (() => void) => {
  const file = join(dataDir, pausesFileName)
  let stamp: string | undefined
  let toldReason: string | undefined
  const look = (): void => {
    const present = stampOf(file)
    if (present === stamp) return
    try {
      const next = pausesIn(readEntries(file))
      logChanges(pauses.all, next, log)
      pauses.replace(next)
      // A file that cannot be read is tried again with each poll: the reason may lie outside of it, as too many open files do.
      stamp = present
      toldReason = undefined
    } catch (error) {
      const reason = messageOf(error)
      if (reason !== toldReason) log('error', { reason }, 'the pauses of routes cannot be read, those before stay in force')
      toldReason = reason
    }
  }
  look()
  const both = (): void => {
    look()
    polled()
  }
  const polling = repeat(clock, pollEveryMs, both, { scope })
  return () => void polling.now()
}

const logChanges = (before: ReadonlyMap<string, Pause>, now: ReadonlyMap<string, Pause>, log: Log): void => {
  for (const [route, { isHold }] of now)
    if (before.get(route)?.isHold !== isHold) log('info', { route }, isHold ? 'the runs of a route are held' : 'a route is paused')
  for (const route of before.keys()) if (!now.has(route)) log('info', { route }, 'a route goes on')
}
