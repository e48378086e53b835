/** What plans may do to the world: live effects over what a gateway owns, and dry ones that touch nothing. */

import { type Clock, systemClock } from '../../core/clock.ts'
import type { Facts } from '../../core/fact.ts'
import type { Log } from '../../core/log.ts'
import { Owners } from '../../core/owner.ts'
import { createShortTurns, type ShortTurns } from '../../core/turns/short-turns.ts'
import { createSlots } from '../../core/turns/slots.ts'
import type { AdapterSettings } from '../../parts/adapter-settings.ts'
import { createKeep } from '../../parts/delivery/keep.ts'
import type { Effects, Jobs, Limiter } from '../../parts/effects.ts'
import { createOwnComments, type OwnComments } from '../../parts/own-comment.ts'
import type { KeptKeys, SenderKeys } from '../../parts/sender-keys.ts'
import type { Keep, Outgoing, Sent } from '../../parts/targets/target.ts'
import type { ScriptJob, ScriptResult } from '../../process/script.ts'
import { runScript } from '../../process/script.ts'
import { openMemory } from '../../store/memory/memory-store.ts'
import type { Store } from '../../store/ports.ts'
import { createDownload } from './download.ts'
import { createKeptKeys } from './kept-keys.ts'
import { createLimiter } from './limiter.ts'
import { createSenderKeys } from './sender-keys.ts'

/** Scripts that may wait for one of the slots; past them posts get 503. */
const maxWaitingScripts = 1_000

/** What outlives a reload: windows, slots and the store go on as they are while plans are replaced. */
export type SharedEffects = {
  readonly clock: Clock
  readonly log: Log
  readonly facts: Facts
  readonly owners: Owners
  /** A bot may have one connection only, also while two configurations overlap. */
  readonly keep: Keep
  readonly limiter: Limiter
  readonly turns: ShortTurns
  readonly script: Effects['script']
  readonly download: Effects['download']
  readonly ownComments: OwnComments
  readonly keys: SenderKeys
  readonly store: () => Store
  /** Those of the configuration that serves. */
  readonly jobs: Jobs
  readonly hasRoom: () => boolean
  readonly wake: () => void
  /** Plans are compiled before a store may be opened, for a bad file must stop the start with nothing touched. */
  readonly attach: (running: Running) => void
}

/**
 * What a gateway opens after its plans are compiled. `wake`: there may be work. `commentKey`: seals the marks of its comments. Without `keys`
 * those of senders are gone with the process.
 */
type Running = {
  readonly store: Store
  readonly wake: () => void
  readonly commentKey: Uint8Array
  readonly keys?: KeptKeys | undefined
}

export type Limits = {
  readonly adapter: Pick<AdapterSettings, 'rate_limit'>
  readonly maxConcurrentScripts: number
  readonly maxQueuedRuns: number
}

type SharedOptions = Pick<SharedEffects, 'clock' | 'log' | 'facts'> & {
  /** Absent: over the network. */
  readonly download?: Effects['download'] | undefined
  /** As the configuration has them now. */
  readonly limits: () => Limits
  readonly jobs: () => Jobs
}

export const createSharedEffects = ({ clock, log, facts, limits, jobs, download = createDownload() }: SharedOptions): SharedEffects => {
  const slots = createSlots(() => limits().maxConcurrentScripts, maxWaitingScripts)
  const owners = new Owners(clock, log)
  const keptKeys = createKeptKeys()
  let running: Running | undefined
  const opened = (): Running => {
    if (!running) throw new Error('a plan ran before its store was open')
    return running
  }
  const store = (): Store => opened().store
  return {
    clock,
    log,
    facts,
    owners,
    store,
    keep: createKeep(owners.create({}).adopt),
    limiter: createLimiter(clock, () => limits().adapter.rate_limit),
    turns: createShortTurns(),
    script: (folder, job) => slots.run(() => runScript(folder, job)),
    download,
    ownComments: createOwnComments(() => opened().commentKey),
    keys: createSenderKeys({ clock, download, kept: () => running?.keys ?? keptKeys }),
    jobs: {
      find: (profile, reference) => jobs().find(profile, reference),
      isRefused: (profile, reference) => jobs().isRefused(profile, reference),
    },
    hasRoom: () => store().hasRoom(limits().maxQueuedRuns),
    wake: () => running?.wake(),
    attach(to) {
      running = to
    },
  }
}

/** The effects of one route's plan. A class, for there is one for each of thousands. */
export class LiveEffects implements Effects {
  readonly clock: Clock
  readonly log: Log
  readonly owners: Owners
  readonly limiter: Limiter
  readonly turns: ShortTurns
  readonly script: Effects['script']
  readonly download: Effects['download']
  readonly ownComments: Effects['ownComments']
  readonly keys: SenderKeys
  readonly hasRoom: () => boolean
  readonly wake: () => void
  readonly jobs: Jobs
  readonly send: (outgoing: Outgoing) => Promise<Sent>
  readonly #store: () => Store

  constructor(shared: SharedEffects, jobs: Jobs, send: (outgoing: Outgoing) => Promise<Sent>) {
    this.clock = shared.clock
    this.log = shared.log
    this.owners = shared.owners
    this.limiter = shared.limiter
    this.turns = shared.turns
    this.script = shared.script
    this.download = shared.download
    this.ownComments = shared.ownComments
    this.keys = shared.keys
    this.hasRoom = shared.hasRoom
    this.wake = shared.wake
    this.jobs = jobs
    this.send = send
    this.#store = shared.store
  }

  get store(): Store {
    return this.#store()
  }
}

const silent: Log = Object.assign(() => {}, { writes: () => false })

/** Lets the payload on as it is: a script is an operator's program, and may do anything. */
const noScript = async (_folder: string, { input }: ScriptJob): Promise<ScriptResult> => ({ ok: true, output: input })

const noDownload = async (): Promise<Buffer> => {
  throw new Error('nothing is fetched in a dry run')
}

const noKeys = (clock: Clock): SenderKeys => {
  const kept = createKeptKeys()
  return createSenderKeys({ clock, download: noDownload, kept: () => kept })
}

/** Effects that touch nothing: for `validate`, for commands that compile a route before they save it, for replays that only tell. */
export const createDryEffects = (clock: Clock = systemClock): Effects => ({
  clock,
  log: silent,
  owners: new Owners(clock, silent),
  limiter: { wait: () => 0, charge: () => true, chargeFailure: () => true, looksLater: () => false, hasFailed: () => false },
  turns: createShortTurns(),
  jobs: { find: () => [], isRefused: () => false },
  store: openMemory({ clock, maxClaims: 1_000 }),
  script: noScript,
  ownComments: { areToldIn: () => false },
  download: noDownload,
  keys: noKeys(clock),
  send: async () => ({ ok: true, detail: 'dry run' }),
  wake: () => {},
  hasRoom: () => true,
})

/** Dry effects for one use; whatever has been opened under them is closed when it ends. */
export const withDryEffects = async <T>(use: (effects: Effects) => T | Promise<T>): Promise<T> => {
  const effects = createDryEffects()
  try {
    return await use(effects)
  } finally {
    await effects.owners.close()
  }
}
