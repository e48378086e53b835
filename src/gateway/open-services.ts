/** Opens the parts of a gateway that work after a request is answered, above all the store, the journal, the worker and the scheduler. */

import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import type { NewRun } from '../core/new-run.ts'
import type { Scope } from '../core/scope.ts'
import type { Route } from '../generated/config.ts'
import { defaults } from '../generated/defaults.ts'
import type { EventRecords } from '../journal/event-records.ts'
import { journalFolder } from '../journal/folder.ts'
import { openJournal } from '../journal/journal.ts'
import { createJournalObserver } from '../journal/journal-observer.ts'
import { folderRecords } from '../journal/reader.ts'
import { databaseRecords } from '../journal/shared/database-records.ts'
import { openSharedJournal } from '../journal/shared/shared-journal.ts'
import type { Traces } from '../observe/traces/traces.ts'
import { callbackDelivery } from '../parts/respond/callback.ts'
import { servedAs } from '../plan/table.ts'
import { createOutages } from '../runs/breaker/outages.ts'
import { chatAddressOfRun } from '../runs/chat-address.ts'
import { createConversations } from '../runs/conversation.ts'
import { lackOf, type ServedNames } from '../runs/lack-of.ts'
import { sweepRunFiles } from '../runs/run-files.ts'
import { Worker } from '../runs/worker.ts'
import { Scheduler } from '../schedule/scheduler.ts'
import { ensureCommentKey } from '../serve/comment-key.ts'
import type { LiveConfig } from '../serve/live-config.ts'
import type { Replicas } from '../serve/replicas/replicas.ts'
import { createTails, type Tails } from '../serve/tails.ts'
import { type Lead, leadOf } from '../store/as-leader.ts'
import type { Shared } from '../store/shared.ts'
import type { OpenStore } from '../store/store-part.ts'
import type { GatewayOptions } from './gateway-options.ts'
import { createLogObserver } from './log-observer.ts'
import { createMirrorObserver } from './mirror-observer.ts'
import { openKeys, openStore } from './open-store.ts'

export type GatewayServices = {
  readonly store: OpenStore
  readonly lead: Lead
  readonly worker: Worker
  readonly scheduler: Scheduler
  readonly tails: Tails
  readonly records: EventRecords
  /** Absent while traces are off. */
  readonly traces: Traces | undefined
  /**
   * Reports this gateway to the other gateways on a shared store, and knows their states. `undefined` where the store serves one gateway.
   */
  readonly replicas: Replicas | undefined
}

/**
 * Opens the parts, and adds to `scope` how to close each. Throws a Fault or a StoreFault, for example when the store cannot be opened.
 */
export const openServices = async (options: GatewayOptions, scope: Scope): Promise<GatewayServices> => {
  const { config, log, clock, redact, shared, reloader } = options
  const { facts } = shared
  const { current } = reloader
  const store = await openStore(config, clock, facts, () => current().config)
  scope.defer(() => store.close())
  if (store.warning !== undefined) log('warn', {}, store.warning)
  if (store.shared) await watchSharedEntries(store.shared, options, scope)
  const keys = await openKeys(config, log)
  if (keys) scope.defer(() => keys.close())
  const commentKey = await ensureCommentKey(config.dataDir, store.shared)
  const traces = await openTraces(options, scope)
  const records = await observe(options, store, scope)
  if (store.shared) await followSharedReplies(store.shared, records, options, scope)
  const tails = createTails({ clock, redact, others: store.shared?.records })
  facts.observe(tails)
  const routeOf: RouteOf = (name) => servedAs(current().table, name)?.source.spec
  facts.observe(createMirrorObserver({ store, clock, log, redact, route: routeOf }))
  const replicas = await openReplicas(options, store, () => worker.inProgress)
  await sweepRunFiles(filesFolder(config))
  const worker = workerOf(options, store, routeOf, replicas)
  scope.defer(() => shared.breakers.close())
  // When a later step of the start fails, `scope` stops the worker at once. In an orderly stop the worker has stopped before.
  scope.defer(() => worker.stop(0))
  const wake = (ended?: readonly string[]): void => worker.wake(ended)
  const scheduler = new Scheduler({ store, isShared: store.shared !== undefined, clock, log, facts, book: () => current().jobs, wake })
  shared.attach({ store, wake, keys, commentKey })
  return { store, lead: leadOf(store.shared), worker, scheduler, tails, records, replicas, traces }
}

/**
 * Keeps the files of subscriptions and jobs equal to the shared store while the gateway runs. The module for it is loaded here, because
 * only a gateway on a shared store needs the module.
 */
const watchSharedEntries = async (port: Shared, { log, clock, reloader }: GatewayOptions, scope: Scope): Promise<void> => {
  const { watchEntries } = await import('../datadir/entries/watch-entries.ts')
  const { current } = reloader
  const written = (): Promise<void> => current().base.subscriptions.load()
  await watchEntries({ port, log, clock, scope, config: () => current().config, written })
}

/** Begins to follow the replies of the other gateways on a shared store. */
const followSharedReplies = async (
  port: Shared,
  records: EventRecords,
  { clock, shared: { replies } }: GatewayOptions,
  scope: Scope,
): Promise<void> => {
  const { followReplies } = await import('../serve/replies/follow-replies.ts')
  followReplies({ replies, lines: port.records, records, clock, scope })
}

/**
 * Makes the Replicas, which report this gateway to the other gateways on a shared store; `undefined` where the store serves one gateway.
 * `runs` returns the number of runs in progress.
 */
const openReplicas = async (
  { clock, log, shared: { facts }, reloader: { current } }: GatewayOptions,
  { shared }: OpenStore,
  runs: () => number,
): Promise<Replicas | undefined> => {
  if (!shared) return undefined
  const { Replicas } = await import('../serve/replicas/replicas.ts')
  const replicas = new Replicas({ shared, clock, log, current, runs })
  facts.observe(replicas)
  return replicas
}

/** Opens the observer that makes traces, which is loaded only where traces are on. */
const openTraces = async (
  { config: { telemetry }, clock, log, redact, shared }: GatewayOptions,
  scope: Scope,
): Promise<GatewayServices['traces']> => {
  if (!telemetry?.traces || !shared.traces) return undefined
  const { openTraces } = await import('../observe/traces/traces.ts')
  const traces = openTraces({ telemetry: { ...telemetry, traces: telemetry.traces }, places: shared.traces, clock, log, redact })
  shared.facts.observe(traces)
  scope.defer(() => traces.close())
  return traces
}

/** How long this gateway may not yet know a subscription or job that was made on another gateway, in milliseconds. */
const copiedMs = 30_000

const filesFolder = ({ dataDir }: Pick<Config, 'dataDir'>): string => join(dataDir, 'state', 'attachments')

type RouteOf = (name: string) => Route | undefined

/** Makes the worker. Each of its runs is served by the configuration that is current when it needs a setting. */
const workerOf = (
  { config, clock, log, redact, shared: { facts, traces, breakers, rates }, reloader: { current } }: GatewayOptions,
  store: OpenStore,
  routeOf: RouteOf,
  replicas: Replicas | undefined,
): Worker => {
  /** Whether another gateway may have the route, job or target of a run that this gateway lacks. */
  const mayBeElsewhere = ({ acceptedAt }: NewRun): boolean =>
    replicas !== undefined && (replicas.othersDiffer() || clock.now() - acceptedAt < copiedMs)
  const targetsAndProfiles = () => ({ targets: current().catalogue.targets, profiles: current().config.profiles })
  return new Worker({
    store,
    clock,
    facts,
    traces,
    log,
    redact,
    agent: (prompt, job) => current().agent(prompt, job),
    send: (outgoing) => current().send(outgoing),
    undeliverable: (run) => current().undeliverable(run),
    policy: (run) => current().policy(run),
    mayDeliver: (run) => current().mayDeliver(run),
    outages: createOutages(breakers, targetsAndProfiles),
    conversations: createConversations({
      store,
      clock,
      redact,
      most: ({ route }) => routeOf(route)?.session?.history ?? defaults.session.history,
      chatAddressOf: (run) => chatAddressOfRun(run, targetsAndProfiles()),
    }),
    callback: ({ route }) => callbackDelivery(routeOf(route) ?? {}, current().catalogue.targets),
    comments: (target) => current().catalogue.targets.get(target)?.returnsAsEvent ?? false,
    repeatable: (target) => current().catalogue.targets.get(target)?.repeatable ?? false,
    maxConcurrent: () => current().config.maxConcurrentRuns,
    isShared: store.shared !== undefined,
    // The blank keeps this name apart from the names of profiles and routes, which have none.
    rates: store.shared && rates('all routes'),
    filesFolder: filesFolder(config),
    lacks: (run) => (mayBeElsewhere(run) ? lackOf(run, knownTo(current())) : undefined),
  })
}

const knownTo = ({ config: { profiles, agents }, catalogue: { targets }, table, jobs }: LiveConfig): ServedNames => ({
  profiles,
  targets,
  hasAgent: (name) => agents.has(name),
  hasRoute: (name) => servedAs(table, name) !== undefined,
  hasJob: (profile, id) => jobs.get(profile, id) !== undefined,
})

/** Adds the observers that write facts to the journal and to the log. Returns the reader of the journal's records. */
const observe = async (
  { config, log, clock, redact, shared: { facts, traces }, reloader, requests }: GatewayOptions,
  store: OpenStore,
  scope: Scope,
): Promise<EventRecords> => {
  const retention = () => reloader.current().config.storage.retention
  const report = (reason: string): void => log('warn', { reason }, 'event records')
  const folder = journalFolder(config.dataDir)
  const lostLines = (lines: number): void => facts.emit({ kind: 'records_lost', lines })
  const journalOptions = { clock, limits: retention, report, lostLines }
  const journal = store.shared
    ? await openSharedJournal({ ...journalOptions, records: store.shared.records })
    : await openJournal({ ...journalOptions, folder })
  scope.defer(() => journal.close())
  facts.observe(createJournalObserver({ journal, keepsPayloads: () => retention().payloads, redact, traces }))
  if (requests) facts.observe(requests.observer)
  const logObserver = createLogObserver(log, clock, { requests: requests?.replacesLog !== true, traces })
  scope.defer(() => logObserver.close())
  facts.observe(logObserver)
  return store.shared ? databaseRecords(store.shared.records) : folderRecords(folder)
}
