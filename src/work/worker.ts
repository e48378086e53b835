/** Takes accepted runs, a few at a time, and ends each: done, tried again later, or dead. */

import type { Clock } from '../core/clock.ts'
import { AgentFault, messageOf } from '../core/fault.ts'
import type { Log } from '../core/log.ts'
import { promptOf } from '../parts/note.ts'
import type { Outgoing, Runner, Sent } from '../parts/part.ts'
import type { Journal } from '../store/journal/record.ts'
import type { Lease, NewRun, RunEnd, Store } from '../store/ports.ts'
import { delayAfter } from './backoff.ts'
import { deliver } from './deliver.ts'
import { entryOf } from './entry.ts'
import type { RunPolicy } from './policy.ts'
import { record, storeRetryMs } from './record.ts'
import { isSilent } from './silence.ts'

export type WorkerOptions = {
  readonly store: Store
  readonly clock: Clock
  readonly journal: Journal
  readonly runner: Runner
  readonly policy: (run: NewRun) => RunPolicy
  readonly send: (outgoing: Outgoing) => Promise<Sent>
  /** Whether sending the same text twice to this target cannot post twice. */
  readonly repeatable: (target: string) => boolean
  readonly maxConcurrent: () => number
  /** Takes known secrets out of a text that is kept. */
  readonly redact: (text: string) => string
  readonly log: Log
}

/** A lease outlives the longest run that the schema lets a route have (a day), and its deliveries. */
const leaseMs = 86_400_000 + 3_600_000

/** Owns the runs in progress and the timer for the next one that is due. */
export class Worker {
  readonly #options: WorkerOptions
  readonly #active = new Set<Promise<void>>()
  readonly #abort = new AbortController()
  #stopped = false
  #taking: Promise<void> | undefined
  #again = false
  /** Until the first run that no dead process had in hand: they are taken one by one. */
  #careful = true
  /** The last try of a run that may have killed the process each time: nobody else is put at risk, or under suspicion. */
  #alone = false
  #cancelTimer: () => void = () => {}

  constructor(options: WorkerOptions) {
    this.#options = options
  }

  /** There may be work: looks at once, and again after each run. */
  wake(): void {
    if (this.#taking) this.#again = true
    else if (this.#room() > 0) this.#taking = this.#takeAll()
  }

  /**
   * Takes no more but the groups that wait (spec: Coalesce 7), lets what runs finish for `ms`, then breaks it off: what is left resumes
   * at the next start. `answered`: no request is in flight any more, so that none joins a group.
   */
  async stop(ms: number, answered: Promise<unknown> = Promise.resolve()): Promise<void> {
    this.#stopped = true
    this.#cancelTimer()
    const { clock } = this.#options
    // Once more when the last request has its answer: it may have joined a group.
    const groups = Promise.all([this.#dispatchGroups(), answered]).then(() => this.#dispatchGroups())
    const done = groups.then(() => this.#idle())
    const late = new Promise<'late'>((resolve) => {
      const cancel = clock.after(ms, () => resolve('late'))
      void done.then(cancel)
    })
    if ((await Promise.race([done, late])) !== 'late') return
    this.#abort.abort()
    await done
  }

  async #idle(): Promise<void> {
    await this.#taking
    await Promise.all(this.#active)
  }

  async #dispatchGroups(): Promise<void> {
    const { store, log, maxConcurrent } = this.#options
    await this.#taking
    try {
      while (!this.#abort.signal.aborted) {
        const free = this.#alone && this.#active.size > 0 ? 0 : maxConcurrent() - this.#active.size
        const leases = free > 0 ? await store.take(free, leaseMs, 'groups') : []
        if (free > 0 && leases.length === 0) return
        for (const lease of leases) this.#start(lease)
        await Promise.race(this.#active)
      }
    } catch (error) {
      log('error', { reason: messageOf(error) }, 'waiting groups stay for the next start')
    }
  }

  /** How many more runs may begin. */
  #room(): number {
    if (this.#stopped || (this.#alone && this.#active.size > 0)) return 0
    const free = this.#options.maxConcurrent() - this.#active.size
    return this.#careful ? Math.min(1, free) : free
  }

  async #takeAll(): Promise<void> {
    do {
      this.#again = false
      await this.#take(this.#room())
    } while (this.#again && this.#room() > 0)
    this.#taking = undefined
  }

  async #take(max: number): Promise<void> {
    const { store, clock, log } = this.#options
    try {
      const leases = await store.take(max, leaseMs)
      if (this.#careful) this.#watchOut(leases[0])
      for (const lease of leases) this.#start(lease)
      if (leases.length < max) this.#sleepUntil(await store.nextDue())
    } catch (error) {
      log('error', { reason: messageOf(error) }, 'cannot take work')
      this.#sleepUntil(clock.monotonic() + storeRetryMs)
    }
  }

  #watchOut(lease: Lease | undefined): void {
    this.#careful = lease?.interrupted === true
    this.#alone = this.#careful && lease !== undefined && lease.attempt === this.#options.policy(lease.run).retry.maxAttempts
    // One was asked for: there may be more.
    if (lease) this.#again = true
  }

  #sleepUntil(at: number | undefined): void {
    this.#cancelTimer()
    if (at === undefined || this.#stopped) return
    const { clock } = this.#options
    this.#cancelTimer = clock.after(Math.max(0, at - clock.monotonic()), () => this.wake())
  }

  #start(lease: Lease): void {
    const running = this.#run(lease)
      .catch((error) => this.#options.log('error', { ...about(lease), reason: messageOf(error) }, 'run left for later: the store failed'))
      .finally(() => {
        this.#active.delete(running)
        this.wake()
      })
    this.#active.add(running)
  }

  async #run(lease: Lease): Promise<void> {
    const { store, log, policy, journal } = this.#options
    const ended = await this.#attempt(lease, policy(lease.run))
    if (ended === 'lost') return this.#takenOver(lease)
    const end = ended.kind === 'done' ? ended : { ...ended, error: this.#options.redact(ended.error) }
    journal.add(entryOf(lease, end, this.#options.clock))
    // Before the store forgets it: a crash in between leaves one line too many, never one too few.
    if (end.kind !== 'again') await journal.flushed()
    const kept = await this.#record(lease, () => store.finish(lease, end))
    if (!kept) this.#takenOver(lease)
    else if (end.kind === 'dead') log('error', { ...about(lease), reason: end.error }, 'run is dead')
    else if (end.kind === 'again') log('warn', { ...about(lease), reason: end.error }, 'run failed, it will be tried again')
  }

  #takenOver(lease: Lease): void {
    this.#options.log('warn', about(lease), 'a run that took too long was taken over by another')
  }

  /** One attempt: the agent unless its reply is stored already, then the delivery. */
  async #attempt(lease: Lease, policy: RunPolicy): Promise<RunEnd | 'lost'> {
    const { store } = this.#options
    // One that an orderly stop broke off is not interrupted: its last attempt is made again.
    if (lease.interrupted && lease.attempt > policy.retry.maxAttempts)
      return { kind: 'dead', error: `out of attempts after ${policy.retry.maxAttempts}: the process ended during each` }
    let reply = lease.reply
    if (reply === undefined) {
      if (lease.interrupted && policy.startsOnce)
        return { kind: 'dead', error: 'the process ended during it, and a job is not started twice' }
      try {
        reply = await this.#ask(lease, policy)
      } catch (error) {
        const failure = `agent: ${messageOf(error)}`
        if (policy.startsOnce) return { kind: 'dead', error: failure }
        return this.#failed(lease, policy, failure, error instanceof AgentFault ? error.retryAfterMs : undefined)
      }
      const answer = reply
      if (!(await this.#record(lease, () => store.keepReply(lease, answer)))) return 'lost'
    }
    return isSilent(reply) ? { kind: 'done', silent: true } : this.#deliver(lease, policy, reply)
  }

  #record(lease: Lease, tell: () => Promise<boolean>): Promise<boolean> {
    const { clock, log } = this.#options
    const failed = (reason: string): void => log('error', { ...about(lease), reason }, 'cannot record a run, trying again')
    return record(tell, { clock, signal: this.#abort.signal, failed })
  }

  async #ask({ run }: Lease, { timeoutMs, model, maxOutputTokens }: RunPolicy): Promise<string> {
    // Not AbortSignal.any with AbortSignal.timeout: each run would leave an entry at the signal that lives as long as the process.
    const asking = new AbortController()
    const stop = (): void => asking.abort(this.#abort.signal.reason)
    const late = setTimeout(() => asking.abort(new DOMException('the run took too long', 'TimeoutError')), timeoutMs)
    this.#abort.signal.addEventListener('abort', stop)
    if (this.#abort.signal.aborted) stop()
    try {
      return await this.#options.runner(promptOf(run), {
        run,
        signal: asking.signal,
        ...(model === undefined ? {} : { model }),
        ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
      })
    } finally {
      clearTimeout(late)
      this.#abort.signal.removeEventListener('abort', stop)
    }
  }

  async #deliver(lease: Lease, policy: RunPolicy, reply: string): Promise<RunEnd | 'lost'> {
    const { store, send, repeatable } = this.#options
    const delivered = await deliver({
      run: lease.run,
      text: reply,
      // Put back by hand: what was given up is tried again.
      progress: lease.attempt === 1 ? lease.progress?.map((each) => (each === true ? each : null)) : lease.progress,
      interrupted: lease.interrupted && lease.reply !== undefined,
      send,
      repeatable,
      signal: this.#abort.signal,
      keep: (progress) => this.#record(lease, () => store.keepReply(lease, reply, progress)),
    })
    if (delivered.kind === 'lost') return 'lost'
    if (delivered.kind === 'done') return { kind: 'done' }
    return delivered.kind === 'failed'
      ? { kind: 'dead', error: delivered.error }
      : this.#failed(lease, policy, delivered.error, delivered.retryAfterMs)
  }

  #failed({ attempt }: Lease, { retry }: RunPolicy, error: string, askedMs?: number): RunEnd {
    const now = this.#options.clock.monotonic()
    // Broken off by the stop, not by itself: due as soon as the next start.
    if (this.#abort.signal.aborted) return { kind: 'again', at: now, error, uncounted: true }
    if (attempt >= retry.maxAttempts) return { kind: 'dead', error }
    return { kind: 'again', at: now + delayAfter(attempt, retry, askedMs), error }
  }
}

const about = ({ run, attempt }: Lease) => ({
  route: run.route || undefined,
  job: run.job,
  profile: run.profile,
  delivery_id: run.deliveryId,
  event_id: run.eventId,
  event_type: run.event,
  attempt,
})
