/** The calls for the sums of usage (`Store.spend`), and for the positions of schedules and catch-ups (`Store.positions`). */

import { maxSums } from '../../bounds.ts'
import type { Spent } from '../../ports.ts'
import { parseText } from '../../stored.ts'
import { boundedMs, type CallKind, joinLines, lines, list } from '../call-kind.ts'
import { byKey } from './session-calls.ts'

export type SpendCall = { readonly key: string; readonly leftMs: number; readonly add: Spent }

type Sum = { readonly isNew: boolean; readonly spent: Spent }

export const spendKind: CallKind<SpendCall, Sum> = {
  name: 'spend_1',
  text: `select place, is_new, all_tokens, all_cost
    from unnest($1::uuid[], $2::float8[], $3::float8[], $4::float8[], $5::int[]) as t (key, left_ms, tokens, cost, place),
      spend_1(key, left_ms, tokens, cost)`,
  maxCalls: 500,
  // Sent again after its commit, a call would add its usage a second time.
  isRepeatable: false,
  values(calls) {
    const sorted = byKey(calls)
    return [
      list(sorted.map(([{ key }]) => key)),
      list(sorted.map(([{ leftMs }]) => boundedMs(leftMs))),
      list(sorted.map(([{ add }]) => add.tokens)),
      list(sorted.map(([{ add }]) => add.cost)),
      list(sorted.map(([, place]) => place)),
    ]
  },
  answers(rows, calls) {
    const sums: Sum[] = calls.map(({ add }) => ({ isNew: false, spent: add }))
    for (const [place, isNew, tokens, cost] of rows) {
      sums[place as number] = {
        isNew: isNew === true,
        spent: { tokens: (tokens as number | null) ?? 0, cost: (cost as number | null) ?? 0 },
      }
    }
    return sums
  },
}

/** Drops the sums past the bound whose windows end first. */
export const trimSumsKind: CallKind<void, void> = {
  name: 'trim_sums_1',
  text: `delete from sums where key in (select key from sums order by ends_at desc offset ${maxSums})`,
  maxCalls: 1_000,
  isRepeatable: true,
  values: () => [],
  answers: (_, calls) => calls.map(() => undefined),
}

export const positionsKind: CallKind<void, readonly (readonly [string, number])[]> = {
  name: 'plans_1',
  text: 'select name, at from plans',
  maxCalls: 1,
  isRepeatable: true,
  values: () => [],
  answers: (rows) => [
    rows.flatMap(([stored, at]) => {
      const name = parseText(stored as string)
      return name === undefined ? [] : [[name, at as number] as const]
    }),
  ],
}

/** `name`: the schedule's key as JSON. */
export type PositionEntry = { readonly key: string; readonly name: string; readonly at: number | null }

export const keepPositionsKind: CallKind<readonly PositionEntry[], void> = {
  name: 'plan_1',
  text: `select plan_1($1::uuid[], ${lines('$2')}, $3::float8[])`,
  maxCalls: 1,
  isRepeatable: true,
  values: ([entries = []]) => [
    list(entries.map(({ key }) => key)),
    joinLines(entries.map(({ name }) => name)),
    list(entries.map(({ at }) => at)),
  ],
  answers: () => [undefined],
}
