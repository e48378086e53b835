/** What a running gateway may be asked to do, and how it does it. */

import type { Session, SessionFilter, SessionMessage } from '../../core/agent/session.ts'
import type { Clock } from '../../core/clock.ts'
import type { Facts } from '../../core/fact.ts'
import { StoreFault } from '../../core/fault.ts'
import { changedFiles } from '../../core/file-digests.ts'
import type { RunningJob, Worker } from '../../runs/worker.ts'
import type { Scheduler } from '../../schedule/scheduler.ts'
import type { JobStart } from '../../schedule/start-job.ts'
import type { Standing, Store } from '../../store/ports.ts'
import { countRefusals, type Refusals } from './refusals.ts'
import type { FailedReload, Reloaded, Reloader, ReloadWish } from './reload.ts'
import { type Replayed, type ReplayOptions, type ReplayWish, replay } from './replay.ts'
import type { TailLines, Tails } from './tails.ts'
import type { TrafficWish } from './traffic.ts'

export type Status = {
  readonly pid: number
  readonly url: string
  readonly started_at: string
  readonly reloaded_at: string | null
  /** The last reload that was refused or that failed; `null` once a later reload was taken over. */
  readonly reload_failed: FailedReload | null
  /** Settings that the last reload found changed, and that only a restart takes over. */
  readonly need_restart: readonly string[]
  /** Files of the configuration that have changed since they were read, or cannot be read now. */
  readonly changed_files: readonly string[]
  readonly routes: number
  readonly jobs: number
  /** `null`: the store could not say. */
  readonly backlog: number | null
  readonly stopping: boolean
  /** Posts that were refused since the start, by the code of the refusal. */
  readonly refused: Refusals
}

/** How the run of one event stands, for a reader. `dueAt`: when it is tried again, wall time in milliseconds. */
export type RunStanding = Omit<Standing, 'dueInMs'> & { readonly dueAt?: number }

/** A session for a reader: wall times in milliseconds. */
export type KnownSession = Omit<Session, 'ageMs' | 'idleMs'> & { readonly createdAt: number; readonly updatedAt: number }
export type Conversation = { readonly session: KnownSession; readonly messages: readonly SessionMessage[] }

export interface Operations {
  status(): Promise<Status>
  reload(wish?: ReloadWish): Promise<Reloaded>
  /** At most 1,000 ids. Throws StoreFault. */
  standings(eventIds: readonly string[]): Promise<readonly RunStanding[]>
  /** Puts a dead run back. `false`: there is none of this event. Throws StoreFault. */
  retry(eventId: string): Promise<boolean>
  replay(wish: ReplayWish): Promise<Replayed>
  /** Starts a job by hand: paused ones too, disabled ones not. Throws StoreFault. */
  startJob(profile: string, reference: string): Promise<JobStart>
  /** Of all profiles. */
  runningJobs(): readonly RunningJob[]
  /** At most `max` sessions, the one with the latest message first. Throws StoreFault. */
  sessions(of: SessionFilter, max: number): Promise<readonly KnownSession[]>
  /** The session of a key with its latest messages, at most `max`; `null` when there is none. Throws StoreFault. */
  conversation(key: string, max: number): Promise<Conversation | null>
  /** Asks the gateway to stop, as a signal does; it goes on with what it has in hand. */
  stop(): void
  /** What goes on from now on; what went before is in the journal by then. Throws a StoreFault when as many watch as may. */
  tail(wish: TrafficWish): Promise<TailLines>
}

type OperationsOptions = Pick<ReplayOptions, 'folder' | 'shared'> & {
  readonly store: Store
  readonly worker: Worker
  readonly scheduler: Scheduler
  readonly reloader: Reloader
  readonly facts: Facts
  readonly tails: Tails
  readonly clock: Clock
  /** Where it listens. */
  readonly url: string
  readonly stopping: () => boolean
  readonly stop: () => void
}

/** The operations of a gateway that has begun to listen. */
export const createOperations = (options: OperationsOptions): Operations => {
  const { store, worker, scheduler, reloader, facts, tails, clock, url, stopping, stop, folder, shared } = options
  const { current } = reloader
  const refusals = countRefusals()
  facts.observe(refusals)
  const startedAt = new Date(clock.now()).toISOString()
  return {
    status: async () => ({
      pid: process.pid,
      url,
      started_at: startedAt,
      reloaded_at: reloader.reloadedAt(),
      reload_failed: reloader.failed(),
      need_restart: reloader.needsRestart(),
      changed_files: await changedFiles(current().config.digests),
      routes: current().routes(),
      jobs: current().jobs.all().length,
      backlog: await backlogOf(store),
      stopping: stopping(),
      refused: refusals.counts(),
    }),
    async reload(wish) {
      const reloaded = await reloader.reload(wish)
      // More may run at once now.
      worker.wake()
      return reloaded
    },
    standings: async (ids) => (await store.standings(ids)).map((standing) => readable(standing, clock.now())),
    async retry(eventId) {
      try {
        const revived = await store.revive(eventId)
        if (revived) facts.tell({ kind: 'run_revived', at: clock.now(), eventId })
        return revived
      } finally {
        // Also after a failure: it may have been committed all the same.
        worker.wake()
      }
    },
    replay: (wish) => replay(wish, { folder, shared, facts, serving: current }),
    startJob: (profile, reference) => scheduler.startByHand(profile, reference),
    runningJobs: () => worker.runningJobs(),
    sessions: async (of, max) => (await store.sessions(of, max)).map((session) => known(session, clock.now())),
    async conversation(key, max) {
      const [session, messages] = await Promise.all([store.session(key), store.conversation(key, max)])
      return session ? { session: known(session, clock.now()), messages } : null
    },
    stop,
    async tail(wish) {
      const lines = tails.open(wish)
      await facts.flushed()
      return lines
    },
  }
}

/** The store says in how long it is due, for its clock may be another: a reader is told by the clock of this machine. */
const readable = ({ dueInMs, ...standing }: Standing, now: number): RunStanding =>
  dueInMs === undefined ? standing : { ...standing, dueAt: now + dueInMs }

const known = ({ ageMs, idleMs, ...session }: Session, now: number): KnownSession => ({
  ...session,
  createdAt: Math.round(now - ageMs),
  updatedAt: Math.round(now - idleMs),
})

/** A store that does not answer keeps nobody from reading the rest of the status. */
const backlogOf = async (store: Store): Promise<number | null> => {
  try {
    return await store.backlog()
  } catch (error) {
    if (!(error instanceof StoreFault)) throw error
    return null
  }
}
