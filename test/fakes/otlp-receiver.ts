/** A receiver of OTLP on loopback, which reads the traces that it gets, as protobuf and as JSON. It ends with its test. */

import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Test } from 'tap'
import { until } from './wait.ts'

type Values = { readonly [name: string]: unknown }

export type ReceivedSpan = {
  readonly traceId: string
  readonly spanId: string
  readonly parentId: string
  readonly name: string
  readonly kind: number
  readonly startNs: bigint
  readonly endNs: bigint
  readonly attributes: Values
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[]
  /** 2: failed. */
  readonly status: number
  readonly message: string
  readonly resource: Values
  readonly scope: string
}

export type Post = { readonly url: string; readonly headers: IncomingHttpHeaders; readonly body: Buffer }

export type OtlpReceiver = {
  readonly endpoint: string
  readonly spans: ReceivedSpan[]
  readonly posts: Post[]
  /** How it answers; replaced by tests of a receiver that does not work. */
  answer: (response: ServerResponse) => void
  /** Waits until the spans fit. */
  until(fits: (spans: readonly ReceivedSpan[]) => boolean): Promise<readonly ReceivedSpan[]>
}

export const otlpReceiver = async (t: Test): Promise<OtlpReceiver> => {
  const [spans, posts, sockets]: [ReceivedSpan[], Post[], Set<Socket>] = [[], [], new Set()]
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const post = { url: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks) }
    posts.push(post)
    receiver.answer(response)
    if (post.url.endsWith('/v1/traces') && response.statusCode < 300) spans.push(...spansIn(post))
  })
  server.on('connection', (socket) => void sockets.add(socket))
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  t.teardown(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((closed) => server.close(closed))
  })
  const receiver: OtlpReceiver = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    posts,
    answer: (response) => void response.writeHead(200).end(),
    async until(fits) {
      await until(() => fits(spans))
      return spans
    },
  }
  return receiver
}

const spansIn = ({ headers, body }: Post): ReceivedSpan[] =>
  headers['content-type'] === 'application/x-protobuf' ? spansInProtobuf(body) : spansInJson(JSON.parse(body.toString()))

/** The number that each field has in opentelemetry/proto/trace/v1/trace.proto and the files that it imports. */
const fields = {
  request: { resourceSpans: 1 },
  resourceSpans: { resource: 1, scopeSpans: 2 },
  resource: { attributes: 1 },
  scopeSpans: { scope: 1, spans: 2, schemaUrl: 3 },
  scope: { name: 1 },
  span: { traceId: 1, spanId: 2, parentId: 4, name: 5, kind: 6, start: 7, end: 8, attributes: 9, links: 13, status: 15 },
  link: { traceId: 1, spanId: 2 },
  status: { message: 2, code: 3 },
  pair: { key: 1, value: 2 },
  value: { text: 1, flag: 2, integer: 3, fraction: 4 },
} as const

type Field = { readonly bytes: Buffer; readonly number: bigint }
type Message = ReadonlyMap<number, readonly Field[]>

/** Reads a message of protobuf: its fields by their numbers. */
const messageOf = (bytes: Buffer): Message => {
  const read = new Map<number, Field[]>()
  let at = 0
  const varint = (): bigint => {
    for (let value = 0n, shift = 0n; ; shift += 7n) {
      const byte = BigInt(bytes.readUInt8(at++))
      value |= (byte & 127n) << shift
      if (byte < 128n) return value
    }
  }
  const taken = (length: number): Buffer => {
    at += length
    if (at > bytes.length) throw new Error('a message of protobuf ends too early')
    return bytes.subarray(at - length, at)
  }
  const none = Buffer.alloc(0)
  while (at < bytes.length) {
    const key = Number(varint())
    const kind = key & 7
    const field =
      kind === 0
        ? { bytes: none, number: varint() }
        : kind === 2
          ? { bytes: taken(Number(varint())), number: 0n }
          : kind === 1
            ? { bytes: taken(8), number: bytes.readBigUInt64LE(at - 8) }
            : { bytes: taken(4), number: BigInt(bytes.readUInt32LE(at - 4)) }
    read.set(key >> 3, [...(read.get(key >> 3) ?? []), field])
  }
  return read
}

const all = (message: Message, number: number): Message[] => (message.get(number) ?? []).map(({ bytes }) => messageOf(bytes))
const bytesAt = (message: Message, number: number): Buffer => message.get(number)?.at(-1)?.bytes ?? Buffer.alloc(0)
const numberAt = (message: Message, number: number): bigint => message.get(number)?.at(-1)?.number ?? 0n
const hexAt = (message: Message, number: number): string => bytesAt(message, number).toString('hex')

const pairsAt = (message: Message, number: number): Values =>
  Object.fromEntries(
    all(message, number).map((pair) => {
      const [value = new Map() as Message] = all(pair, fields.pair.value)
      const { text, flag, integer, fraction } = fields.value
      const read = value.has(text)
        ? bytesAt(value, text).toString()
        : value.has(flag)
          ? numberAt(value, flag) === 1n
          : value.has(integer)
            ? Number(numberAt(value, integer))
            : value.has(fraction)
              ? bytesAt(value, fraction).readDoubleLE()
              : undefined
      return [bytesAt(pair, fields.pair.key).toString(), read]
    }),
  )

const spansInProtobuf = (body: Buffer): ReceivedSpan[] =>
  all(messageOf(body), fields.request.resourceSpans).flatMap((ofResource) => {
    const [resource = new Map() as Message] = all(ofResource, fields.resourceSpans.resource)
    return all(ofResource, fields.resourceSpans.scopeSpans).flatMap((ofScope) => {
      const [scope = new Map() as Message] = all(ofScope, fields.scopeSpans.scope)
      return all(ofScope, fields.scopeSpans.spans).map((span) => {
        const [status = new Map() as Message] = all(span, fields.span.status)
        return {
          traceId: hexAt(span, fields.span.traceId),
          spanId: hexAt(span, fields.span.spanId),
          parentId: hexAt(span, fields.span.parentId),
          name: bytesAt(span, fields.span.name).toString(),
          kind: Number(numberAt(span, fields.span.kind)),
          startNs: numberAt(span, fields.span.start),
          endNs: numberAt(span, fields.span.end),
          attributes: pairsAt(span, fields.span.attributes),
          links: all(span, fields.span.links).map((link) => ({
            traceId: hexAt(link, fields.link.traceId),
            spanId: hexAt(link, fields.link.spanId),
          })),
          status: Number(numberAt(status, fields.status.code)),
          message: bytesAt(status, fields.status.message).toString(),
          resource: pairsAt(resource, fields.resource.attributes),
          scope: `${bytesAt(scope, fields.scope.name)} ${bytesAt(ofScope, fields.scopeSpans.schemaUrl)}`,
        }
      })
    })
  })

type JsonPair = {
  readonly key: string
  readonly value: { readonly stringValue?: string; readonly intValue?: number; readonly boolValue?: boolean; readonly doubleValue?: number }
}
type JsonSpan = {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly JsonPair[]
  readonly links: ReceivedSpan['links']
  readonly status: { readonly code: number; readonly message?: string }
}
type JsonRequest = {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly JsonPair[] }
    readonly scopeSpans: readonly {
      readonly scope: { readonly name: string }
      readonly schemaUrl: string
      readonly spans: readonly JsonSpan[]
    }[]
  }[]
}

const jsonPairs = (pairs: readonly JsonPair[]): Values =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? value.boolValue ?? value.doubleValue]))

const spansInJson = ({ resourceSpans }: JsonRequest): ReceivedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ scope, schemaUrl, spans }) =>
      spans.map(({ traceId, spanId, parentSpanId = '', name, kind, startTimeUnixNano, endTimeUnixNano, attributes, links, status }) => ({
        traceId,
        spanId,
        parentId: parentSpanId,
        name,
        kind,
        startNs: BigInt(startTimeUnixNano),
        endNs: BigInt(endTimeUnixNano),
        attributes: jsonPairs(attributes),
        links: links.map(({ traceId, spanId }) => ({ traceId, spanId })),
        status: status.code,
        message: status.message ?? '',
        resource: jsonPairs(resource.attributes),
        scope: `${scope.name} ${schemaUrl}`,
      })),
    ),
  )
