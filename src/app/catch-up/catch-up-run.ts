/**
 * One catch-up of one route: reads the log of its sender, finds the events that did not come, and has them sent again, the oldest first.
 * After a crash it begins anew: what has come by then is known by its delivery id, and is not asked for again.
 */

import type { Clock } from '../../core/clock.ts'
import type { LogEntry, LogFailure, SenderLog } from '../../parts/sender-logs/sender-log.ts'
import { LoggedEvents } from './judge.ts'

/** The most waits for one answer of the sender that ask for patience. */
const maxWaits = 10
/** The pause between two looks at a gateway that cannot take events. */
const notReadyMs = 5_000
/** The most ids that the store is asked about at once. */
const idsAtOnce = 500
/** How many events a view lists. */
const maxShown = 100

export type Result = 'missing' | 'asked' | 'pulled' | 'here' | 'refused'
/** What became of an event; its `why` is there where the sender refused. */
export type Handled = { readonly entry: LogEntry; readonly result: Result; readonly why?: string }

/** The state of a catch-up, which changes while it runs. `missing`: the events that are neither here nor delivered by the sender's word. */
export type Progress = {
  state: 'waiting' | 'reading' | 'asking' | 'done' | 'failed'
  listed: number
  missing: number
  asked: number
  refused: number
  givenUp: number
  why?: string
  help?: string
  readonly handled: Handled[]
}

export type CatchUpJob = {
  readonly log: SenderLog
  /** Wall time, milliseconds: older entries do not count. */
  readonly since: number
  readonly perMinute: number
  /** Lists the missing events, and asks the sender for none of them. */
  readonly dryRun: boolean
  readonly progress: Progress
}

/** What a catch-up may do to the world. */
export type CatchUpEffects = {
  readonly clock: Clock
  /** Whether the gateway has an event, by its delivery id. */
  readonly held: (deliveryIds: readonly string[]) => Promise<readonly boolean[]>
  /** Whether the gateway takes events now. */
  readonly isReady: () => boolean
  /** Whether events of the route are refused because the route is paused. */
  readonly isPaused: () => boolean
  /** Lets an event that was pulled through the plan of the route. Resolves to why it was not taken; `undefined` where it was. */
  readonly take: (entry: LogEntry & { readonly body: string }) => Promise<string | undefined>
  /** Keeps other gateways from the same catch-up. `false`: another gateway has it. */
  readonly lead: () => Promise<boolean>
  readonly signal: AbortSignal
}

/** Runs to the end, or to a failure, which `progress` tells. Rejects with a StoreFault, and with the reason of `signal`. */
export const runCatchUp = async (job: CatchUpJob, effects: CatchUpEffects): Promise<void> => {
  const { progress } = job
  progress.state = 'reading'
  const logged = new LoggedEvents()
  const failure = await readLog(job, effects, logged)
  if (failure) return fail(progress, failure)
  const { events, givenUp } = logged.undelivered()
  progress.givenUp = givenUp
  const missing = await withoutHeld(events, effects)
  progress.missing = missing.length
  if (job.dryRun) for (const entry of missing) note(progress, { entry, result: 'missing' })
  else {
    const failed = await askForAll(missing, job, effects)
    if (failed) return fail(progress, failed)
  }
  progress.state = 'done'
}

const fail = (progress: Progress, { why, help }: LogFailure): void => {
  Object.assign(progress, { state: 'failed', why, ...(help === undefined ? {} : { help }) })
}

const note = ({ handled }: Progress, each: Handled): void => {
  if (handled.length < maxShown) handled.push(each)
}

/** Reads the pages of the log back to `since`. Resolves to why it could not; `undefined` at the end. */
const readLog = async (
  { log, since, progress }: CatchUpJob,
  effects: CatchUpEffects,
  logged: LoggedEvents,
): Promise<LogFailure | undefined> => {
  let cursor: string | undefined
  const seen = new Set<string>()
  for (;;) {
    const page = await patiently(() => log.read(cursor, since), effects)
    if (!page.ok) return page
    for (const entry of page.entries) if (entry.at >= since) logged.add(entry)
    progress.listed = logged.size
    const { next } = page
    // A page that ends before `since` is the last that counts. A cursor that was there before would go round in circles.
    const isOver = page.entries.length > 0 && page.entries.every(({ at }) => at < since)
    if (next === undefined || isOver || logged.isFull || seen.has(next)) return undefined
    seen.add(next)
    cursor = next
    await effects.lead()
  }
}

/** Asks, and asks again after the waits that the sender asks for. Resolves to the last answer. */
const patiently = async <T extends { readonly ok: true }>(
  ask: () => Promise<T | LogFailure>,
  { clock, signal }: CatchUpEffects,
): Promise<T | LogFailure> => {
  for (let waits = 0; ; waits++) {
    const answer = await ask()
    signal.throwIfAborted()
    if (answer.ok || answer.retryAfterMs === undefined || waits >= maxWaits) return answer
    await pause(answer.retryAfterMs, clock, signal)
  }
}

/** Waits, and rejects with the reason of the signal where that comes first. */
const pause = (ms: number, clock: Clock, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = (): void => {
      cancel()
      reject(signal.reason)
    }
    const cancel = clock.after(ms, () => {
      signal.removeEventListener('abort', stop)
      resolve()
    })
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })

const withoutHeld = async (entries: readonly LogEntry[], { held }: CatchUpEffects): Promise<readonly LogEntry[]> => {
  const missing: LogEntry[] = []
  for (let from = 0; from < entries.length; from += idsAtOnce) {
    const some = entries.slice(from, from + idsAtOnce)
    const known = await held(some.map(({ deliveryId }) => deliveryId))
    missing.push(...some.filter((_, i) => !known[i]))
  }
  return missing
}

/** Resolves to why it ended early; `undefined` where all were asked for. */
const askForAll = async (missing: readonly LogEntry[], job: CatchUpJob, effects: CatchUpEffects): Promise<LogFailure | undefined> => {
  const { progress, perMinute } = job
  const { clock, signal } = effects
  progress.state = 'asking'
  for (const entry of missing) {
    while (!effects.isReady()) await pause(notReadyMs, clock, signal)
    // What is sent again meanwhile would be refused, and the sender would count it as a further failure.
    if (effects.isPaused()) return { ok: false, why: 'the route is paused', help: 'headgate webhook resume lets it take events' }
    // Another gateway that took over goes on with what is left.
    if (!(await effects.lead())) return { ok: false, why: 'another gateway goes on with it' }
    // The sender, or somebody at its page, may have sent the event again since the log was read.
    const [isHere] = await effects.held([entry.deliveryId])
    if (isHere) {
      note(progress, { entry, result: 'here' })
      continue
    }
    const failure = await askFor(entry, job, effects)
    if (failure && !failure.isOfEntry) return failure
    if (failure) progress.refused++
    else progress.asked++
    note(progress, {
      entry,
      result: failure ? 'refused' : entry.body === undefined ? 'asked' : 'pulled',
      ...(failure ? { why: failure.why } : {}),
    })
    await pause(60_000 / perMinute, clock, signal)
  }
  return undefined
}

const askFor = async (entry: LogEntry, { log }: CatchUpJob, effects: CatchUpEffects): Promise<LogFailure | undefined> => {
  const { body } = entry
  if (body !== undefined) {
    const why = await effects.take({ ...entry, body })
    return why === undefined ? undefined : { ok: false, why, isOfEntry: true }
  }
  const { sendAgain } = log
  if (!sendAgain) return { ok: false, why: 'the sender sends nothing again', isOfEntry: true }
  const answer = await patiently(() => sendAgain(entry), effects)
  return answer.ok ? undefined : answer
}
