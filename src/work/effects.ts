/** What plans may do to the world: the live effects of a gateway, and dry ones that touch nothing. */

import type { Config } from '../config/config.ts'
import { type Clock, systemClock } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import { createSlots } from '../core/slots.ts'
import { createLimiter } from '../engine/limiter.ts'
import type { Effects, Outgoing, Sent } from '../parts/part.ts'
import { runScript } from '../parts/script.ts'
import type { Store } from '../store/ports.ts'

/** Scripts that may wait for one of the slots; past them posts get 503. */
const maxWaitingScripts = 1_000

export type Live = {
  readonly config: Pick<Config, 'rateLimit' | 'maxConcurrentScripts' | 'maxQueuedRuns'>
  readonly clock: Clock
  readonly log: Log
  readonly send: (outgoing: Outgoing) => Promise<Sent>
  readonly store: () => Store | undefined
  readonly wake: () => void
}

/** Effects over a store that is opened after the plans were compiled. */
export const liveEffects = ({ config, clock, log, send, store, wake }: Live): Effects => {
  const slots = createSlots(config.maxConcurrentScripts, maxWaitingScripts)
  const open = (): Store => {
    const opened = store()
    if (!opened) throw new Error('a plan ran before its store was open')
    return opened
  }
  return {
    clock,
    log,
    limiter: createLimiter(clock, config.rateLimit),
    send,
    wake,
    get store() {
      return open()
    },
    script: (folder, job) => slots.run(() => runScript(folder, job)),
    hasRoom: () => open().backlog < config.maxQueuedRuns,
  }
}

const silent: Log = Object.assign(() => {}, { writes: () => false })

/** Effects that touch nothing: for `validate`, and for commands that compile a route before they save it. */
export const dryEffects: Effects = liveEffects({
  config: { rateLimit: 1, maxConcurrentScripts: 1, maxQueuedRuns: 1 },
  clock: systemClock,
  log: silent,
  send: async () => ({ ok: false, why: 'dry run', repeatable: false }),
  store: () => undefined,
  wake: () => {},
})
