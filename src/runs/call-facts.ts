/** Tells the calls of models and tools of one attempt as facts, when each has ended. */

import type { Clock } from '../core/clock.ts'
import type { RunCause, ToolCallMade } from '../core/facts/fact.ts'
import type { Facts } from '../core/facts/facts.ts'
import { spanPlaceBelow } from '../core/telemetry/trace-context.ts'
import type { BeginModelCall } from '../parts/runners/runner.ts'
import type { BeginToolCall } from '../parts/tools/tool.ts'
import type { Lease } from '../store/ports.ts'
import type { Transcript } from './attempt/transcript.ts'

export type CallFactsOptions = { readonly facts: Pick<Facts, 'emit'>; readonly clock: Pick<Clock, 'now' | 'monotonic'> }

/**
 * Makes the functions that begin a call of a model or a tool. `toolCalls` gets each call of a tool.
 */
export const createCallFacts = (
  { run, attempt }: Lease,
  { span, toolCalls }: Pick<Transcript, 'span' | 'toolCalls'>,
  { facts, clock }: CallFactsOptions,
): { readonly beginModelCall: BeginModelCall; readonly beginToolCall: BeginToolCall } => {
  const { profile, route, deliveryId, job, eventId } = run
  const begin = () => {
    const place = spanPlaceBelow(span?.traceparent)
    const cause: RunCause = { profile, route, deliveryId, job, eventId, attempt, span: place }
    const [startedAt, begun] = [clock.now(), clock.monotonic()]
    let isOver = false
    /** Calls `tell` with the fields that both kinds of facts have. Later calls of `once` do nothing. */
    const once = (tell: (common: { cause: RunCause; startedAt: number; ms: number }) => void): void => {
      if (isOver) return
      isOver = true
      tell({ cause, startedAt, ms: clock.monotonic() - begun })
    }
    return { once, ...(place ? { traceparent: place.traceparent } : {}) }
  }
  return {
    beginModelCall(provider, model) {
      const { once, ...place } = begin()
      const ended = (ok: boolean, inputTokens = 0, outputTokens = 0): void =>
        once((common) => facts.emit({ kind: 'model_called', ...common, provider, model, ok, inputTokens, outputTokens }))
      return { ...place, ended }
    },
    beginToolCall(toolset, tool, input) {
      const { once, ...place } = begin()
      const made: ToolCallMade = { toolset, tool, input }
      toolCalls.push(made)
      const ended = (ok: boolean, result: string): void =>
        once((common) => {
          Object.assign(made, { ms: common.ms, ok, result })
          facts.emit({ kind: 'tool_called', ...common, toolset, tool, ok })
        })
      return { ...place, ended }
    },
  }
}
