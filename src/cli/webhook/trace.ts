/** `webhook trace <name>`: one event through a route with no side effects, stage by stage. */

import { bare } from '../../app/route-tests/matcher.ts'
import type { Trace } from '../../app/trace/trace.ts'
import { traceRoute } from '../../app/trace/trace-route.ts'
import { exit, usage } from '../../core/fault.ts'
import type { JsonObject } from '../../core/json.ts'
import { isTaken } from '../../core/outcome-table.ts'
import { filters } from '../../parts/stages/filters.ts'
import { answer, type Cli } from '../shell/output.ts'
import { paintWith } from '../shell/paint.ts'
import { treeOf } from './trace-tree.ts'
import { type ContentOptions, contentOf } from './traced-content.ts'

export type TraceOptions = ContentOptions & {
  readonly set?: readonly string[]
  readonly unset?: readonly string[]
  readonly scheme?: string
  readonly event?: string
  readonly runScripts?: boolean
}

export const webhookTrace = async (name: string, options: TraceOptions, cli: Cli): Promise<number> => {
  const { event, scheme, set = [], unset = [], runScripts = false } = options
  const isChanged = [event, scheme, options.set, options.unset].some((given) => given !== undefined)
  if (options.eventId !== undefined && isChanged) throw usage('--event-id stands alone: the event is taken as it was')
  const { of, ...source } = await contentOf(options, cli)
  const traced = await traceRoute(cli.workspace, name, { of, event, scheme, set, unset, runScripts })
  return answer(cli, {
    kind: 'webhook.trace',
    data: { ...describe(traced), payload: { from: source.from, name: source.name ?? null } },
    text: treeOf(traced, source, paintWith(cli.io.colour)),
    exitCode: isTaken(traced.outcome) ? exit.ok : exit.no,
  })
}

const describe = (traced: Trace): JsonObject => {
  const {
    route,
    profile,
    event,
    name,
    reason,
    answer: reply,
    stoppedAt,
    stages,
    conditions,
    placeholders,
    starts,
    ranScript,
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
    stages: stages.map(({ stage, result, ms, reason: why }) => ({
      stage,
      result,
      ms: Math.round(ms * 1000) / 1000,
      reason: why ?? null,
      detail: stage === filters.name ? { conditions: conditions.map(({ path, ...rest }) => ({ ...rest, path: [...path] })) } : {},
    })),
    mode: starts?.mode ?? null,
    prompt: starts?.prompt ?? null,
    prompt_chars: starts?.prompt.length ?? null,
    cuts: placeholders.flatMap(({ where, written, cut }) => (cut ? { where, written, ...cut } : [])),
    unresolved: [...new Set(placeholders.flatMap(({ written, missing }) => (missing ? bare(written) : [])))],
    deliver: starts ? { target: starts.target, extra: starts.extra } : null,
    side_effects: ranScript ? 'script' : 'none',
    notes: [...notes],
  }
}
