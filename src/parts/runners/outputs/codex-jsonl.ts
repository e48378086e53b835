/** The output `codex-jsonl`: the events that Codex prints with `exec --json`. */

import { isObject, type Json } from '../../../core/json.ts'
import { eventLines } from './kit/event-lines.ts'
import { callsOf, mapAt, sumOf } from './kit/told-usage.ts'
import type { OutputPart } from './output.ts'

export const codexJsonl: OutputPart = {
  name: 'codex-jsonl',
  title: 'Codex: codex exec --json',
  tells: { models: false, money: false },
  parse(stdout) {
    let [reply, session, end, usage]: (Json | undefined)[] = []
    for (const event of eventLines(stdout) ?? []) {
      const item = mapAt(event, 'item')
      if (event.type === 'thread.started') session = event.thread_id
      // Codex also sends messages about its next step while it works. Only its last message is the reply.
      if (event.type === 'item.completed' && item.type === 'agent_message') reply = item.text
      // The counts of a turn are those of the thread so far, so the last ones count.
      if (event.type === 'turn.completed') usage = event.usage
      // An event `error` is no end: Codex also tells by it that it connects anew.
      if (event.type === 'turn.completed' || event.type === 'turn.failed') end = event.type
    }
    if (end === undefined) return undefined
    // Input has the cached tokens in it, and output those of the reasoning.
    const models = isObject(usage)
      ? [{ model: '', inputTokens: sumOf(usage.input_tokens), outputTokens: sumOf(usage.output_tokens), tools: [] }]
      : []
    const calls = callsOf(models, session)
    if (end === 'turn.failed') return { problem: 'its turn failed', calls }
    return typeof reply === 'string' ? { reply, calls } : { problem: 'it said nothing', calls }
  },
}
