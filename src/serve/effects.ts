/**
 * The effects of stages and endings in a running gateway: the functions through which they use its store, its limits and its connections.
 */

import type { Clock } from '../core/clock.ts'
import type { Facts } from '../core/facts/facts.ts'
import { messageOf } from '../core/fault.ts'
import type { Log } from '../core/log.ts'
import type { EventTraces } from '../core/telemetry/trace-context.ts'
import { createShortTurns, type ShortTurns } from '../core/turns/short-turns.ts'
import { createSlots } from '../core/turns/slots.ts'
import { openStoredList } from '../expr/named-lists.ts'
import { Pauses } from '../features/pauses/pauses.ts'
import { createInflate } from '../parts/body/inflate.ts'
import type { Effects, Jobs, Limiter } from '../parts/effects.ts'
import { createOwnComments, type OwnComments } from '../parts/own-comment.ts'
import { createPartScopes, type PartScopes } from '../parts/part-scopes.ts'
import type { KeptKeys, SenderKeys } from '../parts/sender-keys.ts'
import type { AdapterSettings } from '../parts/stages/stage.ts'
import { createKeep } from '../parts/targets/delivery/keep.ts'
import type { Keep, Outgoing, Sent } from '../parts/targets/target.ts'
import { runScript } from '../process/script.ts'
import type { BreakerSettings } from '../runs/breaker/breaker.ts'
import { Breakers } from '../runs/breaker/breakers.ts'
import type { Store } from '../store/ports.ts'
import type { OpenStore } from '../store/store-part.ts'
import { createDownload } from './download.ts'
import { FetchedLists } from './fetched-lists.ts'
import { createKeptKeys } from './kept-keys.ts'
import { createEventRates } from './limits/event-rates.ts'
import { createLimiter } from './limits/limiter.ts'
import { createSharedLimiter } from './limits/shared-limiter.ts'
import { Lookups } from './lookups.ts'
import { RedactionCounts } from './redaction-counts.ts'
import { AwaitedReplies } from './replies/awaited-replies.ts'
import { createStatusTokens } from './replies/status-token.ts'
import { createSenderKeys } from './sender-keys.ts'

/** The most scripts that wait for a slot. A post whose script would be one more gets 503. */
const maxWaitingScripts = 1_000

/**
 * The part of the effects that outlives a reload: the windows of the rate limits, the slots of scripts and the store stay while plans are
 * replaced.
 */
export type SharedEffects = {
  readonly clock: Clock
  readonly log: Log
  readonly facts: Facts
  /** Absent while traces are off. */
  readonly traces?: EventTraces | undefined
  /** Makes the secrets of a subscription known to whoever redacts texts. */
  readonly learn: (secrets: readonly string[]) => void
  readonly scopes: PartScopes
  /** Keeps the connections of targets: a bot may have only one connection, even while plans of two configurations run. */
  readonly keep: Keep
  readonly limiter: Limiter
  readonly rates: Effects['rates']
  readonly turns: ShortTurns
  readonly inflate: Effects['inflate']
  readonly script: Effects['script']
  readonly mismatched: NonNullable<Effects['mismatched']>
  readonly redactionMissed: NonNullable<Effects['redactionMissed']>
  readonly redactionJudged: NonNullable<Effects['redactionJudged']>
  readonly redactions: RedactionCounts
  readonly download: Effects['download']
  readonly lookups: Lookups
  readonly fetchedLists: FetchedLists
  readonly openList: Effects['openList']
  readonly ownComments: OwnComments
  readonly keys: SenderKeys
  readonly tooOld: Effects['tooOld']
  /** Asks programs for the secrets that entries name and that are not known yet, and reloads. */
  readonly askSecrets?: (() => void) | undefined
  readonly replies: AwaitedReplies
  readonly breakers: Breakers
  readonly pauses: Pauses
  readonly store: () => Store
  readonly jobs: Jobs
  readonly hasRoom: (more?: number) => boolean
  readonly wake: Effects['wake']
  /**
   * Hands over the resources that the gateway opened after it compiled its plans. Plans come first, because a bad configuration file must
   * stop the start before anything is touched.
   */
  readonly attach: (opened: OpenedResources) => void
}

/**
 * The resources that a gateway opens after its plans are compiled. `wake`: wakes the worker for new work. `commentKey`: seals the marks of
 * the gateway's comments, and signs its status addresses. `keys`: keeps the keys of senders over restarts; when absent, the keys stay in
 * memory only.
 */
type OpenedResources = {
  readonly store: OpenStore
  readonly wake: Effects['wake']
  readonly commentKey: Uint8Array
  readonly keys?: KeptKeys | undefined
}

/**
 * The configured limits: verified requests of a route in a minute, scripts at once, runs in the queue, requests that wait for a reply,
 * failures of targets.
 */
type Limits = {
  readonly adapter: Pick<AdapterSettings, 'rate_limit'>
  readonly maxConcurrentScripts: number
  readonly maxQueuedRuns: number
  readonly maxWaitingRequests: number
  readonly breaker?: BreakerSettings
}

type SharedEffectsOptions = Pick<SharedEffects, 'clock' | 'log' | 'facts' | 'traces'> & {
  /** Downloads small files of senders. Absent: the files are downloaded over the network. */
  readonly download?: Effects['download'] | undefined
  readonly tooOld?: Effects['tooOld']
  readonly askSecrets?: SharedEffects['askSecrets']
  /** Gets the secrets of each subscription that is compiled, so that the log can redact them. */
  readonly learn?: ((secrets: readonly string[]) => void) | undefined
  readonly limits: () => Limits
  readonly jobs: () => Jobs
}

/** Creates the shared effects of a gateway. A plan that uses the store before `attach` was called gets an Error. */
export const createSharedEffects = ({
  clock,
  log,
  facts,
  traces,
  limits,
  jobs,
  download = createDownload(),
  learn = () => {},
  tooOld,
  askSecrets,
}: SharedEffectsOptions): SharedEffects => {
  const redactions = new RedactionCounts()
  const slots = createSlots(() => limits().maxConcurrentScripts, maxWaitingScripts)
  const scopes = createPartScopes(clock, log)
  const keptKeys = createKeptKeys()
  const fetchedLists = new FetchedLists({ clock, log, facts })
  const perMinute = (): number => limits().adapter.rate_limit
  let opened: OpenedResources | undefined
  const openedResources = (): OpenedResources => {
    if (!opened) throw new Error('a plan ran before its store was open')
    return opened
  }
  const store = (): Store => openedResources().store
  return {
    clock,
    log,
    facts,
    traces,
    learn,
    scopes,
    store,
    keep: createKeep(scopes.create({}).adopt),
    limiter: createSharedLimiter({ local: createLimiter(clock, perMinute), clock, perMinute, shared: () => opened?.store.shared }),
    rates: (route) => createEventRates(clock, route, () => opened?.store.shared),
    turns: createShortTurns(),
    inflate: createInflate(),
    async script(folder, job) {
      const begun = clock.monotonic()
      const result = await slots.run(() => runScript(folder, job))
      facts.emit({ kind: 'script_ended', ok: result?.ok === true, ms: clock.monotonic() - begun })
      return result
    },
    mismatched({ eventId, profile, route }, action, why) {
      facts.emit({ kind: 'payload_mismatched', at: clock.now(), eventId, profile, route, action, why })
    },
    redactionMissed({ eventId, profile, route }, fields, first) {
      facts.emit({ kind: 'redaction_missed', eventId, profile, route, fields, first })
    },
    redactionJudged({ route }, own, shared) {
      redactions.add(own, route)
      redactions.add(shared, null)
    },
    redactions,
    download,
    lookups: new Lookups(clock, { ended: (lookup, result) => facts.emit({ kind: 'lookup_ended', lookup, result }) }),
    fetchedLists,
    openList: (spec, dataDir) => ('store' in spec ? openStoredList(dataDir, spec.store) : fetchedLists.open(spec)),
    ownComments: createOwnComments(() => openedResources().commentKey),
    keys: createSenderKeys({ clock, download, kept: () => opened?.keys ?? keptKeys }),
    tooOld,
    askSecrets,
    replies: new AwaitedReplies({
      clock,
      facts,
      most: () => limits().maxWaitingRequests,
      tokens: createStatusTokens(() => openedResources().commentKey),
    }),
    pauses: new Pauses(),
    breakers: createBreakers({ clock, log, facts, limits }, openedResources),
    jobs: {
      find: (profile, reference) => jobs().find(profile, reference),
      isRefused: (profile, reference) => jobs().isRefused(profile, reference),
    },
    hasRoom: (more = 1) => store().hasRoom(limits().maxQueuedRuns + 1 - more),
    wake: (ended) => opened?.wake(ended),
    attach(to) {
      opened = to
    },
  }
}

const createBreakers = (
  { clock, log, facts, limits }: Pick<SharedEffectsOptions, 'clock' | 'log' | 'facts' | 'limits'>,
  opened: () => OpenedResources,
): Breakers =>
  new Breakers({
    clock,
    facts,
    settings: () => limits().breaker,
    async makeDue(runs) {
      const { store, wake } = opened()
      try {
        await store.makeDue(runs)
        wake()
      } catch (error) {
        log('warn', { runs: runs.length, reason: messageOf(error) }, 'runs that waited for a target stay until the end of their wait')
      }
    },
  })

/**
 * The live effects of one route's plan. `LiveEffects` is a class to save memory, because each of thousands of routes has such an object.
 */
export class LiveEffects implements Effects {
  readonly clock: Clock
  readonly log: Log
  readonly traces: EventTraces | undefined
  readonly scopes: PartScopes
  readonly limiter: Limiter
  readonly rates: Effects['rates']
  readonly turns: ShortTurns
  readonly inflate: Effects['inflate']
  readonly script: Effects['script']
  readonly mismatched: Effects['mismatched']
  readonly redactionMissed: Effects['redactionMissed']
  readonly redactionJudged: Effects['redactionJudged']
  readonly download: Effects['download']
  readonly ownComments: Effects['ownComments']
  readonly keys: SenderKeys
  readonly tooOld: Effects['tooOld']
  readonly replies: Effects['replies']
  readonly pauses: Effects['pauses']
  readonly hasRoom: (more?: number) => boolean
  readonly wake: Effects['wake']
  readonly jobs: Jobs
  readonly lookup: Effects['lookup']
  readonly openList: Effects['openList']
  readonly send: (outgoing: Outgoing) => Promise<Sent>
  readonly #store: () => Store

  constructor(shared: SharedEffects, jobs: Jobs, { send, lookup }: Pick<Effects, 'send' | 'lookup'>) {
    this.clock = shared.clock
    this.log = shared.log
    this.traces = shared.traces
    this.scopes = shared.scopes
    this.limiter = shared.limiter
    this.rates = shared.rates
    this.turns = shared.turns
    this.inflate = shared.inflate
    this.script = shared.script
    this.mismatched = shared.mismatched
    this.redactionMissed = shared.redactionMissed
    this.redactionJudged = shared.redactionJudged
    this.download = shared.download
    this.ownComments = shared.ownComments
    this.keys = shared.keys
    this.tooOld = shared.tooOld
    this.replies = shared.replies
    this.pauses = shared.pauses
    this.hasRoom = shared.hasRoom
    this.wake = shared.wake
    this.openList = shared.openList
    this.jobs = jobs
    this.send = send
    this.lookup = lookup
    this.#store = shared.store
  }

  get store(): Store {
    return this.#store()
  }
}
