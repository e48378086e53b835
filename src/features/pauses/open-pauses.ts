/** Opens the pauses of a gateway's routes: reads their file at the start, and again within a second of each change. */

import { join } from 'node:path'
import { readEntries } from '../../config/writing/entry-store.ts'
import { messageOf } from '../../core/fault.ts'
import { stampOf } from '../../core/file-stamp.ts'
import type { Log } from '../../core/log.ts'
import { repeat } from '../../core/turns/repeat.ts'
import { type Pause, pausesFileName, pausesIn } from '../../datadir/paused-routes.ts'
import type { FeatureKit, OpenedFeature } from '../feature.ts'

const pollEveryMs = 1_000

/**
 * Reads the file now, and again a second after each poll, until the end of the scope. While the file cannot be used, the pauses that it had
 * before stay in force. Each poll lets the runs begin whose routes are not paused any more.
 */
export const openPauses = ({ dataDir, pauses, worker, clock, log, scope }: FeatureKit) => {
  const file = join(dataDir, pausesFileName)
  let stamp: string | undefined
  let toldReason: string | undefined
  const read = (): void => {
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
  read()
  const both = (): void => {
    read()
    worker.release((route) => pauses.holds(route))
  }
  const polling = repeat(clock, pollEveryMs, both, { scope })
  return {
    takeEntries: () => void polling.now(),
    status() {
      const routes = [...pauses.all].map(([route, { isHold: hold, since }]) => ({ route, hold, since, held_runs: worker.heldRuns(route) }))
      return routes.length > 0 ? { paused_routes: routes } : {}
    },
  } satisfies OpenedFeature
}

const logChanges = (before: ReadonlyMap<string, Pause>, now: ReadonlyMap<string, Pause>, log: Log): void => {
  for (const [route, { isHold }] of now)
    if (before.get(route)?.isHold !== isHold) log('info', { route }, isHold ? 'the runs of a route are held' : 'a route is paused')
  for (const route of before.keys()) if (!now.has(route)) log('info', { route }, 'a route goes on')
}
