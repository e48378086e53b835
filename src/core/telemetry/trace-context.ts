/**
 * Trace contexts, as W3C Trace Context has them (`traceparent`). They are written as version 00. The id of an event's trace is made from the event's id,
 * unless a trusted caller gave one. So nothing is stored for a trace, and an attempt days later still finds its place in it.
 */

import { hash, randomBytes } from 'node:crypto'
import { header } from '../headers.ts'
import type { Headers } from '../request.ts'

/** A `traceparent` that was read. `traceId`: 32, `spanId`: 16 hexadecimal digits. */
export type TraceContext = { readonly traceId: string; readonly spanId: string; readonly isSampled: boolean }

/** A span's place in its trace. `traceparent`: the context that the span hands on. `parentId`: the id of the span that it is part of. */
export type SpanPlace = { readonly traceparent: string; readonly parentId?: string | undefined }

/** What decides the trace of an event. `traceparent`: that of the caller, where the route trusts the caller. */
type TracedEvent = { readonly eventId: string; readonly traceparent?: string | undefined }

/** Knows the place of the request that brought an event, or of the start of a job. */
export interface EventTraces {
  placeOf(event: TracedEvent): SpanPlace
  traceIdOf(event: TracedEvent): string
  /**
   * Whether the trace of an event is sampled, where the event came without the context of a trusted caller. `uuid`: the event's id, which
   * is a random UUID, as that of each request is.
   */
  isSampled(uuid: string): boolean
}

const form = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/
const formUnits = 55

/**
 * Reads a `traceparent`; `undefined` for any other text. Later versions begin as version 00 does, and may have more behind a hyphen. There
 * is no version ff.
 */
export const parseTraceparent = (text: string): TraceContext | undefined => {
  const hasMore = text.length > formUnits
  if (hasMore && (text.startsWith('00') || text[formUnits] !== '-')) return undefined
  const [, traceId, spanId, flags] = form.exec(hasMore ? text.slice(0, formUnits) : text) ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

/** Reads the `traceparent` of a place, which this program made. */
export const contextOf = ({ traceparent }: Pick<SpanPlace, 'traceparent'>): TraceContext => ({
  traceId: traceparent.slice(3, 35),
  spanId: traceparent.slice(36, 52),
  isSampled: traceparent.endsWith('1'),
})

const traceparentText = ({ traceId, spanId, isSampled }: TraceContext): string => `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`

/** Returns the `traceparent` that a request brought, as version 00; `undefined` where it brought none that can be read. */
export const broughtTraceparent = (headers: Headers): string | undefined => {
  const context = parseTraceparent(header(headers, 'traceparent') ?? '')
  return context && traceparentText(context)
}

/** Makes a place below a span, with a span id of its own. `traceparent`: that of the span; `undefined` while traces are off. */
export const spanPlaceBelow = (traceparent: string | undefined): SpanPlace | undefined => {
  if (traceparent === undefined) return undefined
  const parent = contextOf({ traceparent })
  return { traceparent: traceparentText({ ...parent, spanId: randomBytes(8).toString('hex') }), parentId: parent.spanId }
}

const randomUuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Returns the trace id of an event in the form of a UUID: the event's id. An id that is no random UUID gives digits of its hash. */
const uuidOf = (id: string): string =>
  randomUuid.test(id) ? id : hash('sha256', id).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, '$1-$2-$3-$4-$5')

const digitsOf = (uuid: string): string => uuid.slice(0, 8) + uuid.slice(9, 13) + uuid.slice(14, 18) + uuid.slice(19, 23) + uuid.slice(24)

/** Returns the id of the trace of an event that came without the context of a trusted caller. */
export const traceIdOfEvent = (eventId: string): string => digitsOf(uuidOf(eventId))

/**
 * The number of a trace id's last digits that decide whether the trace is sampled. Their 56 bits are random (W3C, level 2). In a UUID these
 * digits begin at `randomAt`, and a hyphen follows the second digit.
 */
const randomDigits = 14
const randomAt = 21

/**
 * Returns the least end of a UUID that a sampled trace may have. Most traces are not sampled, so texts are compared as they are: to take
 * the digits of the id out would cost as much as all else that is done for such a trace.
 */
const leastSampled = (ratio: number): string => {
  const digits = BigInt(Math.ceil((1 - ratio) * 2 ** (4 * randomDigits))).toString(16)
  // Every text of hexadecimal digits sorts before the letter g.
  return digits.length > randomDigits ? 'g' : digits.padStart(randomDigits, '0').replace(/^../, '$&-')
}

/**
 * Makes the traces of events. `ratio`: the share of traces that are sampled, from 0 to 1. The trace of a caller is sampled where the caller
 * samples it.
 */
export const createEventTraces = (ratio: number): EventTraces => {
  const least = leastSampled(ratio)
  const isSampled = (uuid: string): boolean => uuid.slice(randomAt) >= least
  const callerOf = ({ traceparent }: TracedEvent): TraceContext | undefined =>
    traceparent === undefined ? undefined : parseTraceparent(traceparent)
  return {
    isSampled,
    traceIdOf: (event) => callerOf(event)?.traceId ?? traceIdOfEvent(event.eventId),
    placeOf(event) {
      const uuid = uuidOf(event.eventId)
      const traceId = digitsOf(uuid)
      const spanId = traceId.slice(0, 16)
      const caller = callerOf(event)
      if (caller) return { traceparent: traceparentText({ ...caller, spanId }), parentId: caller.spanId }
      return { traceparent: traceparentText({ traceId, spanId, isSampled: isSampled(uuid) }) }
    },
  }
}
