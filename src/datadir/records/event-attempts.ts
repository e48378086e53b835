/** Reads the attempts at an event's runs, each with its prompt, its reply and its calls of tools where they were kept. */

import { isObject, type Json, own } from '../../core/json.ts'
import type { EventRecords } from '../../journal/event-records.ts'
import type { EventView, RawPlace, RecordedUsage, RunEndedRecord, RunRecord } from '../../journal/record.ts'

/** A call of a tool, for people and programs. Members are `null` where nothing is known: the attempt ended before the call did. */
type ToolCallView = {
  readonly toolset: string | null
  readonly tool: string | null
  readonly ok: boolean | null
  readonly duration_ms: number | null
  /** The input, as JSON that may be cut. */
  readonly input: string | null
  /** What the tool answered, which may be cut, or why the call failed. */
  readonly result: string | null
}

/** One attempt, for people and programs. Members are `null` where nothing is known. Times are ISO 8601, UTC. */
export type AttemptView = {
  readonly at: string
  /**
   * How the attempt ended. `failed`: the run is tried again. `retried` is not the end of an attempt: at this time, a user revived the dead
   * run.
   */
  readonly end: 'failed' | RunEndedRecord['state'] | 'retried'
  readonly attempt: number | null
  readonly error: string | null
  readonly next_at: string | null
  readonly target: string | null
  readonly answer: string | null
  readonly silent: boolean
  readonly usage: RecordedUsage | null
  readonly prompt: string | null
  readonly reply: string | null
  /** The calls of tools, in the order in which they began. Empty if the agent called none, or the record keeps none. */
  readonly tool_calls: ToolCallView[]
}

type Words = Pick<AttemptView, 'prompt' | 'reply' | 'tool_calls'>

/** Reads the attempts, oldest first; none for an event about whose run the journal has no line. */
export const readAttempts = async (records: EventRecords, { steps = [] }: EventView): Promise<readonly AttemptView[]> => {
  const attempts: AttemptView[] = []
  // One attempt is read after the other, so that only one stored body is in memory beside the prompts and replies that are returned.
  for (const step of steps) attempts.push({ ...attemptOf(step), ...(await readWords(records, step.raw)) })
  return attempts
}

const attemptOf = (step: RunRecord): Omit<AttemptView, keyof Words> => {
  const none = { attempt: null, error: null, next_at: null, target: null, answer: null, silent: false, usage: null }
  if (step.kind === 'revived') return { ...none, at: step.at, end: 'retried' }
  const { at, attempt, error = null, answer = null, usage = null } = step
  if (step.kind === 'tried') return { ...none, at, end: 'failed', attempt, error, answer, usage, next_at: step.next_at }
  return { ...none, at, end: step.state, attempt, error, answer, usage, target: step.target ?? null, silent: step.silent ?? false }
}

/** Reads the reply that was kept with the record of an attempt; `null` where none was. */
export const readReply = async (records: Pick<EventRecords, 'raw'>, raw: RawPlace | undefined): Promise<string | null> =>
  (await readWords(records, raw)).reply

const readWords = async (records: Pick<EventRecords, 'raw'>, raw: RawPlace | undefined): Promise<Words> => {
  const kept = raw && (await records.raw(raw))
  const words = kept && jsonOrUndefined(kept.body)
  const calls = isObject(words) ? own(words, 'tool_calls') : undefined
  return {
    prompt: textMember(words, 'prompt'),
    reply: textMember(words, 'reply'),
    tool_calls: Array.isArray(calls) ? calls.map(toolCallOf) : [],
  }
}

const toolCallOf = (call: Json): ToolCallView => {
  const { ok, duration_ms } = isObject(call) ? call : {}
  return {
    toolset: textMember(call, 'toolset'),
    tool: textMember(call, 'tool'),
    ok: typeof ok === 'boolean' ? ok : null,
    duration_ms: typeof duration_ms === 'number' ? duration_ms : null,
    input: textMember(call, 'input'),
    result: textMember(call, 'result'),
  }
}

/**
 * Parses what was kept of an attempt; `undefined` for a text that is no JSON, because the journal may be damaged.
 */
const jsonOrUndefined = (body: Buffer): Json | undefined => {
  try {
    return JSON.parse(body.toString('utf8')) as Json
  } catch {
    return undefined
  }
}

const textMember = (words: Json | undefined, name: string): string | null => {
  const text = isObject(words) ? own(words, name) : undefined
  return typeof text === 'string' ? text : null
}
