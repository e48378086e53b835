/** The control operations of a running gateway: each operation of schema/control.schema.json calls the code that does it. */

import { filesChangedSince } from '../../config/file-digests.ts'
import type { Clock } from '../../core/clock.ts'
import type { Facts } from '../../core/facts/facts.ts'
import { StoreFault } from '../../core/fault.ts'
import type { Session } from '../../core/session.ts'
import { standingView } from '../../datadir/records/open-records.ts'
import { readReplicas, replicaName } from '../../datadir/replica-view.ts'
import type { RunningGateway } from '../../datadir/running-gateway.ts'
import type { KeptSecrets } from '../../datadir/secrets/kept-secrets.ts'
import type { OpenedFeatures } from '../../features/features.ts'
import type { SessionView, Status } from '../../generated/control.ts'
import type { EventRecords } from '../../journal/event-records.ts'
import { createEraseRuns } from '../../operate/events/erase/erase-runs.ts'
import type { Worker } from '../../runs/worker.ts'
import type { Scheduler } from '../../schedule/scheduler.ts'
import type { FetchedLists } from '../../serve/fetched-lists.ts'
import type { RedactionCounts } from '../../serve/redaction-counts.ts'
import { countRefusals } from '../../serve/refusals.ts'
import type { Reloader } from '../../serve/reload.ts'
import { askReload } from '../../serve/replicas/replicas.ts'
import type { Tails } from '../../serve/tails.ts'
import type { OpenStore } from '../../store/store-part.ts'
import { readBacklog } from './backlog-view.ts'
import { recordsAhead } from './records-ahead.ts'
import { type ReplayOptions, replay } from './replay.ts'
import { createRunOperations } from './run-operations.ts'

type OperationsOptions = Pick<ReplayOptions, 'shared'> & {
  readonly records: EventRecords
  readonly store: OpenStore
  readonly worker: Worker
  readonly scheduler: Scheduler
  readonly reloader: Reloader
  readonly facts: Facts
  readonly tails: Tails
  readonly clock: Clock
  readonly url: string
  /** Returns what the status says of the certificates. */
  readonly certificates: () => Pick<Status, 'certificates' | 'certificates_refused'>
  /** The secrets of programs; absent where no program is asked. */
  readonly secrets?: KeptSecrets | undefined
  readonly stopping: () => boolean
  /** Returns why the gateway should get no requests. */
  readonly notReady: () => string | undefined
  readonly stop: () => void
  readonly handOver: RunningGateway['handOver']
  /** Returns an address of the console at which a browser can sign in; `undefined` where this gateway runs no console. */
  readonly signInUrl: (() => Promise<string | undefined>) | undefined
  readonly features: OpenedFeatures
  /** `open` begins to take requests from a relay where a reload brought one. `view` returns what the status says of it. */
  readonly relay: { readonly open: () => Promise<void>; readonly view: () => Pick<Status, 'relay'> }
}

export const createOperations = (options: OperationsOptions): RunningGateway => {
  const { store, worker, scheduler, reloader, facts, tails, clock, stop, records, shared, features } = options
  const { current } = reloader
  const recordsToReplay = recordsAhead(records)
  const refusals = countRefusals()
  facts.observe(refusals)
  facts.observe({ handlers: { config_replaced: () => shared.redactions.clear() } })
  const startedAt = new Date(clock.now()).toISOString()
  return {
    status: async () => ({ ...(await statusOf(options)), started_at: startedAt, refused: refusals.counts() }),
    async takeEntries() {
      features.takeEntries()
      current().complete()
      const replicas = store.shared ? await orNull(readReplicas(store.shared, clock.now(), store.shared.replica)) : null
      return { others: (replicas ?? []).filter(({ self }) => !self).map(replicaName) }
    },
    servedFile: async () => ({ config: current().config.file, url: options.url }),
    async reload(question) {
      const reloaded = await reloader.reload(question)
      // The new configuration may allow more runs at once.
      worker.wake()
      await Promise.all([features.begin(), options.relay.open()])
      return reloaded
    },
    previewReload: (question) => reloader.preview(question),
    reloadAll: async (question) => ({ replicas: store.shared ? await askReload(store.shared, question) : [] }),
    async stop() {
      stop()
      return { stopping: true }
    },
    handOver: options.handOver,
    standings: async ({ ids }) => ({ standings: (await store.standings(ids)).map((standing) => standingView(standing, clock.now())) }),
    ...createRunOperations(options),
    async replay({ ahead = [], ...question }) {
      if (ahead.length > 0) await recordsToReplay.read([question.id, ...ahead])
      return replay(question, { records: recordsToReplay, shared, facts, serving: current })
    },
    startJob: ({ profile, job }) => scheduler.startByHand(profile, job),
    ...features.operations,
    eraseRuns: createEraseRuns(store, facts, clock),
    backlog: () => readBacklog(store, current(), clock.now()),
    runningJobs: async () => ({ jobs: worker.runningJobs() }),
    sessions: async ({ max, ...filter }) => ({
      sessions: (await store.sessions(filter, max)).map((session) => sessionView(session, clock.now())),
    }),
    async conversation({ key, max }) {
      const [session, messages] = await Promise.all([store.session(key), store.conversation(key, max)])
      return { conversation: session ? { session: sessionView(session, clock.now()), messages } : null }
    },
    async consoleAddress() {
      const url = await options.signInUrl?.()
      return url === undefined ? {} : { url }
    },
    async tail({ outcome, per_second: perSecond, ...filter } = {}) {
      const lines = tails.open({ ...filter, ...(outcome === undefined ? {} : { outcome: outcome.split(',') }) }, perSecond)
      await Promise.all([facts.flushed(), tails.begun()])
      return lines
    },
  }
}

/** Returns the status of the gateway, without its start and the refusals since then. */
const statusOf = async (options: OperationsOptions): Promise<Omit<Status, 'started_at' | 'refused'>> => {
  const { store, reloader, clock, url, certificates, stopping, notReady, shared, features } = options
  const { config, served, jobs } = reloader.current()
  return {
    pid: process.pid,
    url,
    ...certificates(),
    ...options.relay.view(),
    ...secretViews(options.secrets),
    reloaded_at: reloader.reloadedAt(),
    reload_failed: reloader.failed(),
    need_restart: reloader.needsRestart(),
    changed_files: await filesChangedSince(config.digests),
    routes: served().length,
    jobs: jobs.all().length,
    backlog: await orNull(store.backlog()),
    stopping: stopping(),
    not_ready: notReady() ?? null,
    ...(store.shared ? { replicas: await orNull(readReplicas(store.shared, clock.now(), store.shared.replica)) } : {}),
    ...missedRedactions(shared.redactions),
    ...fetchedLists(shared.fetchedLists),
    ...features.status(),
    waiting_requests: shared.replies.count,
  }
}

/** Returns the secrets of programs, for the status; nothing where the configuration refers to none. */
const secretViews = (secrets: KeptSecrets | undefined): Pick<Status, 'secrets'> => {
  const views = secrets?.views() ?? []
  return views.length > 0 ? { secrets: views } : {}
}

/** Returns the fields of `redact` that no event had, for the status; nothing where there are none. */
const missedRedactions = (redactions: RedactionCounts): Pick<Status, 'redactions_missed'> => {
  const missed = redactions.view()
  return missed.length > 0 ? { redactions_missed: missed } : {}
}

/** Returns the lists at web addresses, for the status; nothing where no condition asks one. */
const fetchedLists = (lists: FetchedLists): Pick<Status, 'lists'> => {
  const views = lists.views()
  return views.length > 0 ? { lists: [...views] } : {}
}

const sessionView = ({ ageMs, idleMs, chatAddress, ...session }: Session, now: number): SessionView => ({
  ...session,
  ...(chatAddress ? { place: chatAddress } : {}),
  createdAt: Math.round(now - ageMs),
  updatedAt: Math.round(now - idleMs),
})

/** Returns the answer of the store; `null` where the store does not answer, so that the rest of the status is shown all the same. */
const orNull = async <T>(asked: Promise<T>): Promise<T | null> => {
  try {
    return await asked
  } catch (error) {
    if (!(error instanceof StoreFault)) throw error
    return null
  }
}
