/**
 * One catch-up of one route: reads the log of its sender, finds the events that did not come, and has them sent again, the oldest first.
 * After a crash the catch-up begins anew: what has come by then is known by its delivery id, and is not asked for again.
 */

import { type Clock, pause } from '../../core/clock.ts'
import { unlessAborted } from '../../core/turns/unless-aborted.ts'
import type { LogEntry, LogFailure, SenderLog } from '../../parts/sender-logs/sender-log.ts'
import { LoggedEvents } from './judge.ts'

/** The most times that the sender may ask to wait before it answers one call. */
const maxWaits = 10
/** The pause between two checks of whether the gateway can take events again. */
const notReadyMs = 5_000
/** The most ids that the store is asked about at once. */
const idsAtOnce = 500
/** The most pages of a log that are read: more than a log of as many events as are judged has, so the log has no end. */
const maxPages = 1_000
/** How often, during a wait, this gateway renews its hold on the catch-up, which keeps other gateways from it. */
const leadEveryMs = 10_000
/** How many events a view lists, and how many characters of an id or a type. */
const [maxShown, maxShownChars] = [100, 200]

const elsewhere: LogFailure = { ok: false, why: 'another gateway does it' }

type Result = 'missing' | 'asked' | 'pulled' | 'here' | 'refused'
/** What became of an event; its `why` is there where the sender refused. `at`: when the sender tried last, wall time. */
type Handled = {
  readonly deliveryId: string
  readonly event: string
  readonly at: number
  readonly result: Result
  readonly why?: string
}

/** The state of a catch-up, which changes while it runs. `missing`: the events that are neither here nor delivered by the sender's word. */
export type Progress = {
  state: 'waiting' | 'reading' | 'asking' | 'done' | 'failed'
  listed: number
  missing: number
  asked: number
  /** The number of events among `asked` that the sender is to send, and that may still fail to come. */
  awaited: number
  refused: number
  givenUp: number
  why?: string
  help?: string
  /** Until when the catch-up waits because the sender asked it to wait, wall time, and why. Absent while it does not wait. */
  senderWait?: { readonly until: number; readonly why: string }
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

/** What a catch-up needs of the gateway, and may do in it. */
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
  /** Keeps other gateways from the same catch-up for a minute. `false`: another gateway has it. */
  readonly lead: () => Promise<boolean>
  readonly signal: AbortSignal
}

/** Whether a catch-up ended because another gateway on the store does it. */
export const isElsewhere = ({ why }: Pick<Progress, 'why'>): boolean => why === elsewhere.why

/** Runs to the end, or to a failure, which `progress` tells. Rejects with a StoreFault, and with the reason of `signal`. */
export const runCatchUp = async (job: CatchUpJob, effects: CatchUpEffects): Promise<void> => {
  const { progress } = job
  if (!(await effects.lead())) return fail(progress, elsewhere)
  progress.state = 'reading'
  const logged = new LoggedEvents()
  const failure = await readLog(job, effects, logged)
  if (failure) return fail(progress, failure)
  const { events, givenUp } = logged.undelivered()
  progress.givenUp = givenUp
  const missing = await withoutHeld(events, effects)
  progress.missing = missing.length
  const failed = job.dryRun ? listAll(missing, progress) : await askForAll(missing, job, effects)
  // What could not be read may hide further events: the next catch-up begins where this one began.
  const { gap } = logged
  if (failed) fail(progress, failed)
  else if (gap !== undefined) fail(progress, { ok: false, why: `${gap}; other events of the log were seen to` })
  else progress.state = 'done'
}

const fail = (progress: Progress, { why, help }: LogFailure): void => {
  Object.assign(progress, { state: 'failed', why, ...(help === undefined ? {} : { help }) })
}

const note = ({ handled }: Progress, { deliveryId, event, at }: LogEntry, result: Result, why?: string): void => {
  if (handled.length >= maxShown) return
  const shown = { deliveryId: deliveryId.slice(0, maxShownChars), event: event.slice(0, maxShownChars), at, result }
  handled.push(why === undefined ? shown : { ...shown, why })
}

const listAll = (missing: readonly LogEntry[], progress: Progress): undefined => {
  for (const entry of missing) note(progress, entry, 'missing')
}

/** Reads the pages of the log back to `since`. Resolves to why a page could not be read; `undefined` where all were read. */
const readLog = async (job: CatchUpJob, effects: CatchUpEffects, logged: LoggedEvents): Promise<LogFailure | undefined> => {
  const { log, since, progress } = job
  let cursor: string | undefined
  const seen = new Set<string>()
  for (;;) {
    const page = await askWithWaits(() => log.read(cursor, since), job, effects)
    if (!page.ok) return page
    for (const entry of page.entries) if (entry.at >= since) logged.add(entry)
    logged.unreadable += page.unreadable
    progress.listed = logged.size
    const { next } = page
    // A page that ends before `since` is the last that counts.
    const isOver = page.entries.length > 0 && page.entries.every(({ at }) => at < since)
    if (next === undefined || isOver || logged.isFull) return undefined
    // A cursor that came before would lead to the same pages again, without end.
    if (seen.has(next) || seen.size >= maxPages) {
      logged.isEndless = true
      return undefined
    }
    seen.add(next)
    cursor = next
    if (!(await effects.lead())) return elsewhere
  }
}

/** Calls `ask`, and calls it again after each wait that the sender asks for. Resolves to the last answer. */
const askWithWaits = async <T extends { readonly ok: true }>(
  ask: () => Promise<T | LogFailure>,
  { progress }: CatchUpJob,
  effects: CatchUpEffects,
): Promise<T | LogFailure> => {
  for (let waits = 0; ; waits++) {
    const answer = await unlessAborted(ask(), effects.signal)
    if (answer.ok || answer.retryAfterMs === undefined || waits >= maxWaits) return answer
    progress.senderWait = { until: effects.clock.now() + answer.retryAfterMs, why: answer.why }
    const lost = await wait(answer.retryAfterMs, effects)
    delete progress.senderWait
    if (lost) return lost
  }
}

/** Waits, and keeps the catch-up from other gateways meanwhile. Resolves to a failure where another gateway took over. */
const wait = async (ms: number, { clock, signal, lead }: CatchUpEffects): Promise<LogFailure | undefined> => {
  let left = ms
  do {
    const part = Math.min(left, leadEveryMs)
    await pause(part, clock, signal)
    signal.throwIfAborted()
    if (!(await lead())) return elsewhere
    left -= part
  } while (left > 0)
  return undefined
}

const withoutHeld = async (entries: readonly LogEntry[], { held }: CatchUpEffects): Promise<readonly LogEntry[]> => {
  const missing: LogEntry[] = []
  for (let from = 0; from < entries.length; from += idsAtOnce) {
    const some = entries.slice(from, from + idsAtOnce)
    const known = await held(some.map(({ deliveryId }) => deliveryId))
    missing.push(...some.filter((_, i) => !known[i]))
  }
  return missing
}

/** Asks the sender for all missing events. Resolves to why the asking ended early; `undefined` where all were asked for. */
const askForAll = async (missing: readonly LogEntry[], job: CatchUpJob, effects: CatchUpEffects): Promise<LogFailure | undefined> => {
  const { log, progress, perMinute } = job
  if (log.byHand !== undefined && missing.length > 0) {
    listAll(missing, progress)
    return { ok: false, why: `${missing.length} events did not come, and the sender sends again by hand only`, help: log.byHand }
  }
  progress.state = 'asking'
  let paceMs = 0
  for (const entry of missing) {
    const hindrance = (await wait(paceMs, effects)) ?? (await untilReady(effects))
    if (hindrance) return hindrance
    // The sender, or somebody at its page, may have sent the event again since the log was read.
    const [isHere] = await effects.held([entry.deliveryId])
    paceMs = isHere ? 0 : 60_000 / perMinute
    if (isHere) {
      note(progress, entry, 'here')
      continue
    }
    const failure = await askFor(entry, job, effects)
    if (failure && !failure.isOfEntry) return failure
    if (failure) progress.refused++
    else progress.asked++
    note(progress, entry, failure ? 'refused' : entry.body === undefined ? 'asked' : 'pulled', failure?.why)
  }
  return undefined
}

/** Waits until the gateway takes events. Resolves to why no event can be asked for; `undefined` where events can be asked for. */
const untilReady = async (effects: CatchUpEffects): Promise<LogFailure | undefined> => {
  while (!effects.isReady()) {
    const lost = await wait(notReadyMs, effects)
    if (lost) return lost
  }
  // What is sent again meanwhile would be refused, and the sender would count it as a further failure.
  return effects.isPaused() ? { ok: false, why: 'the route is paused', help: 'headgate webhook resume lets it take events' } : undefined
}

const askFor = async (entry: LogEntry, job: CatchUpJob, effects: CatchUpEffects): Promise<LogFailure | undefined> => {
  const { body } = entry
  if (body !== undefined) {
    const why = await effects.take({ ...entry, body })
    return why === undefined ? undefined : { ok: false, why, isOfEntry: true }
  }
  const { sendAgain } = job.log
  if (!sendAgain) return { ok: false, why: 'the sender sends nothing again', isOfEntry: true }
  const answer = await askWithWaits(() => sendAgain(entry), job, effects)
  if (!answer.ok) return answer
  job.progress.awaited++
  return undefined
}
