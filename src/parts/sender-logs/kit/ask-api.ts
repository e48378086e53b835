/** Asks a sender's API with a token, and words its refusals alike for all sender logs. */

import { isObject, type Json, type JsonObject } from '../../../core/json.ts'
import { type ApiAnswer, answerText, callApi } from '../../targets/delivery/api.ts'
import type { CatchUpSettings, LogEntry, LogFailure, LogPage, SenderLogKit } from '../sender-log.ts'

const maxCallMs = 20_000
/** The most bytes of a page: logs that repeat each payload are long. */
const maxPageBytes = 8 * 1024 * 1024
/** The wait after a refusal by a rate limit that names no time: the longest window of the known rate limits. */
const limitedMs = 60_000
/** The wait after a failure on the way to the sender, such as a 502 or a broken connection. */
const brokenMs = 15_000

export type LogAnswer = { readonly ok: true; readonly answer: ApiAnswer; readonly json: Json } | LogFailure

export type LogRequest = {
  readonly method?: 'GET' | 'POST'
  readonly url: string
  readonly headers: { readonly [name: string]: string }
}

/** Asks once. `right`: what the token must be allowed, for the message of a refusal. */
export const askApi = async (question: LogRequest, right: string, { clock }: Pick<SenderLogKit, 'clock'>): Promise<LogAnswer> => {
  const answer = await callApi({ method: 'GET', ...question, maxAnswerBytes: maxPageBytes }, maxCallMs, clock.now)
  if (answer.failure) return { ok: false, why: `the log was not reached: ${answer.failure.message}`, retryAfterMs: brokenMs }
  const { status } = answer
  if (status < 200 || status > 299) return failureOf(answer, right, clock.now())
  if (Buffer.byteLength(answer.text) > maxPageBytes) return { ok: false, why: `HTTP ${status}, and more than ${maxPageBytes} bytes` }
  const json = parsed(answer.text)
  return json === undefined || !answer.whole
    ? { ok: false, why: `HTTP ${status}, and no JSON`, retryAfterMs: brokenMs }
    : { ok: true, answer, json }
}

/** Parses the body of an answer. An answer without a body, such as a 202 or 204, gives an empty map. */
const parsed = (text: string): Json | undefined => {
  try {
    return text.trim() === '' ? {} : (JSON.parse(quoteLongNumbers(text)) as Json)
  } catch {
    return undefined
  }
}

/** Puts ids of 16 digits and more in quotes, because a number of JSON.parse would lose their last digits. No text has `"id":` in it. */
export const quoteLongNumbers = (text: string): string => text.replace(/("id": ?)(\d{16,30})(?=[,}\s])/g, '$1"$2"')

/** Words an answer that is no success. `now`: wall time, for limits that name the time at which they end. */
const failureOf = (answer: ApiAnswer, right: string, now: number): LogFailure => {
  const { status, retryAfterMs } = answer
  const said = answerText(answer.body, 'message', 'error')
  const why = `HTTP ${status}${said === undefined ? '' : `: ${said}`}`
  const waitMs = retryAfterMs ?? untilReset(answer, now)
  const isLimited = status === 429 || (status === 403 && (waitMs !== undefined || /rate limit|abuse/i.test(said ?? '')))
  if (isLimited) return { ok: false, why, retryAfterMs: Math.max(1_000, waitMs ?? limitedMs) }
  if (status >= 500 || status === 408) return { ok: false, why, retryAfterMs: retryAfterMs ?? brokenMs }
  if (status === 401 || status === 403 || status === 404) return { ok: false, why, help: right }
  if (status < 400)
    return { ok: false, why, help: 'redirects are not followed, because the token would go along: the settings must name the new place' }
  return { ok: false, why }
}

/** Returns the wait of `X-RateLimit-Reset` or `RateLimit-Reset` (seconds since 1970) where nothing is left; at most an hour. */
const untilReset = ({ header }: ApiAnswer, now: number): number | undefined => {
  const left = header('x-ratelimit-remaining') ?? header('ratelimit-remaining')
  const reset = Number(header('x-ratelimit-reset') ?? header('ratelimit-reset'))
  if (left !== '0' || !Number.isFinite(reset)) return undefined
  return Math.min(3_600_000, Math.max(0, reset * 1_000 - now))
}

/**
 * Makes the entries of a page from its list. `entryOf` returns `undefined` for an item that is not in the form which the sender describes.
 * Without a list the answer is no page of the log: an empty page would count as a log without events.
 */
export const entriesOf = (list: Json | undefined, entryOf: (item: JsonObject) => LogEntry | undefined): LogPage | LogFailure => {
  if (!Array.isArray(list)) return { ok: false, why: 'the answer has no list of deliveries' }
  const entries = list.flatMap((item) => (isObject(item) ? (entryOf(item) ?? []) : []))
  return { ok: true, entries, unreadable: list.length - entries.length }
}

/** Adds the cursor of the next page. */
export const withNext = (page: LogPage | LogFailure, next: string | undefined): LogPage | LogFailure =>
  page.ok && next !== undefined ? { ...page, next } : page

/** Returns the web address of the sender's API: `api_base`, or else the usual address; without a slash at its end. */
export const logApiBase = ({ api_base: written }: CatchUpSettings, usual: string): string => (written ?? usual).replace(/\/+$/, '')
