/** What runs may take, and what models cost, as a configuration says. */

import type { Budget as Written } from '../generated/config.ts'

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
