/**
 * Counts the usage of one attempt at a run. Ends the run when a budget is used up: the budget of the run, of which only this attempt is
 * counted, the budget of the day, or the budget of a thread of comments. Also ends the run where nobody can tell whether a budget is kept
 * (rules: Agents 7, 10).
 */

import { hash } from 'node:crypto'
import type { Budget, Price } from '../config/budget.ts'
import { dayMs, hourMs } from '../core/clock.ts'
import type { RunUsage } from '../core/facts/fact.ts'
import { AgentFault } from '../core/fault.ts'
import { roundMoney } from '../core/money.ts'
import type { NewRun } from '../core/new-run.ts'
import { deliveriesOf } from '../parts/destination.ts'
import type { CallUsage } from '../parts/runners/runner.ts'
import type { Spent, Store } from '../store/ports.ts'

export type MeterOptions = {
  readonly run: Pick<NewRun, 'profile' | 'route' | 'job' | 'delivery'>
  /** Whether an earlier attempt at the run counted it among the runs of its thread. */
  readonly isRepeat: boolean
  /** Whether a post of this target comes back as an event. */
  readonly comments: (target: string) => boolean
  readonly budget: Budget
  /** The prices of models, by the name of the model, for a million tokens. */
  readonly prices: ReadonlyMap<string, Price>
  readonly store: Pick<Store, 'spend'>
  /** Wall time, milliseconds. */
  readonly now: () => number
  /** Called with the reason before a run is ended because it cannot be checked whether the run keeps to its budget. */
  readonly uncounted: (why: string) => void
  /** Called with the key of the budget, such as `day_tokens`, before a run is ended because that budget is used up. */
  readonly usedUp: (key: string) => void
}

export interface UsageMeter {
  /**
   * Called before the first call of a model. Counts the attempt in each thread of comments that its run posts to. Throws an AgentFault
   * where the budget of the day, or of a thread of comments, is used up, and a StoreFault.
   */
  check(): Promise<void>
  /**
   * Called after each call of a model, or with the calls of several models at once. Throws an AgentFault where a budget is used up, or where
   * this cannot be checked, and a StoreFault.
   */
  used(...calls: readonly CallUsage[]): Promise<void>
  /** Returns the usage of the attempt so far; `undefined`: no model was called. */
  taken(): RunUsage | undefined
}

/**
 * Returns the key of the sum of a day's usage. A slash is a safe separator: names of profiles and routes, and ids of jobs, have none.
 */
export const daySumOf = ({ profile, route, job }: Pick<NewRun, 'profile' | 'route' | 'job'>): string =>
  job === undefined ? `route/${profile}/${route}` : `job/${profile}/${job}`

/** Returns the time until the day ends (UTC). Both times are in milliseconds. */
export const dayLeftMs = (now: number): number => dayMs - (now % dayMs)

export const createMeter = ({
  run,
  isRepeat,
  comments,
  budget,
  prices,
  store,
  now,
  uncounted,
  usedUp: tellUsedUp,
}: MeterOptions): UsageMeter => {
  const tally = createTally(prices)
  const usedUp = (what: string, key: string): AgentFault => {
    tellUsedUp(key)
    return new AgentFault(`the budget is used up: ${what} (budget.${key})`, { isFinal: true })
  }
  /** Adds usage to the sums of the day. Throws an AgentFault where they reach the budget of the day. */
  const ofDay = async (add: Spent): Promise<void> => {
    if (budget.dayTokens === undefined && budget.dayCost === undefined) return
    const { tokens, cost } = await store.spend(daySumOf(run), dayLeftMs(now()), add)
    if (tokens >= (budget.dayTokens ?? Infinity)) throw usedUp(`the day's ${budget.dayTokens} tokens`, 'day_tokens')
    if (cost >= (budget.dayCost ?? Infinity)) throw usedUp(`the day's ${budget.dayCost}`, 'day_cost')
  }
  return {
    async check() {
      await ofDay({ tokens: 0, cost: 0 })
      for (const thread of threadsOf(run, comments)) {
        const { tokens: runs } = await store.spend(thread, hourMs, { tokens: isRepeat ? 0 : 1, cost: 0 })
        if (runs > budget.threadRuns) throw usedUp(`${budget.threadRuns} runs have commented there in an hour`, 'thread_runs')
      }
    },
    async used(...calls) {
      const counted = calls.map((call) => ({ ...tally.add(call), model: call.model }))
      await ofDay({ tokens: sum(counted, 'tokens'), cost: sum(counted, 'cost') })
      const { total } = tally
      if (total.input + total.output >= (budget.runTokens ?? Infinity)) throw usedUp(`its ${budget.runTokens} tokens`, 'run_tokens')
      if (total.cost >= (budget.runCost ?? Infinity)) throw usedUp(`its ${budget.runCost}`, 'run_cost')
      const [why] = counted.flatMap((call) => whyUncountable(budget, call) ?? [])
      if (why === undefined) return
      uncounted(why)
      throw new AgentFault(why, { isFinal: true })
    },
    taken: tally.taken,
  }
}

/**
 * What one call of a model used. `isCounted`: its API gave usable counts. `isPriced`: the model has a price, or the agent said what the call
 * cost. `isCosted`: its cost is known.
 */
type Call = Spent & { readonly isCounted: boolean; readonly isPriced: boolean; readonly isCosted: boolean }

const sum = (calls: readonly Spent[], key: keyof Spent): number => calls.reduce((total, call) => total + call[key], 0)

const createTally = (prices: ReadonlyMap<string, Price>) => {
  let steps = 0
  const total = { input: 0, output: 0, cost: 0 }
  let isCostKnown = true
  let isCostTold = false
  let session: string | undefined
  const refused: string[] = []
  const tools = new Map<string, number>()
  return {
    total,
    add({ model, inputTokens, outputTokens, tools: called, ...told }: CallUsage): Call {
      steps += told.steps === undefined || !isCount(told.steps) ? 1 : told.steps
      session = told.session ?? session
      refused.push(...(told.refused ?? []))
      for (const name of called) tools.set(name, (tools.get(name) ?? 0) + 1)
      const price = prices.get(model)
      const [input, output] = [countOrZero(inputTokens), countOrZero(outputTokens)]
      const isCounted = isCount(inputTokens) && isCount(outputTokens) && input + output > 0
      const own = told.cost !== undefined && told.cost > 0 && told.cost <= maxToldCost ? told.cost : undefined
      const cost = price ? (input * price.input + output * price.output) / 1_000_000 : (own ?? 0)
      const isCosted = price ? isCounted : own !== undefined
      isCostKnown &&= isCosted
      isCostTold ||= !price && own !== undefined
      total.input += input
      total.output += output
      total.cost += cost
      return { tokens: input + output, cost, isCounted, isPriced: price !== undefined || own !== undefined, isCosted }
    },
    taken: (): RunUsage | undefined =>
      steps === 0
        ? undefined
        : {
            steps,
            inputTokens: total.input,
            outputTokens: total.output,
            ...(isCostKnown ? { cost: roundMoney(total.cost) } : {}),
            ...(isCostKnown && isCostTold ? { isCostTold } : {}),
            tools: Object.fromEntries(tools),
            ...(session === undefined ? {} : { session }),
            ...(refused.length > 0 ? { refused } : {}),
          },
  }
}

/** The highest cost of its calls that an agent is believed. */
const maxToldCost = 1_000_000

/**
 * Whether an API's number is a count of tokens. A number below 0 would lower the sums of the budget, and numbers past 2^53 are not exact.
 */
const isCount = (told: number): boolean => Number.isSafeInteger(told) && told >= 0

const countOrZero = (told: number): number => (isCount(told) ? told : 0)

/** Returns the reason why it cannot be checked whether the run keeps to its budget; `undefined` where it can be checked. */
const whyUncountable = (
  { runTokens, dayTokens, runCost, dayCost }: Budget,
  { model, isCounted, isPriced, isCosted }: Pick<Call, 'isCounted' | 'isPriced' | 'isCosted'> & { readonly model: string },
): string | undefined => {
  const isInMoney = (runCost ?? dayCost) !== undefined
  if (isInMoney && !isPriced && model !== '')
    return `the model "${model}" has no price, and the run has a budget in money: set agent.prices`
  if ((isCosted || !isInMoney) && (isCounted || (runTokens ?? dayTokens) === undefined)) return undefined
  if (model === '') return 'the program tells no usable counts of its tokens or its cost, and the run has a budget: take it away'
  return `the API of the model "${model}" tells no usable token counts, and the run has a budget: take it away, or ask an API that counts`
}

/**
 * Returns a key for each thread of comments that the run posts to, such as a pull request. The attempts at runs with a key are counted for
 * an hour.
 */
const threadsOf = ({ profile, delivery }: MeterOptions['run'], comments: MeterOptions['comments']): readonly string[] =>
  deliveriesOf(delivery)
    .filter(({ target }) => comments(target))
    .map(({ target, extra }) => `thread/${hash('sha256', JSON.stringify([profile, target, extra]), 'base64url')}`)
