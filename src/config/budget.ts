/** The limits on tokens, money and the number of runs, and the prices of models. */

import type { Report } from '../core/diagnostic.ts'
import type { RouteAgent, Budget as Written } from '../generated/config.ts'
import { agentPath } from '../parts/named-agents.ts'
import { outputsByName } from '../parts/runners/outputs/index.ts'

/** The limits of runs. Costs are in the operator's currency. Where a limit is absent, there is none. */
export type Budget = {
  /** Tokens of one run, input and output together. */
  readonly runTokens?: number
  readonly runCost?: number
  /** Tokens of all runs of a route or job in a day (UTC). */
  readonly dayTokens?: number
  readonly dayCost?: number
  /** The most runs in an hour whose comments go to one pull request or issue. */
  readonly threadRuns: number
}

/** The price of a million tokens, in the operator's currency. */
export type Price = { readonly input: number; readonly output: number }

/** Returns a budget with its keys as the program names them instead of as the file does: `runTokens` for `run_tokens`. */
export const budgetOf = ({ run_tokens, run_cost, day_tokens, day_cost, thread_runs }: Written = {}): Partial<Budget> => ({
  ...(run_tokens === undefined ? {} : { runTokens: run_tokens }),
  ...(run_cost === undefined ? {} : { runCost: run_cost }),
  ...(day_tokens === undefined ? {} : { dayTokens: day_tokens }),
  ...(day_cost === undefined ? {} : { dayCost: day_cost }),
  ...(thread_runs === undefined ? {} : { threadRuns: thread_runs }),
})

/**
 * The agent's settings that limit and price a run. `runner`: the name of the runner, because not every runner can keep to a budget.
 * `output`: the form of what its program prints, because not every program tells what it cost.
 */
export type AgentPricing = {
  readonly runner?: string
  readonly output?: string
  readonly model?: string
  readonly budget: Budget
  readonly prices: ReadonlyMap<string, Price>
  /** As in `AgentSettings`. */
  readonly envValues?: { readonly [name: string]: string }
  readonly payload?: boolean
}

/**
 * Copies only the settings of agents that limit and price a run, and what they ask for of each event: their other settings keep the whole
 * file in memory.
 */
export const pricingOf = (agents: ReadonlyMap<string, AgentPricing>): ReadonlyMap<string, AgentPricing> =>
  new Map([...agents].map(([name, agent]) => [name, pricingOfOne(agent)]))

const pricingOfOne = ({ runner, output, model, budget, prices, envValues, payload }: AgentPricing): AgentPricing => ({
  ...(runner === undefined ? {} : { runner }),
  ...(output === undefined ? {} : { output }),
  ...(model === undefined ? {} : { model }),
  budget,
  prices,
  ...(envValues ? { envValues } : {}),
  ...(payload ? { payload } : {}),
})

type AgentOfRoute = Pick<RouteAgent, 'model' | 'budget'>

/**
 * Reports a budget in money where nothing makes the cost known: the model has no price, or the program tells neither its cost nor a model
 * with a price. `own` has the keys of a route or job that take the place of the agent's keys; without `own`, the agent itself is checked. A
 * mistake in the agent's settings is not reported again for a route or job.
 */
export const checkPrice = (own: AgentOfRoute | undefined, name: string, agent: AgentPricing, report: Report): void => {
  const { runCost, dayCost } = budgetOf(own?.budget)
  const isOwn = runCost !== undefined || dayCost !== undefined
  if (own && !isOwn && own.model === undefined) return
  const isInMoney = isOwn || agent.budget.runCost !== undefined || agent.budget.dayCost !== undefined
  const lack = isInMoney ? priceLack(own?.model ?? agent.model, agent, `${agentPath(name).join('.')}.prices`) : undefined
  if (lack) report('WH222', [isOwn || !own ? 'budget' : 'model'], `the budget is in money, and ${lack.why}`, lack.help)
}

/** Returns why the cost of a run cannot be known. `prices`: the place of the agent's prices. */
const priceLack = (
  model: string | undefined,
  agent: AgentPricing,
  prices: string,
): { readonly why: string; readonly help: string } | undefined => {
  const tells = outputsByName.get(agent.output ?? '')?.tells
  if (!tells) {
    if (model === undefined || agent.prices.has(model)) return undefined
    return { why: `"${model}" has no price`, help: `set ${prices}.${model}: { input, output }` }
  }
  if (tells.money || (tells.models && agent.prices.size > 0)) return undefined
  if (tells.models) return { why: `"${agent.output}" tells no cost, and no model has a price`, help: `set ${prices}` }
  return { why: `"${agent.output}" tells neither the cost nor the model`, help: 'limit the tokens: run_tokens, day_tokens' }
}
