/** Runs a receiver of OTLP on loopback, which reads the traces that it gets, as protobuf and as JSON. The receiver ends with its test. */

import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Test } from 'tap'
import { otlp } from '../foreign/otlp.ts'
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
  /** The status of the span. 2 stands for a failure. */
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
  /** How the receiver answers. Tests of a receiver that does not work replace this function. */
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

type Decoded = { readonly toJSON: never }
/** A kind of message, by OpenTelemetry's own definitions of OTLP (opentelemetry-proto, compiled by protobufjs). */
type Definition = {
  readonly decode: (bytes: Buffer) => Decoded
  readonly encode: (message: Decoded) => { readonly finish: () => Uint8Array }
  readonly toObject: (message: Decoded, options: object) => unknown
}
const { opentelemetry } = otlp as never as {
  readonly opentelemetry: {
    readonly proto: { readonly collector: { readonly trace: { readonly v1: object }; readonly metrics: { readonly v1: object } } }
  }
}
const { ExportTraceServiceRequest } = opentelemetry.proto.collector.trace.v1 as { readonly ExportTraceServiceRequest: Definition }
const { ExportMetricsServiceRequest } = opentelemetry.proto.collector.metrics.v1 as { readonly ExportMetricsServiceRequest: Definition }

/** Reads a message, with ids in base64. Throws where the definitions do not know a part of the message. */
const messageIn = (definition: Definition, bytes: Buffer): unknown => {
  const message = definition.decode(bytes)
  // What the definitions do not know is left out when the message is written again.
  if (definition.encode(message).finish().length !== bytes.length) throw new Error('a message of protobuf has unknown fields')
  return definition.toObject(message, { longs: String, bytes: String, defaults: true })
}

/** Reads the metrics of a post in protobuf. */
export const metricsIn = ({ body }: Post): unknown => messageIn(ExportMetricsServiceRequest, body)

const hexOf = (base64: string): string => Buffer.from(base64, 'base64').toString('hex')

const spansInProtobuf = (body: Buffer): ReceivedSpan[] =>
  spansInJson(messageIn(ExportTraceServiceRequest, body) as JsonRequest).map(({ traceId, spanId, parentId, links, ...span }) => ({
    ...span,
    traceId: hexOf(traceId),
    spanId: hexOf(spanId),
    parentId: hexOf(parentId),
    links: links.map((link) => ({ traceId: hexOf(link.traceId), spanId: hexOf(link.spanId) })),
  }))

type JsonPair = {
  readonly key: string
  readonly value: {
    readonly stringValue?: string
    readonly intValue?: number | string
    readonly boolValue?: boolean
    readonly doubleValue?: number
  }
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

const jsonPairs = (pairs: readonly JsonPair[]): Values => Object.fromEntries(pairs.map(({ key, value }) => [key, plainOf(value)]))

const plainOf = ({ stringValue, intValue, boolValue, doubleValue }: JsonPair['value']): unknown =>
  stringValue ?? (intValue === undefined ? (boolValue ?? doubleValue) : Number(intValue))

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
