/**
 * Calls a platform's HTTP API once, with limits of time and size, and with errors that quote neither the address nor the credential. Also
 * decides, after an answer that is not a success, whether the text may be sent again.
 */

import { CallFailure, callFailure } from '../../../core/calls/call-failure.ts'
import { callServer } from '../../../core/calls/call-server.ts'
import { type Json, type JsonObject, own, parseObject } from '../../../core/json.ts'
import { excerpt, printable } from '../../../core/text.ts'
import { createRedactor } from '../../../secrets/redact.ts'
import { parseRetryAfter } from '../../retry-after.ts'
import type { Unsent } from '../target.ts'

const maxAnswerBytes = 256 * 1024
const longestWaitMs = 3_600_000

/** One call. Its body is `json`, `form` or `text`; a call without any of them has no body. The default method is POST. */
export type ApiRequest = {
  readonly method?: 'GET' | 'HEAD' | 'PATCH' | 'POST' | 'PUT'
  /** The host must contain no secret, because errors may show it. */
  readonly url: string
  readonly headers?: { readonly [name: string]: string }
  readonly json?: Json
  readonly form?: { readonly [name: string]: string }
  /** A body that is neither JSON nor a form. The caller gives its content type in `headers`. */
  readonly text?: string
  /** The most bytes of the answer's body; default 256 KiB. */
  readonly maxAnswerBytes?: number
}

/** The answer of an API. Where none came, it has `failure`, the status 0, and no header and body. */
export type ApiAnswer = {
  readonly failure?: CallFailure
  readonly status: number
  readonly header: (name: string) => string | undefined
  /** The body as a JSON object; empty when the body is no JSON object. */
  readonly body: JsonObject
  /** The body as text, without the credential. */
  readonly text: string
  /** `false` when the body broke off or was too long. */
  readonly whole: boolean
  /** The wait that the header Retry-After asks for, at most an hour; `undefined` where the header is missing or malformed. */
  readonly retryAfterMs: number | undefined
}

const noAnswer = (failure: CallFailure): ApiAnswer => ({
  failure,
  status: 0,
  header: () => undefined,
  body: {},
  text: '',
  whole: false,
  retryAfterMs: undefined,
})

/**
 * Makes one call, which may take `timeoutMs` from the connection to the end of the answer's body. `now`: returns the wall time in
 * milliseconds. Never rejects.
 */
export const callApi = async (request: ApiRequest, timeoutMs: number, now: () => number): Promise<ApiAnswer> => {
  if (!URL.canParse(request.url)) return noAnswer(new CallFailure('unsent', 'its address is not a URL'))
  const { text: body, headers } = bodyOf(request)
  try {
    const answer = await callServer(request.url, {
      method: request.method ?? 'POST',
      headers: { 'user-agent': 'headgate', accept: 'application/json', ...headers, ...request.headers },
      body,
      timeoutMs: Math.ceil(timeoutMs),
      maxAnswerBytes: request.maxAnswerBytes ?? maxAnswerBytes,
      reads: 'any',
    })
    const text = withoutCredential(answer.bytes.toString('utf8'), request)
    return {
      status: answer.status,
      header: (name) => answer.headers.get(name) ?? undefined,
      body: parseObject(text) ?? {},
      text,
      whole: answer.whole,
      retryAfterMs: parseRetryAfter(answer.headers.get('retry-after') ?? '', now()),
    }
  } catch (thrown) {
    return noAnswer(callFailure(thrown))
  }
}

/** The headers that have a credential: of GitLab the second. */
const credentialHeaders = ['authorization', 'private-token']

/**
 * Removes the credential of a header from an answer, because an API may quote the credential that it refuses. Callers redact the settings,
 * but the header may have the base64 form of a setting.
 */
const withoutCredential = (text: string, { headers = {} }: ApiRequest): string =>
  createRedactor(credentialHeaders.map((name) => own(headers, name)?.split(' ').at(-1) ?? ''))(text)

const bodyOf = ({ json, form, text }: ApiRequest): { readonly text?: string; readonly headers: { readonly [name: string]: string } } => {
  if (json !== undefined) return { text: JSON.stringify(json, wellFormed), headers: { 'content-type': 'application/json; charset=utf-8' } }
  if (form) return { text: new URLSearchParams(form).toString(), headers: { 'content-type': 'application/x-www-form-urlencoded' } }
  return text === undefined ? { headers: {} } : { text, headers: {} }
}

/**
 * A replacer for `JSON.stringify`. Encoding a text as UTF-8 and decoding it replaces lone surrogates. JSON would write lone surrogates as
 * escapes, which many APIs refuse.
 */
const wellFormed = (_: string, value: unknown): unknown => (typeof value === 'string' ? Buffer.from(value).toString() : value)

/**
 * Returns the first of these fields of an API's answer that is a filled text or a number: cut at 200 characters, safe to show. `undefined`
 * where there is none.
 */
export const answerText = (body: JsonObject, ...keys: readonly string[]): string | undefined => {
  for (const key of keys) {
    const value = own(body, key)
    if (typeof value === 'string' && value !== '') return printable(excerpt(value, 200))
    if (typeof value === 'number') return String(value)
  }
  return undefined
}

/**
 * Joins these fields of an API's answer by blanks, for example a code and its message: each cut at 200 characters, safe to show.
 * `undefined` where there is none.
 */
export const allAnswerTexts = (body: JsonObject, ...keys: readonly string[]): string | undefined =>
  keys.flatMap((key) => answerText(body, key) ?? []).join(' ') || undefined

/** What a target knows of an answer that is not a success. */
export type ApiRefusal = {
  readonly why?: string | undefined
  /** Whether posting again cannot post twice, for example because the API recognises a repeat. */
  readonly idempotent: boolean
  /**
   * The wait before another attempt, used in place of Retry-After: the API gave it in the body or in another header, or the target sets it,
   * because the API does not say how long to wait.
   */
  readonly retryAfterMs?: number | undefined
  /** Whether the answer means "not now", whatever its status is, and nothing was posted. */
  readonly limited?: boolean
}

/**
 * Makes the failure of a sending from an answer that is not a success. Another attempt is allowed (`repeatable`) when nothing was posted:
 * there was no connection, or the answer was "not now" (`limited`, 429, or 503 with a wait). When posting again cannot post twice
 * (`idempotent`), another attempt is also allowed after an answer that is missing, broken off, 408, 425 or 5xx. The receiver counts as down
 * after a missing answer, "not now" and 5xx, and as up after any other answer.
 */
export const failureFromAnswer = (answer: ApiAnswer, { why, idempotent, retryAfterMs, limited = false }: ApiRefusal): Unsent => {
  const { failure, status } = answer
  if (failure) return { ok: false, why: failure.message, repeatable: failure.kind === 'unsent' || idempotent, receiver: 'down' }
  const asked = retryAfterMs ?? answer.retryAfterMs
  const wait = asked === undefined ? undefined : Math.min(longestWaitMs, Math.max(0, Math.ceil(asked)))
  const later = limited || status === 429 || (status === 503 && wait !== undefined)
  const broken = status >= 500 || status === 408 || status === 425 || (status < 300 && !answer.whole)
  const reason =
    why ?? (status < 300 ? 'not how this API tells of success' : status < 400 ? 'a redirect, which is not followed' : undefined)
  const shown = `HTTP ${status}${reason === undefined ? '' : `: ${reason}`}`
  const receiver = later || status >= 500 ? 'down' : 'up'
  return {
    ok: false,
    why: shown,
    repeatable: later || (broken && idempotent),
    receiver,
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
  }
}
