/** Sends spans to a receiver of OTLP over HTTP, by OpenTelemetry's exporters. */

import { type Attributes, type Link, type SpanContext, SpanKind, SpanStatusCode } from '@opentelemetry/api'
import { millisToHrTime } from '@opentelemetry/core'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import type { Resource } from '@opentelemetry/resources'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import type { OtlpReceiver, Telemetry } from '../../config/config.ts'
import { contextOf, type TraceContext } from '../../core/telemetry/trace-context.ts'
import { version } from '../../datadir/version.ts'
import { exporterSettings, exportTo, resourceOf } from '../otlp/otlp-export.ts'
import { names, schemaUrl } from './conventions.ts'
import type { SpanData } from './span-data.ts'

/** Makes the function that sends a batch. It rejects where the receiver did not take the batch. */
export const createOtlpSender = (
  receiver: OtlpReceiver,
  telemetry: Pick<Telemetry, 'serviceName' | 'resource'>,
): ((spans: readonly SpanData[]) => Promise<void>) => {
  const Exporter = receiver.protocol === 'http/json' ? JsonExporter : ProtobufExporter
  const exporter = new Exporter(exporterSettings(receiver))
  const from = resourceOf(telemetry)
  return (spans) =>
    exportTo(
      exporter,
      spans.map((span) => readableSpan(span, from)),
    )
}

const kinds = { internal: SpanKind.INTERNAL, server: SpanKind.SERVER, client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER }

const scope = { name: 'headgate', version, schemaUrl }

const spanContext = ({ traceId, spanId, isSampled }: TraceContext): SpanContext => ({ traceId, spanId, traceFlags: isSampled ? 1 : 0 })

const linkTo = (context: TraceContext): Link => ({ context: spanContext(context) })

/** Returns the attributes that have a value: the exporters would send the others with an empty value. */
const attributesOf = ({ attributes, failure }: SpanData): Attributes => {
  const known: Attributes = {}
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) known[name] = value
  if (failure) known[names.errorType] = failure.type
  return known
}

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
    attributes: attributesOf(span),
    links: (span.links ?? []).map(linkTo),
    events: [],
    resource,
    instrumentationScope: scope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  }
}
