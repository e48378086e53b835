/** What plans may do to the world: live effects over what a gateway owns, and dry ones that touch nothing. */

import { type Clock, systemClock } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import { createSlots } from '../core/slots.ts'
import { createLimiter } from '../engine/limiter.ts'
import type { Effects, Jobs, Limiter, Outgoing, ScriptJob, ScriptResult, Sent } from '../parts/part.ts'
import { runScript } from '../parts/script.ts'
import { openMemory } from '../store/memory/memory-store.ts'
import type { Store } from '../store/ports.ts'

/** Scripts that may wait for one of the slots; past them posts get 503. */
const maxWaitingScripts = 1_000

/** What outlives a reload: windows, slots and the store go on as they are while plans are replaced. */
export type Machine = {
  readonly clock: Clock
  readonly log: Log
  readonly limiter: Limiter
  readonly script: Effects['script']
  readonly store: () => Store
  readonly hasRoom: () => boolean
  readonly wake: () => void
}

export type Limits = { readonly rateLimit: number; readonly maxConcurrentScripts: number; readonly maxQueuedRuns: number }

type MachineOptions = Pick<Machine, 'clock' | 'log' | 'wake'> & {
  /** As the configuration has them now. */
  readonly limits: () => Limits
  /** Opened after the plans were compiled. */
  readonly store: () => Store | undefined
}

export const createMachine = ({ clock, log, wake, limits, store }: MachineOptions): Machine => {
  const slots = createSlots(() => limits().maxConcurrentScripts, maxWaitingScripts)
  const open = (): Store => {
    const opened = store()
    if (!opened) throw new Error('a plan ran before its store was open')
    return opened
  }
  return {
    clock,
    log,
    wake,
    limiter: createLimiter(clock, () => limits().rateLimit),
    script: (folder, job) => slots.run(() => runScript(folder, job)),
    store: open,
    hasRoom: () => open().backlog < limits().maxQueuedRuns,
  }
}

/** The effects of one configuration's plans. */
export const liveEffects = (machine: Machine, jobs: Jobs, send: (outgoing: Outgoing) => Promise<Sent>): Effects => ({
  clock: machine.clock,
  log: machine.log,
  limiter: machine.limiter,
  script: machine.script,
  hasRoom: machine.hasRoom,
  wake: machine.wake,
  jobs,
  send,
  get store() {
    return machine.store()
  },
})

const silent: Log = Object.assign(() => {}, { writes: () => false })

/** Lets the payload on as it is: a script is an operator's program, and may do anything. */
const noScript = async (_folder: string, { input }: ScriptJob): Promise<ScriptResult> => ({ ok: true, output: input })

/** Effects that touch nothing: for `validate`, for commands that compile a route before they save it, for replays that only tell. */
export const dryEffects: Effects = {
  clock: systemClock,
  log: silent,
  limiter: { wait: () => 0, charge: () => true, chargeFailure: () => true },
  jobs: { find: () => [] },
  store: openMemory({ clock: systemClock, maxClaims: 1_000 }),
  script: noScript,
  send: async () => ({ ok: true, detail: 'dry run' }),
  wake: () => {},
  hasRoom: () => true,
}
