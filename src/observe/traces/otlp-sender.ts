/** Sends spans to a receiver of OTLP over HTTP, by OpenTelemetry's exporters. */

import { type Link, type SpanContext, SpanKind, SpanStatusCode } from '@opentelemetry/api'
import { ExportResultCode, millisToHrTime } from '@opentelemetry/core'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { type Resource, resourceFromAttributes } from '@opentelemetry/resources'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import { version } from '../../app/version.ts'
import type { Telemetry } from '../../config/config.ts'
import { contextOf, type TraceContext } from '../../core/telemetry/trace-context.ts'
import { names, schemaUrl } from './conventions.ts'
import type { SpanData } from './span-data.ts'

/** How long a batch may take, with the repeats that the exporter makes by itself. */
const timeoutMillis = 10_000
/** An answer that never ends keeps its request open past the time-out. Past this number of open requests none is made. */
const concurrencyLimit = 3

/** Makes the function that sends a batch. It rejects where the receiver did not take the batch. */
export const createOtlpSender = (
  { url, headers, protocol }: NonNullable<Telemetry['traces']>,
  { serviceName, resource }: Pick<Telemetry, 'serviceName' | 'resource'>,
): ((spans: readonly SpanData[]) => Promise<void>) => {
  const Exporter = protocol === 'http/json' ? JsonExporter : ProtobufExporter
  const exporter = new Exporter({ url, headers: { ...headers }, timeoutMillis, concurrencyLimit })
  const from = resourceFromAttributes({ ...resource, [names.serviceName]: serviceName, [names.serviceVersion]: version })
  return (spans) =>
    new Promise((resolve, reject) => {
      exporter.export(
        spans.map((span) => readableSpan(span, from)),
        ({ code, error }) => {
          if (code === ExportResultCode.SUCCESS) resolve()
          else reject(describeFailure(error))
        },
      )
    })
}

/** The receiver's own words are not told: a status is enough. */
const describeFailure = (error: (Error & { readonly code?: unknown }) | undefined): Error =>
  typeof error?.code === 'number' ? new Error(`HTTP ${error.code}`) : (error ?? new Error('no reason'))

const kinds = { internal: SpanKind.INTERNAL, server: SpanKind.SERVER, client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER }

const scope = { name: 'headgate', version, schemaUrl }

const spanContext = ({ traceId, spanId, isSampled }: TraceContext): SpanContext => ({ traceId, spanId, traceFlags: isSampled ? 1 : 0 })

const linkTo = (context: TraceContext): Link => ({ context: spanContext(context) })

const readableSpan = (span: SpanData, resource: Resource): ReadableSpan => {
  const context = spanContext(contextOf(span.place))
  const { parentId } = span.place
  const { failure } = span
  return {
    name: span.name,
    kind: kinds[span.kind],
    spanContext: () => context,
    ...(parentId === undefined ? {} : { parentSpanContext: { ...context, spanId: parentId } }),
    startTime: millisToHrTime(span.startMs),
    endTime: millisToHrTime(span.endMs),
    duration: millisToHrTime(span.endMs - span.startMs),
    ended: true,
    status: failure
      ? { code: SpanStatusCode.ERROR, ...(failure.message === undefined ? {} : { message: failure.message }) }
      : { code: SpanStatusCode.UNSET },
    attributes: { ...span.attributes, ...(failure ? { [names.errorType]: failure.type } : {}) },
    links: (span.links ?? []).map(linkTo),
    events: [],
    resource,
    instrumentationScope: scope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  }
}
