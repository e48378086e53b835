/**
 * A polling endpoint of Svix: a queue at the sender that a receiver reads over TLS with a token
 * (https://docs.svix.com/advanced-destinations/polling-endpoints; the types are those of `MessagePoller` and `MessagePollerv2` in the
 * package `svix`). The sender keeps the position of each consumer. There are two kinds. `/poller/` gives an iterator with each page: whoever
 * asks with that iterator has taken the page. `/polling-endpoint/` numbers its messages, and is told the number of the last that was taken.
 */

import type { Clock } from '../../core/clock.ts'
import type { Report } from '../../core/diagnostic.ts'
import { exactJson } from '../../core/exact-json.ts'
import { isOfConnection, isOwnHeader } from '../../core/headers.ts'
import { type ExactJson, type ExactObject, isObject, own } from '../../core/json.ts'
import type { Headers } from '../../core/request.ts'
import { renderJson } from '../../expr/render.ts'
import type { Route } from '../../generated/config.ts'
import { type ApiAnswer, answerText, callApi } from '../targets/delivery/api.ts'

/** The settings under `poll` of a route, with references resolved. */
export type PollSettings = NonNullable<Route['poll']>

/** A message as the sender made it. `headers`: those that its webhook would have had besides, their names in lower case. */
export type PolledMessage = { readonly id: string; readonly eventType: string; readonly headers: Headers; readonly body: string }

/**
 * A page of messages, the oldest first. `malformed`: how many others are no messages of this API. `isLast`: whether there is nothing behind
 * the page now. `position`: what the next reading sends to acknowledge this page; `undefined` where there is nothing to acknowledge.
 */
export type PolledPage = {
  readonly ok: true
  readonly messages: readonly PolledMessage[]
  readonly malformed: number
  readonly isLast: boolean
  readonly position: string | undefined
}

/** Why a page could not be read. */
export type PollFailure = {
  readonly ok: false
  /** What happened, without secrets, to be shown to the operator. */
  readonly why: string
  /** The wait that the sender asks for. */
  readonly retryAfterMs?: number | undefined
  /** The page has more bytes than are read. A page of fewer messages may have less. */
  readonly isTooLong?: true
  /** The sender takes the position for none of its own, as after a `seek`: it knows its own position. */
  readonly isBadPosition?: true
}

const maxCallMs = 20_000
/** The most bytes of a page. */
const maxPageBytes = 4 * 1024 * 1024
const maxIdUnits = 256
const maxTokenUnits = 4_096
const maxHeaders = 64

const endpointForm = /^(?<endpoint>.*\/(?<kind>poller|polling-endpoint)\/[\w.-]{1,128})(?:\/consumer\/(?<consumer>[\w.-]{1,128}))?\/?$/
/** The consumer whose position the sender keeps, where the address names none. */
const usualConsumer = 'headgate'
const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

type Endpoint = { readonly url: string; readonly isNumbered: boolean }

/** Returns the endpoint that an address names; where it names none, why not. */
export const endpointOf = (address: string): Endpoint | { readonly why: string; readonly help: string } => {
  const help = 'copy the address from the page of the endpoint: https://api.eu.svix.com/api/v1/app/app_…/poller/poll_…'
  if (!URL.canParse(address)) return { why: 'poll.url is no address', help }
  const { protocol, hostname, origin, pathname, search, hash, username, password } = new URL(address)
  if (protocol !== 'https:' && !(protocol === 'http:' && loopback.test(hostname)))
    return { why: 'poll.url is not https, so others could read the token and the events', help: 'write https://' }
  if (username !== '' || password !== '' || search !== '' || hash !== '')
    return { why: 'poll.url has more than a host and a path', help: 'the key of the endpoint stands in poll.token' }
  const found = endpointForm.exec(pathname)?.groups
  if (!found) return { why: 'poll.url is not the address of a polling endpoint of Svix', help }
  return { url: `${origin}${found.endpoint}/consumer/${found.consumer ?? usualConsumer}`, isNumbered: found.kind === 'polling-endpoint' }
}

/** Reports what cannot work in `poll` of a route; nothing where the route has none. */
export const checkPoll = ({ poll }: Pick<Route, 'poll'>, report: Report): void => {
  const endpoint = poll && endpointOf(poll.url)
  if (endpoint && 'why' in endpoint) report('WH237', ['poll', 'url'], endpoint.why, endpoint.help)
}

/**
 * Reads the next page, with at most `limit` messages. `taken`: the position of the page that was taken before; absent where the sender is to
 * go on from what it knows was taken. Never rejects.
 */
export const pollPage = async (
  { url: address, token }: PollSettings,
  { taken, limit }: { readonly taken: string | undefined; readonly limit: number },
  { now }: Pick<Clock, 'now'>,
): Promise<PolledPage | PollFailure> => {
  const endpoint = endpointOf(address)
  if ('why' in endpoint) return { ok: false, why: endpoint.why }
  const { url, isNumbered } = endpoint
  const headers = { authorization: `Bearer ${token}` }
  const query = new URLSearchParams({ limit: String(limit) })
  if (taken !== undefined && isNumbered) {
    const told = await callApi({ url: `${url}/commit`, headers, json: { offset: Number(taken) } }, maxCallMs, now)
    if (!isSuccess(told)) return failureOf(told, true)
  } else if (taken !== undefined) query.set('iterator', taken)
  const answer = await callApi({ method: 'GET', url: `${url}?${query}`, headers, maxAnswerBytes: maxPageBytes }, maxCallMs, now)
  if (!isSuccess(answer)) return failureOf(answer, taken !== undefined && !isNumbered)
  if (!answer.whole) return { ok: false, why: `a page of ${limit} messages broke off, or is larger than 4 MiB`, isTooLong: true }
  return pageOf(answer.text, isNumbered) ?? { ok: false, why: `HTTP ${answer.status}, and no page of messages` }
}

const isSuccess = ({ status }: ApiAnswer): boolean => status >= 200 && status <= 299

/** Statuses that say nothing of the position: who asks, and when. */
const notOfPosition = new Set([401, 403, 408, 425, 429])

const failureOf = (answer: ApiAnswer, hasPosition: boolean): PollFailure => {
  if (answer.failure) return { ok: false, why: answer.failure.message }
  const { status, body, retryAfterMs } = answer
  const said = answerText(body, 'detail', 'message', 'code')
  const isBadPosition = hasPosition && status >= 400 && status <= 499 && !notOfPosition.has(status)
  const why = `HTTP ${status}${said === undefined ? '' : `: ${said}`}`
  return { ok: false, why, retryAfterMs, ...(isBadPosition ? { isBadPosition } : {}) }
}

const parsed = (text: string): ExactJson | undefined => {
  try {
    return exactJson(text)
  } catch {
    return undefined
  }
}

const pageOf = (text: string, isNumbered: boolean): PolledPage | undefined => {
  const page = parsed(text)
  const data = isObject(page) ? own(page, 'data') : undefined
  if (!isObject(page) || !Array.isArray(data)) return undefined
  const messages = data.flatMap(messageOf)
  const position = isNumbered ? offsetOf(data.at(-1)) : messageBody(own(page, 'iterator'), maxTokenUnits)
  // Without its position a page could not be acknowledged, and would come again for ever.
  if (position === undefined && data.length > 0) return undefined
  return { ok: true, messages, malformed: data.length - messages.length, isLast: own(page, 'done') === true, position }
}

const offsetOf = (message: ExactJson | undefined): string | undefined => {
  const offset = isObject(message) ? own(message, 'offset') : undefined
  return Number.isSafeInteger(offset) ? String(offset) : undefined
}

const messageBody = (value: ExactJson | undefined, maxUnits: number): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= maxUnits ? value : undefined

const messageOf = (message: ExactJson): readonly PolledMessage[] => {
  if (!isObject(message)) return []
  const [id, eventType] = [messageBody(own(message, 'id'), maxIdUnits), messageBody(own(message, 'eventType'), maxIdUnits)]
  const payload = own(message, 'payload')
  if (id === undefined || eventType === undefined || payload === undefined) return []
  const headers = own(message, 'headers')
  return [{ id, eventType, headers: isObject(headers) ? headersOf(headers) : {}, body: renderJson(payload, Number.POSITIVE_INFINITY, 0) }]
}

/** Takes the headers that could stand in a request and do not describe its body; the first 64 of them. */
const headersOf = (headers: ExactObject): Headers => {
  const usable = Object.entries(headers)
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => !isOfConnection(name) && !isOwnHeader(name) && !name.startsWith('content-'))
    .filter(
      (header): header is readonly [string, string] =>
        /^[a-z0-9-]{1,128}$/.test(header[0]) && typeof header[1] === 'string' && /^[\t\x20-\x7e\x80-\xff]{0,4096}$/.test(header[1]),
    )
  return Object.fromEntries(usable.slice(0, maxHeaders))
}
