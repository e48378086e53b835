/** The output `claude-json`: the result that Claude Code prints with `--output-format json`. */

import { isObject, type Json, type JsonObject } from '../../../core/json.ts'
import type { CallUsage } from '../runner.ts'
import { callsOf, sumOf } from './kit/told-usage.ts'
import type { OutputPart } from './output.ts'

/** The ends without a reply that are told apart; others are only an error. */
const problems: ReadonlyMap<unknown, string> = new Map([
  ['error_max_turns', 'it used up its turns (--max-turns)'],
  ['error_max_budget_usd', 'it used up the budget of its own (--max-budget-usd)'],
])

export const claudeJson: OutputPart = {
  name: 'claude-json',
  title: 'Claude Code: claude -p --output-format json',
  tells: { models: true, money: true },
  parse(stdout) {
    const result = resultIn(stdout)
    if (result === undefined) return undefined
    const denials = Array.isArray(result.permission_denials) ? result.permission_denials : []
    const refused = denials.flatMap((each) => (isObject(each) && typeof each.tool_name === 'string' ? [each.tool_name] : []))
    const calls = callsOf(modelsOf(result), result.session_id, refused)
    // A result may be a success and an error at once, as when the API refused the last call.
    if (result.subtype !== 'success' || result.is_error !== false)
      return { problem: problems.get(result.subtype) ?? 'it ended with an error', calls }
    return typeof result.result === 'string' ? { reply: result.result, calls } : undefined
  },
}

/** Returns the result: the whole text, or with `--verbose` the last item of a list. */
const resultIn = (stdout: string): JsonObject | undefined => {
  try {
    const printed = JSON.parse(stdout) as Json
    const result = Array.isArray(printed) ? printed.at(-1) : printed
    return isObject(result) && result.type === 'result' ? result : undefined
  } catch {
    return undefined
  }
}

/** Returns the usage of each model, subagents included. Older versions tell only the sum of the main loop. Cached input is input, too. */
const modelsOf = (result: JsonObject): readonly CallUsage[] => {
  const { num_turns: steps, total_cost_usd: total, modelUsage, usage } = result
  const turns = typeof steps === 'number' ? { steps } : {}
  const models = Object.entries(isObject(modelUsage) ? modelUsage : {}).flatMap(([model, each]): CallUsage[] => {
    if (!isObject(each)) return []
    const inputTokens = sumOf(each.inputTokens, each.cacheReadInputTokens, each.cacheCreationInputTokens)
    return [{ model, inputTokens, outputTokens: sumOf(each.outputTokens), cost: sumOf(each.costUSD), tools: [], steps: 0 }]
  })
  if (models.length > 0) return models.map((each, at) => (at === 0 ? { ...each, steps: 1, ...turns } : each))
  if (!isObject(usage)) return []
  const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens, output_tokens } = usage
  const inputTokens = sumOf(input_tokens, cache_read_input_tokens, cache_creation_input_tokens)
  return [{ model: '', inputTokens, outputTokens: sumOf(output_tokens), cost: sumOf(total), tools: [], ...turns }]
}
