/** The output `gemini-json`: the object that Gemini CLI prints with `--output-format json`. */

import { isObject, parseObject } from '../../../core/json.ts'
import type { CallUsage } from '../runner.ts'
import { callsOf, mapAt, sumOf } from './kit/told-usage.ts'
import type { OutputPart } from './output.ts'

export const geminiJson: OutputPart = {
  name: 'gemini-json',
  title: 'Gemini CLI: gemini -p … --output-format json',
  tells: { models: true, money: false },
  parse(stdout) {
    const printed = parseObject(stdout)
    if (printed === undefined) return undefined
    const { session_id, response, error } = printed
    const stats = mapAt(printed, 'stats')
    const models = Object.entries(mapAt(stats, 'models')).flatMap(([model, each]): CallUsage[] => {
      if (!isObject(each)) return []
      const { prompt, tool, candidates, thoughts } = mapAt(each, 'tokens')
      const steps = sumOf(mapAt(each, 'api').totalRequests)
      return [{ model, inputTokens: sumOf(prompt, tool), outputTokens: sumOf(candidates, thoughts), tools: [], steps }]
    })
    const tools = Object.entries(mapAt(mapAt(stats, 'tools'), 'byName'))
    const refused = tools.flatMap(([name, each]) => (isObject(each) && sumOf(mapAt(each, 'decisions').reject) > 0 ? [name] : []))
    const calls = callsOf(models, session_id, refused)
    if (error !== undefined && error !== null) return { problem: 'it ended with an error', calls }
    return typeof response === 'string' ? { reply: response, calls } : undefined
  },
}
