/** The output `opencode-json`: the events that OpenCode prints with `run --format json`. */

import type { Json } from '../../../core/json.ts'
import { eventLines } from './kit/event-lines.ts'
import { callsOf, mapAt, sumOf } from './kit/told-usage.ts'
import type { OutputPart } from './output.ts'

export const opencodeJson: OutputPart = {
  name: 'opencode-json',
  title: 'OpenCode: opencode run --format json',
  tells: { models: false, money: true },
  parse(stdout) {
    let session: Json | undefined
    let said: string[] = []
    let [hasError, isAtEnd] = [false, false]
    const used = { steps: 0, inputTokens: 0, outputTokens: 0, cost: 0 }
    for (const event of eventLines(stdout) ?? []) {
      const part = mapAt(event, 'part')
      session ??= event.sessionID
      hasError ||= event.type === 'error'
      if (event.type === 'step_start') said = []
      if (event.type === 'step_start' || event.type === 'step_finish') isAtEnd = false
      if (event.type === 'text' && typeof part.text === 'string') said.push(part.text)
      if (event.type !== 'step_finish') continue
      const { input, output, reasoning } = mapAt(part, 'tokens')
      const { read, write } = mapAt(mapAt(part, 'tokens'), 'cache')
      used.steps++
      used.inputTokens += sumOf(input, read, write)
      used.outputTokens += sumOf(output, reasoning)
      used.cost += sumOf(part.cost)
      // After a step that called tools another one follows.
      isAtEnd = part.reason !== 'tool-calls'
    }
    const calls = callsOf(used.steps > 0 ? [{ model: '', ...used, tools: [] }] : [], session)
    if (hasError) return { problem: 'it ended with an error', calls }
    if (!isAtEnd) return undefined
    return said.length > 0 ? { reply: said.join('\n'), calls } : { problem: 'it said nothing', calls }
  },
}
