/** Watches the stages of requests, for debug logs and traces. */

import type { Clock } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import type { Watch } from '../../engine/run.ts'

/**
 * Returns the function that watches the requests of a route, if anybody asks: it logs each stage (with `--log-level debug`), and times the
 * waits. `clock`: absent while traces are off.
 */
export const watching = (log: Log, clock: Clock | undefined): { readonly watch?: (route: string) => Watch } => {
  const timed: Watch = { clock }
  if (!log.writes('debug')) return clock ? { watch: () => timed } : {}
  return {
    watch: (route) => ({ clock, stage: (stage, ended) => log('debug', { route, stage, outcome: ended?.kind ?? 'pass' }, 'stage') }),
  }
}
