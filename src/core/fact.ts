/** What happened: one stream, told once where it happens; the log and the journal observe it, and whoever comes next. */

import type { ChatAddress } from './agent/session.ts'
import type { Outcome, Reply } from './outcome.ts'
import type { EventFacts, Headers, UnverifiedRequest, VerifiedRequest } from './request.ts'

/** How a request ended, and which stage decided; it leaves a record once its signature held. */
export type Ended = {
  readonly outcome: Outcome
  readonly stage: string
  readonly verified?: VerifiedRequest
  /** Absent where the body could not be read. */
  readonly event?: EventFacts | undefined
  /** What the sender gets, where the route shapes its answers. */
  readonly reply?: Reply
  /** What nobody vouched for, where its signature was refused. */
  readonly unverified?: UnverifiedRequest
  /** Looks at the body after the answer, and gives the end that is told to observers. The outcome stays the same. */
  readonly later?: (body: Buffer) => Ended | Promise<Ended>
}

/** The parts of a request with a refused signature that are kept, so that the signature can be verified again. */
export type KeptRefusal = {
  readonly body: Buffer
  /** Names of the headers that hold the signature. In other records these headers are masked. */
  readonly signedIn: readonly string[]
  /** The address that the sender posted to; empty where the signature does not cover the address. */
  readonly address: string
  readonly isProxied: boolean
}

export type RequestEnded = {
  readonly kind: 'request_ended'
  readonly ended: Ended
  /** The route that took it, once one was found. */
  readonly route: { readonly name: string; readonly profile: string } | undefined
  /** As they came: nobody vouched for them, unless it is verified. */
  readonly headers: Headers
  readonly remote: () => string
  /** Milliseconds from its head to its end; 0 for a replay. */
  readonly ms: () => number
  /** The event that this one repeats; `isEdited`: with another body. */
  readonly replay?: { readonly of: string; readonly isEdited: boolean }
  /** The record that a refused signature leaves: few do. `at`: wall time, milliseconds. `counted`: its route has had its share of the minute. */
  readonly refusal?: { readonly eventId: string; readonly at: number; readonly kept?: KeptRefusal | undefined } | 'counted'
}

/** Of whom a run or a text is. `route` is empty for a run of a schedule. */
type Cause = { readonly profile: string; readonly route: string; readonly deliveryId: string; readonly job?: string | undefined }

/** What an agent took for a run, in one attempt. */
export type RunUsage = {
  /** Calls of a model. */
  readonly steps: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** In the operator's currency; absent where a price is not known. */
  readonly cost?: number
  /** How often each tool was called. */
  readonly tools: { readonly [name: string]: number }
}

export type RunAttempt = Cause & {
  readonly eventId: string
  readonly eventType: string
  /** 1 for the first. */
  readonly attempt: number
  /** Where its reply went, or goes. */
  readonly target: string
  readonly merged?: { readonly group: string; readonly count: number } | undefined
  /** What the agent was given, and what it said, in this attempt or an earlier one. */
  readonly prompt: string
  readonly reply?: string | undefined
  /** Absent where no model was asked. */
  readonly usage?: RunUsage | undefined
  /** What the targets that took the text in this attempt said of it. */
  readonly answers: readonly string[]
  readonly end:
    | { readonly kind: 'done'; readonly silent: boolean }
    | { readonly kind: 'dead'; readonly error: string }
    /** `nextAt`: wall time, milliseconds. */
    | { readonly kind: 'again'; readonly error: string; readonly nextAt: number }
}

/** The names of configured routes that a reload added, changed and removed. */
export type RouteChanges = { readonly added: readonly string[]; readonly changed: readonly string[]; readonly removed: readonly string[] }

/** Times are wall times, milliseconds. */
export type Fact =
  | RequestEnded
  /** Signatures of a route that were refused in a minute beyond those that left a record. `route` is empty for those of many routes. */
  | {
      readonly kind: 'signatures_refused'
      readonly at: number
      readonly eventId: string
      readonly profile: string
      readonly route: string
      readonly count: number
    }
  /** A scheduled job began, which no request brought. */
  | {
      readonly kind: 'job_started'
      readonly at: number
      readonly eventId: string
      readonly profile: string
      readonly job: string
      readonly deliveryId: string
    }
  /** Told before the store hears of it: a crash in between leaves one record too many, never one too few. */
  | { readonly kind: 'attempt_ended'; readonly at: number; readonly run: RunAttempt }
  /** The store has it. */
  | { readonly kind: 'attempt_committed'; readonly run: RunAttempt }
  /** A dead run was put back by hand. */
  | { readonly kind: 'run_revived'; readonly at: number; readonly eventId: string }
  /** What the `log` target says. */
  | { readonly kind: 'text_logged'; readonly cause: Cause; readonly text: string }
  /** It goes out although a repeat of it could not be recognised. */
  | { readonly kind: 'text_goes_once'; readonly cause: Cause; readonly target: string; readonly why: string }
  /** `ok: false`: it was not. `place`: the chat that has it; absent for a target that is no chat. */
  | {
      readonly kind: 'text_sent'
      readonly cause: Cause
      readonly target: string
      readonly ok: boolean
      readonly text: string
      readonly place?: ChatAddress
    }
  | { readonly kind: 'config_replaced'; readonly routes: number; readonly changes: RouteChanges; readonly needRestart: readonly string[] }
  | { readonly kind: 'config_refused' }

export interface Observer {
  /** Hears of each fact in order. Never throws, and holds nobody up. */
  on(fact: Fact): void
  /** Resolves when what it keeps of the facts so far is kept, or cannot be. Never rejects. */
  flushed?(): Promise<void>
}

/** The stream. */
export interface Facts {
  tell(fact: Fact): void
  /** From now on. */
  observe(observer: Observer): void
  flushed(): Promise<void>
}

export const createFacts = (): Facts => {
  const observers: Observer[] = []
  return {
    tell(fact) {
      for (const observer of observers) observer.on(fact)
    },
    observe(observer) {
      observers.push(observer)
    },
    async flushed() {
      await Promise.all(observers.map((observer) => observer.flushed?.()))
    },
  }
}
