/** A running gateway: opens the store, the journal, the sockets and the workers in order, and closes them in the reverse one. */

import { join } from 'node:path'
import type { SharedEffects } from '../app/effects.ts'
import { createOperations, type Operations } from '../app/operations.ts'
import type { Reloader } from '../app/reload.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import type { RoutePlan } from '../core/plan.ts'
import type { Ended, Watch } from '../engine/run.ts'
import { journalFolder } from '../journal/folder.ts'
import { openJournal } from '../journal/journal.ts'
import type { Journal } from '../journal/record.ts'
import { Worker } from '../runs/worker.ts'
import { Scheduler } from '../schedule/scheduler.ts'
import type { Store } from '../store/ports.ts'
import { keepHouse } from './housekeeping.ts'

export interface Gateway {
  readonly url: string
  readonly routes: number
  readonly operations: Operations
  /** Answers what is in flight, dispatches waiting groups, lets runs finish within `ms` (the configured time), closes; the rest resumes later. */
  stop(ms?: number): Promise<void>
}

export type GatewayOptions = {
  readonly config: Config
  readonly log: Log
  readonly clock: Clock
  readonly redact: (text: string) => string
  readonly shared: SharedEffects
  readonly reloader: Reloader
  /** Told before anything is accepted. */
  readonly opened: (running: { store: Store; worker: Worker }) => void
}

type Closing = (() => Promise<unknown>)[]

const closeAll = async (closing: Closing): Promise<void> => {
  for (const close of closing.splice(0).reverse()) await close()
}

/** Throws a Fault; nothing stays open then. */
export const openGateway = async (options: GatewayOptions): Promise<Gateway> => {
  const closing: Closing = []
  try {
    return await assemble(options, closing)
  } catch (error) {
    await closeAll(closing)
    throw error
  }
}

const assemble = async (options: GatewayOptions, closing: Closing): Promise<Gateway> => {
  const { config, log, clock, reloader } = options
  const { current } = reloader
  const [store, http] = await Promise.all([openStore(config, clock), import('../http/index.ts')])
  closing.push(() => store.close())
  const journal = await openRecords(options)
  closing.push(() => journal.close())
  const worker = new Worker({
    store,
    clock,
    journal,
    log,
    runner: (prompt, job) => current().runner(prompt, job),
    send: (outgoing) => current().send(outgoing),
    policy: (run) => current().policy(run),
    repeatable: (target) => current().catalogue.targets.get(target)?.repeatable ?? false,
    maxConcurrent: () => current().config.maxConcurrentRuns,
    redact: options.redact,
  })
  // Nothing of it is left when a start fails half-way.
  closing.push(() => worker.stop(0))
  const scheduler = new Scheduler({ store, clock, log, journal, book: () => current().jobs, wake: () => worker.wake() })
  options.opened({ store, worker })

  const note = (ended: Ended, plan: RoutePlan | undefined, ms: number, of?: string): void => {
    const record = plan && http.recordOf(ended, plan, ms)
    if (!record) return
    const { received, raw } = record
    journal.add(of === undefined ? received : { ...received, replay_of: of }, current().config.storage.retention.payloads ? raw : undefined)
  }
  let stopping = false
  let patienceMs = 0
  const reporter = http.createReporter(log, clock)
  closing.push(async () => reporter.stop())
  const listener = await http.listen({
    host: config.host,
    port: config.port,
    clock,
    serving: current,
    stopping: () => stopping,
    ended: (ended, about) => {
      reporter.ended(ended, about)
      note(ended, about.plan, about.ms())
    },
    ...(log.writes('debug') ? { watch: stageLog(log) } : {}),
  })
  closing.push(() => listener.close(patienceMs))

  const operations = createOperations({
    ...{ store, worker, scheduler, reloader, journal, clock },
    url: listener.url,
    stopping: () => stopping,
    folder: journalFolder(config.dataDir),
    shared: options.shared,
    describe: http.describe,
    ended: (ended, plan, of) => note(ended, plan, 0, of),
  })
  const control = await http.listenControl({ path: http.controlSocket(config.dataDir), operations, log, clock })
  closing.push(() => control.close())
  const unrecord = http.recordPid(config.dataDir)
  closing.push(async () => unrecord())

  const { notice } = current()
  if (notice) log('info', { runner: config.agent.runner }, notice)
  const cancelHousekeeping = keepHouse({ store, clock, log, retention: () => current().config.storage.retention })
  closing.push(async () => cancelHousekeeping())
  closing.push(() => scheduler.stop())
  await scheduler.start()
  worker.wake()
  return {
    url: listener.url,
    routes: current().routes(),
    operations,
    async stop(ms = current().config.drainMs) {
      stopping = true
      patienceMs = ms
      reloader.stop()
      await scheduler.stop()
      // Side by side: a slow sender must not use up the time of the runs, nor let further ones begin.
      const answered = settled(listener.active, clock, ms)
      await Promise.all([answered, worker.stop(ms, answered)])
      await closeAll(closing)
    },
  }
}

/** The journal; what a reason quotes may be a secret, which is taken out before it is kept. */
const openRecords = async ({ config, log, clock, redact, reloader }: GatewayOptions): Promise<Journal> => {
  const journal = await openJournal({
    folder: journalFolder(config.dataDir),
    clock,
    limits: () => reloader.current().config.storage.retention,
    report: (reason) => log('warn', { reason }, 'event records'),
  })
  return {
    add: (entry, raw) =>
      journal.add('reason' in entry && entry.reason !== undefined ? { ...entry, reason: redact(entry.reason) } : entry, raw),
    flushed: () => journal.flushed(),
    close: () => journal.close(),
  }
}

/** One line for each stage of each request: what `--log-level debug` asks for. */
const stageLog =
  (log: Log) =>
  (route: string): Watch =>
  (stage, ended) =>
    log('debug', { route, stage, outcome: ended?.kind ?? 'pass' }, 'stage')

/** Waits until nothing is in flight, for at most `ms`. */
const settled = async (active: () => number, clock: Clock, ms: number): Promise<void> => {
  const deadline = clock.monotonic() + ms
  while (active() > 0 && clock.monotonic() < deadline) await new Promise<void>((resolve) => clock.after(20, resolve))
}

const openStore = async (config: Config, clock: Clock): Promise<Store> => {
  if (config.storage.kind === 'memory') return (await import('../store/memory/memory-store.ts')).openMemory({ clock })
  const { openSqlite } = await import('../store/sqlite/sqlite-store.ts')
  return openSqlite({ folder: join(config.dataDir, 'state'), durability: config.storage.durability, clock })
}
