/** The protocol of the control socket, for both sides: how much one request asks, and the shape of each answer. */

import type { Conversation, KnownSession, RunStanding, Status } from '../../app/live/operations.ts'
import type { Refusals } from '../../app/live/refusals.ts'
import type { FailedReload, Reloaded } from '../../app/live/reload.ts'
import type { Replayed } from '../../app/live/replay.ts'
import type { TailLine } from '../../app/live/tails.ts'
import type { Traffic } from '../../app/live/traffic.ts'
import type { Place as Chat, SessionMessage } from '../../core/agent/session.ts'
import { type Code, catalogue, type Diagnostic, type Edit, type Fix, type Place } from '../../core/diagnostic.ts'
import type { RouteChanges } from '../../core/fact.ts'
import { isObject, type Json, own } from '../../core/json.ts'
import type { RunningJob } from '../../runs/worker.ts'
import type { JobStart } from '../../schedule/start-job.ts'

/** The most event ids in one request. */
export const maxIds = 1_000

/** Whether an answer has its shape. The gateway may be of another version than the program that asks it. */
export type Check<T> = (value: unknown) => value is T

const text: Check<string> = (value) => typeof value === 'string'
const number: Check<number> = (value) => typeof value === 'number'
const flag: Check<boolean> = (value) => typeof value === 'boolean'
const json = (value: unknown): value is Json => value !== undefined

const oneOf =
  <T extends string | boolean | null>(...words: readonly T[]): Check<T> =>
  (value): value is T =>
    words.some((word) => word === value)

const either =
  <A, B>(a: Check<A>, b: Check<B>): Check<A | B> =>
  (value): value is A | B =>
    a(value) || b(value)

const maybe =
  <T>(check: Check<T>): Check<T | undefined> =>
  (value): value is T | undefined =>
    value === undefined || check(value)

const listOf =
  <T>(check: Check<T>): Check<readonly T[]> =>
  (value): value is readonly T[] =>
    Array.isArray(value) && value.every(check)

/** Checks the members of an object. Further members are allowed, because a later version may add some. */
const shape =
  <T>(members: { readonly [Name in keyof T]-?: Check<T[Name]> }): Check<T> =>
  (value): value is T =>
    isObject(value) && Object.entries<Check<unknown>>(members).every(([name, holds]) => holds(own(value, name)))

export const isStatus = shape<Status>({
  pid: number,
  url: text,
  started_at: text,
  reloaded_at: either(text, oneOf(null)),
  reload_failed: either(shape<FailedReload>({ at: text, reason: text }), oneOf(null)),
  need_restart: listOf(text),
  changed_files: listOf(text),
  routes: number,
  jobs: number,
  backlog: either(number, oneOf(null)),
  stopping: flag,
  refused: (value): value is Refusals => isObject(value) && Object.values(value).every(number),
})

const isPlace = shape<Place>({ file: text, line: number, column: number, endLine: number, endColumn: number })

const isDiagnostic = shape<Diagnostic>({
  code: (value): value is Code => text(value) && Object.hasOwn(catalogue, value),
  severity: oneOf('error', 'warning', 'info'),
  stopsStart: flag,
  message: text,
  help: maybe(text),
  suggest: maybe(listOf(text)),
  place: maybe(isPlace),
  pointer: text,
  route: maybe(text),
  fix: maybe(shape<Fix>({ title: text, safe: flag, edits: listOf(shape<Edit>({ place: isPlace, text })) })),
  related: maybe(listOf(shape({ place: isPlace, message: text }))),
})

const isChanges = shape<RouteChanges>({ added: listOf(text), changed: listOf(text), removed: listOf(text) })

export const isReloaded = shape<Reloaded>({ ok: flag, diagnostics: listOf(isDiagnostic), restart: listOf(text), changes: isChanges })

const isStanding = shape<RunStanding>({
  eventId: text,
  state: oneOf('waiting', 'running', 'dead'),
  attempt: number,
  dueAt: maybe(number),
  error: maybe(text),
})

export const hasStandings = shape<{ readonly standings: readonly RunStanding[] }>({ standings: listOf(isStanding) })

export const isStopping = shape<{ readonly stopping: boolean }>({ stopping: flag })
export const hasRetried = shape<{ readonly retried: boolean }>({ retried: flag })

type Found = Extract<Replayed, { readonly found: true }>

export const isReplayed: Check<Replayed> = either(
  shape<Exclude<Replayed, Found>>({ found: oneOf(false), why: text }),
  shape<Found>({
    found: oneOf(true),
    event_id: maybe(text),
    status: number,
    outcome: text,
    reason: maybe(text),
    stage: text,
    note: maybe(text),
    starts: maybe(
      shape<NonNullable<Found['starts']>>({
        mode: oneOf('agent', 'direct', 'job', 'group'),
        prompt: text,
        target: text,
        extra: json,
      }),
    ),
  }),
)

type Started = Extract<JobStart, { readonly started: true }>

export const isJobStart: Check<JobStart> = either(
  shape<Started>({ started: oneOf(true), event_id: text, job: text }),
  shape<Exclude<JobStart, Started>>({
    started: oneOf(false),
    reason: oneOf('job_running', 'job_missing', 'job_ambiguous', 'job_disabled'),
    jobs: maybe(listOf(text)),
  }),
)

const isRunningJob = shape<RunningJob>({ profile: text, job: text, event_id: text, since: text })

export const hasJobs = shape<{ readonly jobs: readonly RunningJob[] }>({ jobs: listOf(isRunningJob) })

const isSession = shape<KnownSession>({
  key: text,
  profile: text,
  route: text,
  name: text,
  place: maybe(shape<Chat>({ platform: text, chat: text, thread: maybe(text) })),
  messages: number,
  createdAt: number,
  updatedAt: number,
})

export const hasSessions = shape<{ readonly sessions: readonly KnownSession[] }>({ sessions: listOf(isSession) })

const isMessage = shape<SessionMessage>({ role: oneOf('user', 'assistant'), text, at: number, label: maybe(text) })

export const hasConversation = shape<{ readonly conversation: Conversation | null }>({
  conversation: either(shape<Conversation>({ session: isSession, messages: listOf(isMessage) }), oneOf(null)),
})

type LineOf<T extends TailLine['type']> = Extract<TailLine, { readonly type: T }>

const textOrNull = either(text, oneOf(null))
const numberOrNull = either(number, oneOf(null))
const whose = { at: text, event_id: textOrNull, profile: textOrNull, route: textOrNull, event_type: textOrNull, delivery_id: textOrNull }

const isTraffic: Check<Traffic> = either(
  either(
    shape<LineOf<'event'>>({ type: oneOf('event'), ...whose, bytes: numberOrNull, remote: textOrNull }),
    shape<LineOf<'outcome'>>({
      type: oneOf('outcome'),
      ...whose,
      status: numberOrNull,
      outcome: text,
      stage: textOrNull,
      duration_ms: numberOrNull,
      reason: textOrNull,
      target: textOrNull,
    }),
  ),
  shape<LineOf<'delivery'>>({
    type: oneOf('delivery'),
    ...whose,
    state: oneOf('done', 'dead', 'waiting'),
    attempt: number,
    job: textOrNull,
    target: textOrNull,
    error: textOrNull,
    next_at: textOrNull,
    silent: flag,
  }),
)

export const isTailLine: Check<TailLine> = either(
  isTraffic,
  either(
    either(shape<LineOf<'init'>>({ type: oneOf('init'), at: text }), shape<LineOf<'lost'>>({ type: oneOf('lost'), lines: number })),
    shape<LineOf<'end'>>({ type: oneOf('end'), reason: text }),
  ),
)
