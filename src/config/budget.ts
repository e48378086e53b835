/** What runs may take, and what models cost, as a configuration says. */

import type { Code, Path } from '../core/diagnostic.ts'
import type { Route, Budget as Written } from '../generated/config.ts'

/** Absent: without a limit. */
export type Budget = {
  /** Tokens of one run, input and output together. */
  readonly runTokens?: number
  readonly runCost?: number
  /** Tokens of all runs of a route or job in a day (UTC). */
  readonly dayTokens?: number
  readonly dayCost?: number
  /** Runs in an hour whose comments go to one pull request or issue. */
  readonly threadRuns: number
}

/** The price of a million tokens, in the operator's currency. */
export type Price = { readonly input: number; readonly output: number }

export const budgetOf = ({ run_tokens, run_cost, day_tokens, day_cost, thread_runs }: Written = {}): Partial<Budget> => ({
  ...(run_tokens === undefined ? {} : { runTokens: run_tokens }),
  ...(run_cost === undefined ? {} : { runCost: run_cost }),
  ...(day_tokens === undefined ? {} : { dayTokens: day_tokens }),
  ...(day_cost === undefined ? {} : { dayCost: day_cost }),
  ...(thread_runs === undefined ? {} : { threadRuns: thread_runs }),
})

/** What of the agent's settings the runs of a route or job are held to. */
export type Priced = { readonly model?: string; readonly budget: Budget; readonly prices: ReadonlyMap<string, Price> }

/** These settings alone: the others hold on to the file that they stand in. */
export const pricedOf = ({ model, budget, prices }: Priced): Priced => ({ ...(model === undefined ? {} : { model }), budget, prices })

type AgentOfRoute = Pick<NonNullable<Route['agent']>, 'model' | 'budget'>
type Report = (code: Code, path: Path, message: string, help: string) => void

/**
 * Reports a budget in money that would never be used up, because its model has no price. `own`: what a route or job says instead; what it
 * leaves as it is, is said of the agent.
 */
export const checkPrice = (own: AgentOfRoute | undefined, agent: Priced, report: Report): void => {
  const { runCost, dayCost } = budgetOf(own?.budget)
  const isOwn = runCost !== undefined || dayCost !== undefined
  if (own && !isOwn && own.model === undefined) return
  const model = own?.model ?? agent.model
  const isInMoney = isOwn || agent.budget.runCost !== undefined || agent.budget.dayCost !== undefined
  if (!isInMoney || model === undefined || agent.prices.has(model)) return
  const help = `set agent.prices.${model}: { input, output }`
  report('WH222', [isOwn || !own ? 'budget' : 'model'], `the budget is in money, and "${model}" has no price`, help)
}
