/** A span as this program makes it, before it takes the form of OpenTelemetry's SDK. */

import type { SpanPlace, TraceContext } from '../../core/telemetry/trace-context.ts'

export type SpanData = {
  readonly place: SpanPlace
  /** For people and for grouping: it never has a value that a sender chose. */
  readonly name: string
  readonly kind: 'internal' | 'server' | 'client' | 'consumer'
  /** Wall times, milliseconds, with fractions. */
  readonly startMs: number
  readonly endMs: number
  readonly attributes: { readonly [name: string]: string | number | boolean | undefined }
  /** Present where the work of the span has failed: the kind of failure, and, where content is sent, the error in words. */
  readonly failure?: { readonly type: string; readonly message?: string | undefined }
  readonly links?: readonly TraceContext[]
}
