/**
 * Decides which spans are sent: those of sampled traces, and those of traces in which something failed. The spans of the latest other
 * traces are kept for a while, so that a failure can show what came before it.
 */

import { contextOf } from '../../core/telemetry/trace-context.ts'
import type { SpanData } from './span-data.ts'

export interface SampledSpans {
  /** Takes spans of one trace. `isFailure`: the trace is sent whether or not it is sampled. */
  add(spans: readonly SpanData[], isFailure: boolean): void
}

/**
 * The most spans of traces that are not sampled, and the most traces in which something failed. Past these numbers the oldest traces are
 * forgotten.
 */
const maxSpans = 2_000
const maxFailed = 1_000

export const createSampledSpans = (send: (span: SpanData) => void): SampledSpans => {
  const recent = new Map<string, SpanData[]>()
  const failed = new Set<string>()
  let count = 0
  const forget = (traceId: string): readonly SpanData[] => {
    const spans = recent.get(traceId) ?? []
    recent.delete(traceId)
    count -= spans.length
    return spans
  }
  const fail = (traceId: string): void => {
    if (failed.size >= maxFailed) failed.delete(failed.values().next().value as string)
    failed.add(traceId)
    for (const span of forget(traceId)) send(span)
  }
  return {
    add(spans, isFailure) {
      const [first] = spans
      if (!first) return
      const { traceId, isSampled } = contextOf(first.place)
      if (!isSampled && isFailure && !failed.has(traceId)) fail(traceId)
      if (isSampled || failed.has(traceId)) {
        for (const span of spans) send(span)
        return
      }
      recent.set(traceId, [...(recent.get(traceId) ?? []), ...spans])
      count += spans.length
      while (count > maxSpans) forget(recent.keys().next().value as string)
    },
  }
}
