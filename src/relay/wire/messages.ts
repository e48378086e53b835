/** What a relay and a gateway tell each other in the heads of frames, and the addresses that they use. */

import { isObject, type Json, type JsonObject } from '../../core/json.ts'
import type { Reply } from '../../core/outcome.ts'

/** The paths of the relay below a gateway's address, and the header with the name of the gateway process that asks. */
export const takePath = '/relay/v1/take'
export const donePath = '/relay/v1/done'
export const statusPath = '/relay/v1/status'
export const pullerHeader = 'x-relay-taker'
/** Says with `done` that the process takes nothing more, so that other processes get its routes at once. */
export const leavingHeader = 'x-relay-leaving'

/** A text that a gateway process may choose as its name. */
export const pullerForm = /^[\w-]{8,64}$/

/** How long a relay keeps a gateway that asks waiting for requests, in milliseconds. */
export const longestWaitMs = 25_000

/** The most bytes of what a relay hands over at once, of what a gateway answers at once, and of one answer to a sender. */
export const maxTakenBytes = 64 * 1024 * 1024
export const maxDoneBytes = 8 * 1024 * 1024
export const maxReplyBytes = 1024 * 1024

/** The head of the first frame that a relay hands over: about the relay itself. */
export type RelayHead = {
  /** The name of the relay's database. With the number of a request it is a name that no other request ever gets. */
  readonly relay: string
  /** How long the relay keeps a request, in milliseconds. */
  readonly keepMs: number
  /** The time by the relay's clock, in milliseconds since 1970. Absent from an older relay. */
  readonly now?: number
  /**
   * The number of requests that the relay keeps for the gateway. `bytes`: their size. `oldestAt`: when the oldest of them came, in
   * milliseconds since 1970.
   */
  readonly items: number
  readonly bytes: number
  readonly oldestAt?: number
}

/** The head of a request that a relay hands over; its bytes are the body. */
export type ItemHead = {
  /** The number of a kept request, or the name of one that is not kept. */
  readonly id: string
  /** The name of the lane whose requests are taken in their order. */
  readonly lane: string
  readonly method: string
  /** Path and query without the name of the gateway. */
  readonly target: string
  /** The address as the sender sees it. */
  readonly url: string
  /** Names and values by turns, as they came. */
  readonly headers: readonly string[]
  /** The client's address. */
  readonly remote: string
  /** When the head of the request came, in milliseconds since 1970. */
  readonly at: number
}

/** Whether a request is kept by its relay, which gave it a number. A request that is not kept is answered once, whatever the answer is. */
export const isKept = (id: string): boolean => /^\d+$/.test(id)

/** The head of an answer that a gateway gives; its bytes are the body for the sender. */
export type DoneHead = {
  readonly id: string
  readonly status: number
  readonly type: string
  readonly headers?: Reply['headers']
}

const isTexts = (value: Json | undefined): value is string[] => Array.isArray(value) && value.every((each) => typeof each === 'string')
const isCount = (value: Json | undefined): value is number => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0

/** Returns the head of a relay's first frame; `undefined` where it is none. */
export const relayHead = ({ relay, keepMs, items, bytes, oldestAt, now }: JsonObject): RelayHead | undefined => {
  if (typeof relay !== 'string' || !isCount(keepMs) || !isCount(items) || !isCount(bytes)) return undefined
  return { relay, keepMs, items, bytes, ...(isCount(oldestAt) ? { oldestAt } : {}), ...(isCount(now) ? { now } : {}) }
}

/** Returns the head of a request; `undefined` where it is none. */
export const itemHead = ({ id, lane, method, target, url, headers, remote, at }: JsonObject): ItemHead | undefined => {
  const isText = typeof id === 'string' && typeof lane === 'string' && typeof method === 'string' && typeof target === 'string'
  if (!isText || typeof url !== 'string' || typeof remote !== 'string') return undefined
  if (!isTexts(headers) || headers.length % 2 !== 0 || !isCount(at)) return undefined
  return { id, lane, method, target, url, headers, remote, at }
}

/** Returns the head of an answer; `undefined` where it is none. */
export const doneHead = ({ id, status, type, headers }: JsonObject): DoneHead | undefined => {
  if (typeof id !== 'string' || !isCount(status) || status < 200 || status > 599 || typeof type !== 'string') return undefined
  if (headers === undefined) return { id, status, type }
  if (!isObject(headers) || !isTexts(Object.values(headers))) return undefined
  return { id, status, type, headers: headers as { readonly [name: string]: string } }
}
