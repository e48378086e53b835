/** Describes a trace for the JSON output of `webhook trace`. */

import { isObject, type Json, type JsonObject } from '../../core/json.ts'
import { withShownBody } from '../../parts/body-pieces.ts'
import { filters } from '../../parts/stages/filters.ts'
import { lookup } from '../../parts/stages/lookup.ts'
import type { Trace } from './trace.ts'

/** Returns the description. Every member is present, `null` where the trace says nothing. */
export const describeTrace = (traced: Trace): JsonObject => {
  const {
    route,
    profile,
    event,
    name,
    reason,
    answer: reply,
    stoppedAt,
    stages,
    placeholders,
    starts,
    ranScript,
    asked = [],
    notes,
  } = traced
  return {
    route,
    profile,
    event: event ? { type: event.eventType, alias: event.eventAlias ?? null, delivery_id: event.deliveryId } : null,
    outcome: name,
    reason: reason ?? null,
    stopped_at: stoppedAt,
    answer: { status: reply.status, body: reply.body },
    stages: stages.map(({ stage, result, ms, reason: why, change }) => ({
      stage,
      result,
      ms: Math.round(ms * 1000) / 1000,
      reason: why ?? null,
      detail: { ...detailOf(stage, traced), ...change },
    })),
    mode: starts?.mode ?? null,
    agent: starts?.agent ?? null,
    prompt: starts?.prompt ?? null,
    prompt_chars: starts?.prompt.length ?? null,
    cuts: placeholders.flatMap(({ where, written, cut }) => (cut ? { where, written, ...cut } : [])),
    unresolved: [...new Set(placeholders.flatMap(({ written, missing }) => (missing ? withoutBraces(written) : [])))],
    deliver: starts ? { target: starts.target, extra: shownExtra(starts) } : null,
    side_effects: [...asked, ...(ranScript ? ['script'] : [])].join(', ') || 'none',
    notes: [...notes],
  }
}

/** Returns the conditions that a stage judges, and the answers to the lookups. */
const detailOf = (name: string, { conditions, lookups }: Trace): JsonObject => ({
  ...(name === filters.name || (name === lookup.name && lookups !== undefined)
    ? { conditions: conditions.flatMap(({ path, stage, ...rest }) => (stage === name ? { ...rest, path: [...path] } : [])) }
    : {}),
  ...(name === lookup.name && lookups !== undefined ? { lookups } : {}),
})

/** Returns the settings of the targets, each with its body as it would be sent. An agent's reply is not known yet. */
export const shownExtra = ({ extra, mode, prompt }: NonNullable<Trace['starts']>): Json => {
  const shown = (each: Json): Json => (isObject(each) ? withShownBody(each, mode === 'direct' ? prompt : undefined) : each)
  return Array.isArray(extra) ? extra.map(shown) : shown(extra)
}

/** Returns a placeholder without its braces. A placeholder that has no braces stays as it is. */
export const withoutBraces = (written: string): string => written.replace(/^\{(.*)\}$/s, '$1')
