/** Reads the backlog of a running gateway: runs, groups, lanes, and the use of the budgets of the day. */

import { roundMoney } from '../../core/money.ts'
import type { Backlog, BudgetUse } from '../../generated/control.ts'
import { dayLeftMs, daySumOf } from '../../runs/meter.ts'
import type { DayBudget, LiveConfig } from '../../serve/live-config.ts'
import { maxQueues } from '../../store/bounds.ts'
import type { Store } from '../../store/ports.ts'

/** The most budgets that are read, because each takes a question to the store. */
const maxBudgets = 100

/** Resolves to the backlog. Rejects with a StoreFault. `now`: wall time, milliseconds. */
export const readBacklog = async (
  store: Pick<Store, 'totals' | 'queues' | 'spend'>,
  { dayBudgets }: Pick<LiveConfig, 'dayBudgets'>,
  now: number,
): Promise<Backlog> => {
  const isoAt = (inMs: number): string => new Date(now + inMs).toISOString()
  const use = async ({ budget: { dayTokens, dayCost }, ...owner }: DayBudget): Promise<BudgetUse> => {
    const { tokens, cost } = await store.spend(daySumOf(owner), dayLeftMs(now), { tokens: 0, cost: 0 })
    return {
      profile: owner.profile,
      ...(owner.job === undefined ? { route: owner.route } : { job: owner.job }),
      ends_at: isoAt(dayLeftMs(now)),
      tokens,
      cost: roundMoney(cost),
      ...(dayTokens === undefined ? {} : { day_tokens: dayTokens }),
      ...(dayCost === undefined ? {} : { day_cost: dayCost }),
    }
  }
  const budgets = dayBudgets()
  const [{ inLanes, oldestMs, ...totals }, { groups, lanes }, uses] = await Promise.all([
    store.totals(),
    store.queues(maxQueues),
    Promise.all(budgets.slice(0, maxBudgets).map(use)),
  ])
  return {
    ...totals,
    in_lanes: inLanes,
    oldest_at: oldestMs === undefined ? null : isoAt(-oldestMs),
    open_groups: groups.map(({ eventId: id, count: events, dueInMs, ...group }) => ({ id, ...group, events, due_at: isoAt(dueInMs) })),
    full_lanes: lanes.map(({ eventId: id, ...lane }) => ({ id, ...lane })),
    budgets: uses,
    more_budgets: Math.max(0, budgets.length - maxBudgets),
  }
}
