/** The contract of lookups: a lookup asks a server for a fact that the payload of an event lacks. */

import type { Report } from '../../core/diagnostic.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { Lookup } from '../../generated/config.ts'

/** A question under `lookup` of a route, with references resolved. */
export type LookupSpec = Lookup

/**
 * Templates for one value of a question: the first counts for which the event has a value. `use`: `value` for a name or number, `address`
 * for a web address, in which each value is percent-encoded. `isOptional`: nothing lacks where the event has no value.
 */
export type Fill = { readonly use: 'value' | 'address'; readonly texts: readonly string[]; readonly isOptional?: true }

/** The values of a question that the event has filled in, by key. A value that the event does not have is absent. */
export type FilledValues = { readonly [key: string]: string }

/** Why a question has no answer. */
export type LookupFailure = {
  readonly ok: false
  /** What happened, without secrets and without values of the payload. */
  readonly why: string
  /** The question itself is wrong, so that asking it again gives nothing. */
  readonly isFinal?: true
  /** The wait that the server asks for, in milliseconds. */
  readonly retryAfterMs?: number
}

/** The answer to a question. `text`: the value as JSON; `null` where the server knows of nothing. */
export type LookupAnswer = { readonly ok: true; readonly text: string } | LookupFailure

/** What to get from a server. `isPublicOnly`: nothing is asked in a private network or on this machine. */
export type LookupRequest = {
  readonly url: string
  readonly headers: { readonly [name: string]: string }
  readonly maxBytes: number
  readonly isPublicOnly: boolean
}

/** A success of a server with its JSON; or that there is nothing at the address (`absent`: HTTP 404 and 410). */
export type Got =
  | {
      readonly ok: true
      readonly absent?: never
      readonly text: string
      readonly payload: Json
      readonly header: (name: string) => string | undefined
    }
  | { readonly ok: true; readonly absent: true }
  | LookupFailure

/** What a lookup may use while it asks. */
export type LookupKit = {
  /** The environment of the route's profile. */
  readonly env: { readonly [name: string]: string | undefined }
  /** The settings of the part's `platform` in the route's profile, with those from the environment; empty without one. */
  readonly settings: JsonObject
  /**
   * Gets a JSON text, within the time that the lookups of the event have left, and in turn with other questions to the same host. A redirect
   * is a failure. Never rejects.
   */
  readonly get: (request: LookupRequest) => Promise<Got>
}

/**
 * A kind of server that can be asked.
 * @example
 * lookup: { owner: { http: "https://inventory.example.org/hosts/{host}", path: data.owner } }
 */
export type LookupPart = {
  /** The key of a question that names the part. */
  readonly name: string
  /** The name for people. */
  readonly title: string
  /** The section of `platforms` whose settings the part gets. */
  readonly platform?: string
  /** Returns the keys that are read of a question, besides those of all questions. */
  reads(spec: LookupSpec): readonly (keyof LookupSpec)[]
  /** Reports settings that cannot work, at their path in the question. */
  check(spec: LookupSpec, report: Report): void
  /** Returns the templates of a question, by the keys under which their values are handed over. */
  fills(spec: LookupSpec): { readonly [key: string]: Fill }
  /**
   * Returns why a question is not asked: `unfilled`, where the event lacks a value of it, so that there is nothing to know; or that a value
   * has a form which no server should be asked for. `undefined`: it is asked.
   */
  unasked(spec: LookupSpec, values: FilledValues): 'unfilled' | LookupFailure | undefined
  /** Returns the credential of its questions, which tells the kept answers of two credentials apart. */
  token?(spec: LookupSpec, kit: Pick<LookupKit, 'env' | 'settings'>): string | undefined
  /** Returns the setting without which the server gives no answer, for people; `undefined` where none lacks. */
  lacks?(spec: LookupSpec, kit: Pick<LookupKit, 'env' | 'settings'>): string | undefined
  /** Asks. Called only where `unasked` returns `undefined`. Never rejects. */
  ask(spec: LookupSpec, values: FilledValues, kit: LookupKit): Promise<LookupAnswer>
  /**
   * Examples, which are tested: for a question and its values, the answers of the server by their addresses (absent ones are 404), and the
   * value that comes of them.
   */
  readonly examples: readonly {
    readonly spec: LookupSpec
    readonly values: FilledValues
    readonly answers: { readonly [url: string]: Json }
    readonly value: Json
  }[]
}

/** A question with its values, as it is asked. */
export type LookupQuestion = {
  readonly profile: string
  /** The name of the lookup. */
  readonly name: string
  readonly part: LookupPart
  readonly spec: LookupSpec
  readonly values: FilledValues
  /** The monotonic time until which the answer is waited for, in milliseconds. */
  readonly deadline: number
  /** The question is asked anew: no answer that is kept counts. */
  readonly isFresh?: true
}

/** Asks a question. Resolves to `undefined` where nothing is asked, as in dry runs. Never rejects. */
export type AskLookup = (question: LookupQuestion) => Promise<LookupAnswer | undefined>
