/** Makes the spans of what happens after the answer: attempts, calls of models and tools, deliveries, and the starts of jobs. */

import type { Fact, RunAttempt } from '../../core/facts/fact.ts'
import type { SpanPlace, TraceContext } from '../../core/telemetry/trace-context.ts'
import { names } from './conventions.ts'
import type { SpanData } from './span-data.ts'

type FactOf<Kind extends Fact['kind']> = Extract<Fact, { readonly kind: Kind }>

/** The fields of an event or a job that spans of its work have. */
type About = { readonly profile: string; readonly route: string; readonly deliveryId: string; readonly job?: string | undefined }

const about = ({ profile, route, job, deliveryId }: About) => ({
  [names.profile]: profile,
  [names.route]: route || undefined,
  [names.job]: job,
  [names.messagingMessageId]: deliveryId,
})

/** Makes the text of an attribute from a prompt, a reply or an error; `undefined` where content is not sent. */
export type SpanContent = (text: string | undefined) => string | undefined

export const attemptSpan = (run: RunAttempt, place: SpanPlace, links: readonly TraceContext[], content: SpanContent): SpanData => {
  const { end, usage, merged } = run
  const source = run.route || run.job || ''
  return {
    place,
    name: `process ${source}`,
    kind: 'consumer',
    startMs: run.startedAt,
    endMs: run.startedAt + run.ms,
    attributes: {
      ...about(run),
      [names.messagingSystem]: 'headgate',
      [names.messagingOperation]: 'process',
      [names.messagingOperationType]: 'process',
      [names.messagingDestination]: source,
      [names.messagingCount]: merged?.count,
      [names.eventId]: run.eventId,
      [names.eventType]: run.eventType,
      [names.attempt]: run.attempt,
      [names.attemptEnd]: end.kind,
      [names.target]: run.target,
      [names.genAiInputTokens]: usage?.inputTokens,
      [names.genAiOutputTokens]: usage?.outputTokens,
      [names.genAiInput]: messages('user', content(run.prompt)),
      [names.genAiOutput]: messages('assistant', content(run.reply)),
    },
    // Where the run has a reply, it is the delivery of the reply that failed.
    ...(end.kind === 'done'
      ? {}
      : { failure: { type: run.reply === undefined ? 'no_reply' : 'not_delivered', message: content(end.error) } }),
    links,
  }
}

/** Returns one message in the form of the conventions of generative AI. */
const messages = (role: 'user' | 'assistant', text: string | undefined): string | undefined =>
  text === undefined ? undefined : JSON.stringify([{ role, parts: [{ type: 'text', content: text }] }])

export const modelSpan = ({ cause, provider, model, ok, inputTokens, outputTokens, ...fact }: FactOf<'model_called'>, place: SpanPlace) =>
  callSpan(fact, place, ok, {
    name: `chat ${model}`,
    kind: 'client',
    attributes: {
      ...about(cause),
      [names.genAiOperation]: 'chat',
      [names.genAiProvider]: provider,
      [names.genAiModel]: model,
      [names.genAiInputTokens]: inputTokens,
      [names.genAiOutputTokens]: outputTokens,
    },
  })

export const toolSpan = ({ cause, toolset, tool, ok, ...fact }: FactOf<'tool_called'>, place: SpanPlace) =>
  callSpan(fact, place, ok, {
    name: `execute_tool ${tool}`,
    kind: 'internal',
    attributes: { ...about(cause), [names.genAiOperation]: 'execute_tool', [names.genAiTool]: tool, [names.toolset]: toolset },
  })

export const deliverySpan = ({ cause, target, ok, ...fact }: FactOf<'text_sent'>, place: SpanPlace) =>
  callSpan(fact, place, ok, {
    name: `send ${target}`,
    kind: 'client',
    attributes: {
      ...about(cause),
      [names.messagingSystem]: target,
      [names.messagingOperation]: 'send',
      [names.messagingOperationType]: 'send',
      [names.target]: target,
    },
  })

const callSpan = (
  { startedAt, ms }: { readonly startedAt: number; readonly ms: number },
  place: SpanPlace,
  ok: boolean,
  span: Pick<SpanData, 'name' | 'kind' | 'attributes'>,
): SpanData => ({ ...span, place, startMs: startedAt, endMs: startedAt + ms, ...(ok ? {} : { failure: { type: '_OTHER' } }) })

export const jobSpan = (fact: FactOf<'job_started'>, place: SpanPlace): SpanData => ({
  place,
  name: `start ${fact.job}`,
  kind: 'internal',
  startMs: fact.at,
  endMs: fact.at,
  attributes: { ...about({ ...fact, route: '' }), [names.eventId]: fact.eventId },
})
