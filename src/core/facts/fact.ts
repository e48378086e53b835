/** Facts: things that happened. Each fact is emitted once, where it happens, to the observers (the log, the journal and others). */

import type { ExactObject } from '../json.ts'
import type { AwaitedAnswer, Outcome, Reply } from '../outcome.ts'
import type { EventFacts, Headers, UnverifiedRequest, VerifiedRequest } from '../request.ts'
import type { RunEnd } from '../run-end.ts'
import type { ChatAddress } from '../session.ts'
import type { SpanPlace } from '../telemetry/trace-context.ts'

/** The wait of a stage of a request, for a script, say, or for the store: times of the monotonic clock, milliseconds. */
export type StageWait = { readonly stage: string; readonly startMs: number; readonly endMs: number }

/** How a request ended, and the stage that decided. A request whose signature held leaves a record. */
export type EndedRequest = {
  readonly outcome: Outcome
  readonly stage: string
  /** Present where the signature held. */
  readonly verified?: VerifiedRequest
  /** The event that was made of the body; absent where the request ended before that, or the body makes no event. */
  readonly event?: EventFacts | undefined
  /** The events of a request that was split or dispatched, in order. */
  readonly items?: readonly EndedItem[] | undefined
  /** The answer to the sender, where the route shapes its answers. Otherwise the answer follows from the outcome. */
  readonly reply?: Reply | undefined
  /** Present where the answer waits for the reply of the event's run. */
  readonly awaited?: AwaitedAnswer | undefined
  /** The request that the check of its signature refused: nobody vouched for its content. */
  readonly unverified?: UnverifiedRequest
  /** The stages that waited, in their order; absent where none did, and while traces are off. */
  readonly waits?: readonly StageWait[] | undefined
  /**
   * Present where the request is answered before its signature is checked. Takes the body, which is read after the answer, and returns the
   * end that observers receive: with the same outcome, and with the verified request where the signature holds.
   */
  readonly later?: (body: Buffer) => EndedRequest | Promise<EndedRequest>
}

/**
 * How one of several events of a request ended, and the stage that decided. `index`: the place of the event's item in the request, from 0;
 * 0 where the request was not split.
 */
export type EndedItem = { readonly outcome: Outcome; readonly stage: string; readonly event: EventFacts; readonly index: number }

/** The parts of a request with a refused signature that are kept, so that the signature can be verified again. */
export type KeptRefusal = {
  readonly body: Buffer
  /** Names of the headers that hold the signature. In other records these headers are masked. */
  readonly signedIn: readonly string[]
  /** The address that the sender posted to; empty where the signature does not cover the address. */
  readonly address: string
  /** Whether a trusted proxy handed the request on. */
  readonly isProxied: boolean
}

export type RequestEnded = {
  readonly kind: 'request_ended'
  readonly ended: EndedRequest
  /** The route that served the request; `undefined` where the request ended before a route was found. */
  readonly route: { readonly name: string; readonly profile: string } | undefined
  /** The headers as they came. Nobody vouched for them unless the request was verified. */
  readonly headers: Headers
  readonly remote: () => string
  /** Milliseconds from the request's head to its end; 0 for a replay. */
  readonly ms: () => number
  /**
   * Present for one of several events of a request: the event id of the request, and the place of the event's item in it, from 0. `by`: the
   * route that dispatched the event to its own; absent where `route` received it.
   */
  readonly batch?: { readonly of: string; readonly index: number; readonly by?: string | undefined }
  /**
   * Present for a replay. `of`: the id of the event that is replayed. `isEdited`: the replay has another body than that event. `by`: the
   * route that dispatched the event again.
   */
  readonly replay?: { readonly of: string; readonly isEdited: boolean; readonly by?: string | undefined }
  /**
   * The record of a refused signature; its body is kept where `kept` is present. `at`: wall time, milliseconds. `'counted'`: the route has
   * used up its records of refusals for this minute, so this refusal is only counted. Absent for any other end, and where all routes
   * together have used up their records.
   */
  readonly refusal?: { readonly eventId: string; readonly at: number; readonly kept?: KeptRefusal | undefined } | 'counted'
}

/** The event or job behind a run or a text. `route` is empty for the run of a schedule. */
type Cause = {
  readonly profile: string
  readonly route: string
  readonly deliveryId: string
  readonly job?: string | undefined
  /** The span of this fact in the trace of its event; absent while traces are off. */
  readonly span?: SpanPlace | undefined
}

/** The attempt at a run behind a call of a model or of a tool. */
export type RunCause = Cause & { readonly eventId: string; readonly attempt: number }

export type RunUsage = {
  /** Calls of a model. */
  readonly steps: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** In the operator's currency; absent where a price is not known. */
  readonly cost?: number
  /** The cost, or a part of it, is what the agent itself said. */
  readonly isCostTold?: boolean
  /** How often each tool was called. */
  readonly tools: { readonly [name: string]: number }
  /** The id of the session that the agent keeps itself. */
  readonly session?: string
  /** The names of the tools that were refused to the agent by its own rules. */
  readonly refused?: readonly string[]
}

/** A call of a tool by an agent. The three last members are absent where the attempt ended before the call did. */
export type ToolCallMade = {
  readonly toolset: string
  readonly tool: string
  readonly input: ExactObject
  ms?: number
  ok?: boolean
  /** The tool's text, or why it failed. */
  result?: string
}

export type RunAttempt = Cause & {
  readonly eventId: string
  readonly eventType: string
  /** The number of the attempt, from 1. */
  readonly attempt: number
  /** The name of the run's agent. Absent for the default agent, and for a job whose agent was not asked. */
  readonly agent?: string | undefined
  /** The target of the reply. */
  readonly target: string
  /** The run's group: the id of the event that opened it, and the number of its events. Absent for a run of one event. */
  readonly merged?: { readonly group: string; readonly count: number } | undefined
  readonly prompt: string
  /** The agent's reply, from this attempt or an earlier attempt. */
  readonly reply?: string | undefined
  /** Absent where no model was asked. */
  readonly usage?: RunUsage | undefined
  /** The calls of tools in this attempt, in the order in which they began. */
  readonly toolCalls: readonly ToolCallMade[]
  /** The answers of the targets that took the text in this attempt. */
  readonly answers: readonly string[]
  /** When the run was accepted, and when this attempt began: wall times, milliseconds. */
  readonly acceptedAt: number
  readonly startedAt: number
  /** The length of the attempt, in milliseconds. */
  readonly ms: number
  /** When the attempt ended: wall time, milliseconds. The next attempt of a run that is tried again is counted from here. */
  readonly endedAt: number
  /** Of a run that was cancelled or has expired, `attempt` counts the attempts before. */
  readonly end: RunEnd
}

/** The names of the configured routes that a reload added, changed and removed, and of the sections around the routes that it changed. */
export type RouteChanges = {
  readonly added: readonly string[]
  readonly changed: readonly string[]
  readonly removed: readonly string[]
  readonly sections?: readonly string[]
}

/** The run is without anything that its sender wrote. `at`: wall time, milliseconds. `attempts`: the number of attempts so far. */
type RunErased = {
  readonly kind: 'run_erased'
  readonly at: number
  readonly run: {
    readonly eventId: string
    readonly profile: string
    readonly route: string
    readonly eventType: string
    readonly attempts: number
  }
}

/**
 * The end of a catch-up of a route. `since`: how far back it looked. `listed`: the deliveries in the sender's log since then. `asked`: those that
 * the sender was asked to send again, or that were pulled. `awaited`: those that the sender is to send. `refused`: those that the sender
 * would not send again. `givenUp`: those that were sent again too often. `why`: why it ended early, absent where it came to its end.
 * `isElsewhere`: it ended early because another gateway on the store does it. Times are wall times, milliseconds.
 */
export type CatchUpEnded = {
  readonly kind: 'catch_up_ended'
  readonly at: number
  readonly profile: string
  readonly route: string
  readonly from: string
  readonly since: number
  readonly listed: number
  readonly asked: number
  readonly awaited: number
  readonly refused: number
  readonly givenUp: number
  readonly why?: string | undefined
  readonly isElsewhere: boolean
}

/**
 * How a question of a lookup ended. `kept`: by an answer that was kept. `limited`: the server takes no questions now, or too many wait for
 * it.
 */
export type LookupResult = 'answered' | 'kept' | 'limited' | 'failed'

/** Who makes something of facts of many kinds. Whoever waits for one kind alone needs no name here. */
export type FactReader = 'alerts' | 'catch_up' | 'journal' | 'log' | 'metrics' | 'replies' | 'traces' | 'traffic'

/** A fact, and the readers that receive it. A reader's observer (`Observer`) must take each of its facts, and no other. */
type Entry<Readers extends FactReader, Told extends { readonly kind: string }> = { readonly readers: Readers; readonly fact: Told }

/** Times are wall times, milliseconds. */
type Entries =
  | Entry<'alerts' | 'catch_up' | 'journal' | 'log' | 'metrics' | 'traces' | 'traffic', RequestEnded>
  /** Within a minute, `count` refused signatures of a route left no record. `route` is empty where they are of many routes. */
  | Entry<
      'journal',
      {
        readonly kind: 'signatures_refused'
        readonly at: number
        readonly eventId: string
        readonly profile: string
        readonly route: string
        readonly count: number
      }
    >
  /** A scheduled job was started, by its schedule or by hand, and not by a request. */
  | Entry<
      'journal' | 'metrics' | 'traces',
      {
        readonly kind: 'job_started'
        readonly at: number
        readonly eventId: string
        readonly profile: string
        readonly job: string
        readonly deliveryId: string
      }
    >
  /** The store has the agent's reply to the run of an event, and it will be delivered. Empty where the agent asked that nothing be sent. */
  | Entry<'replies', { readonly kind: 'run_replied'; readonly eventId: string; readonly reply: string }>
  /**
   * The end of an attempt, emitted before the store commits that end. A crash in between leaves a record too many, never one too few.
   */
  | Entry<'journal' | 'replies' | 'traces', { readonly kind: 'attempt_ended'; readonly run: RunAttempt }>
  /** The store has committed the end of the attempt. */
  | Entry<'alerts' | 'log' | 'metrics' | 'traffic', { readonly kind: 'attempt_committed'; readonly run: RunAttempt }>
  /** An operator revived a dead run. */
  | Entry<'journal', { readonly kind: 'run_revived'; readonly at: number; readonly eventId: string }>
  /** The data of an event were erased, and its run ended by that: it was neither done nor dead. */
  | Entry<'journal' | 'replies', RunErased>
  /** The text that went to the `log` target. */
  | Entry<'log', { readonly kind: 'text_logged'; readonly cause: Cause; readonly text: string }>
  /** A text is about to be sent, and its target could not recognise a repeat of it. */
  | Entry<'log', { readonly kind: 'text_goes_once'; readonly cause: Cause; readonly target: string; readonly why: string }>
  /**
   * The sending of a text ended. `ok: false`: it failed, or the target did not answer in time and may have the text all the same.
   * `chatAddress`: the chat that the text goes to; absent for targets without chats.
   */
  | Entry<
      'metrics' | 'traces',
      {
        readonly kind: 'text_sent'
        readonly cause: Cause
        readonly target: string
        readonly ok: boolean
        readonly text: string
        readonly chatAddress?: ChatAddress
        /** When the sending of the text began: wall time, in milliseconds since 1970. `ms`: how many milliseconds it took. */
        readonly startedAt: number
        readonly ms: number
      }
    >
  /** An agent called a model. `ok: false`: the call failed. */
  | Entry<
      'metrics' | 'traces',
      {
        readonly kind: 'model_called'
        readonly cause: RunCause
        readonly provider: string
        readonly model: string
        readonly ok: boolean
        readonly inputTokens: number
        readonly outputTokens: number
        readonly startedAt: number
        readonly ms: number
      }
    >
  /** An agent called a tool. `toolset`: the toolset that has the tool. */
  | Entry<
      'metrics' | 'traces',
      {
        readonly kind: 'tool_called'
        readonly cause: RunCause
        readonly toolset: string
        readonly tool: string
        readonly ok: boolean
        readonly startedAt: number
        readonly ms: number
      }
    >
  /** A budget is used up, so the run ended. `key`: the key of the configuration that has the budget, such as `day_tokens`. */
  | Entry<'alerts' | 'metrics', { readonly kind: 'budget_used_up'; readonly at: number; readonly cause: RunCause; readonly key: string }>
  /**
   * The breaker of a target's address opened, let a trial through, opened again because the trial failed, or closed. `openedAt`: since when
   * the breaker has not been closed. It equals `at` when the breaker opens, and a failed trial does not change it. `retryAt`: when the
   * breaker lets the next trial through. `reason`: the last failure. `isReset`: an operator closed the breaker, and nobody knows whether
   * the target works. `isAsked`: the breaker opened only because the receiver asked to wait. Where the receiver then proves to be down,
   * a later change comes without `isAsked`, and its `openedAt` equals `at`.
   */
  | Entry<
      'alerts' | 'log' | 'metrics',
      {
        readonly kind: 'breaker_changed'
        readonly at: number
        readonly target: string
        /** The address without path, query and secrets, such as `https://chat.example.org`; empty where the target has one address only. */
        readonly address: string
        readonly state: 'open' | 'half_open' | 'closed'
        readonly reason: string
        readonly openedAt: number
        readonly retryAt?: number | undefined
        readonly isReset?: boolean
        readonly isAsked?: boolean
      }
    >
  /**
   * A payload does not fit the schema of its route. `action`: what becomes of the event. `why` names the place and keys of the payload, and
   * no values.
   */
  | Entry<
      'alerts' | 'log' | 'metrics',
      {
        readonly kind: 'payload_mismatched'
        readonly at: number
        readonly eventId: string
        readonly profile: string
        readonly route: string
        readonly action: 'ignore' | 'refuse' | 'warn'
        readonly why: string
      }
    >
  /**
   * An event lacks fields that its route redacts, so nothing was hidden there. `fields`: these fields, as the route names them. `first`:
   * those that an event lacked for the first time since the route was compiled.
   */
  | Entry<
      'log' | 'metrics',
      {
        readonly kind: 'redaction_missed'
        readonly eventId: string
        readonly profile: string
        readonly route: string
        readonly fields: readonly string[]
        readonly first: readonly string[]
      }
    >
  /** A question of a lookup ended. `lookup`: the name of its part. */
  | Entry<'metrics', { readonly kind: 'lookup_ended'; readonly lookup: string; readonly result: LookupResult }>
  /** A script of a route ended. `ms`: how long it took, including the wait for a slot. */
  | Entry<'metrics', { readonly kind: 'script_ended'; readonly ok: boolean; readonly ms: number }>
  /** A list at a web address was asked for. `list`: its address without what may let in. `ok: false`: there is no newer list. */
  | Entry<'metrics', { readonly kind: 'list_fetched'; readonly list: string; readonly ok: boolean }>
  /**
   * The store ended a commit. `calls`: the number of calls in it. `ms`: the time since the first of these calls. `ok: false`:
   * the commit failed, and its calls were refused.
   */
  | Entry<'metrics', { readonly kind: 'commit_ended'; readonly ok: boolean; readonly calls: number; readonly ms: number }>
  /** Lines of the event records could not be written. Accepted work is not lost with them: it is in the store. */
  | Entry<'metrics', { readonly kind: 'records_lost'; readonly lines: number }>
  /** The gateway became ready for requests, or ceased to be. `reason`: why it should get no requests; absent where it is ready. */
  | Entry<'alerts', { readonly kind: 'readiness_changed'; readonly at: number; readonly reason?: string | undefined }>
  /** A reload took over a configuration with `routes` routes. `needRestart`: changed settings that only a restart takes over. */
  | Entry<
      'alerts' | 'catch_up' | 'log',
      { readonly kind: 'config_replaced'; readonly routes: number; readonly changes: RouteChanges; readonly needRestart: readonly string[] }
    >
  /** A reload found a configuration that cannot be used. The gateway keeps the configuration that it has. */
  | Entry<'alerts' | 'log', { readonly kind: 'config_refused' }>
  | Entry<'catch_up' | 'log', CatchUpEnded>
  /** The gateway shows other certificates from now on. `endsAt`: when the first of them ends: wall time, milliseconds. */
  | Entry<'alerts' | 'log', { readonly kind: 'certificates_replaced'; readonly endsAt: number }>
  /** Files of certificates have changed, and cannot be used. The gateway keeps the certificates that it has. */
  | Entry<'alerts' | 'log', { readonly kind: 'certificates_refused'; readonly reason: string }>
  /** A certificate in use ends soon. This fact is reported once a day. */
  | Entry<'log', { readonly kind: 'certificate_ends_soon'; readonly file: string; readonly endsAt: number }>

export type Fact = Entries['fact']

/** The facts that a reader receives. */
export type ReadBy<Name extends FactReader> = Read<Name, Entries>
type Read<Name extends FactReader, Each> = Each extends Entry<infer Readers, infer Told> ? (Name extends Readers ? Told : never) : never
