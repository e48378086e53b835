/** `webhook trace <name>`: one event through a route with no side effects, stage by stage. */

import type { Trace } from '../../app/trace/trace.ts'
import { type TraceWish, traceRoute } from '../../app/trace/trace-route.ts'
import { exit, usage } from '../../core/fault.ts'
import type { JsonObject } from '../../core/json.ts'
import { isTaken } from '../../core/outcome-table.ts'
import { answer, type Cli } from '../shell/output.ts'
import { paintWith } from '../shell/paint.ts'
import { readPayload } from './payload.ts'
import { treeOf } from './trace-tree.ts'

export type TraceOptions = {
  readonly payload?: string
  readonly event?: string
  readonly eventId?: string
  readonly runScripts?: boolean
}

export const webhookTrace = async (name: string, options: TraceOptions, cli: Cli): Promise<number> => {
  const traced = await traceRoute(cli.workspace, name, { of: await wishOf(options, cli), runScripts: options.runScripts === true })
  return answer(cli, {
    kind: 'webhook.trace',
    data: describe(traced),
    text: treeOf(traced, paintWith(cli.io.colour)),
    exitCode: isTaken(traced.outcome) ? exit.ok : exit.no,
  })
}

const wishOf = async ({ payload, event, eventId }: TraceOptions, cli: Cli): Promise<TraceWish['of']> => {
  if (eventId === undefined) return { body: await readPayload(payload, cli.io), ...(event === undefined ? {} : { event }) }
  if (payload !== undefined || event !== undefined) throw usage('--event-id stands alone: the event has its payload and its type')
  return { eventId }
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
      detail: stage === 'filters' ? { conditions: conditions.map(({ path, ...rest }) => ({ ...rest, path: [...path] })) } : {},
    })),
    mode: starts?.mode ?? null,
    prompt: starts?.prompt ?? null,
    prompt_chars: starts?.prompt.length ?? null,
    cuts: placeholders.flatMap(({ where, written, cut }) => (cut ? { where, written, ...cut } : [])),
    unresolved: placeholders.flatMap(({ where, written, missing }) => (missing ? { where, written } : [])),
    deliver: starts ? { target: starts.target, extra: starts.extra } : null,
    side_effects: ranScript ? 'script' : 'none',
    notes: [...notes],
  }
}
