/** The call that reserves requests of the rate limit that gateways share. */

import type { RateShare } from '../../shared.ts'
import { type CallKind, list } from '../call-kind.ts'
import { byKey } from './session-calls.ts'

export type RateCall = { readonly key: string; readonly requests: number; readonly limit: number }

/**
 * The call takes a second part of the limit when it is sent again after its commit. The route's window is then full too early, which does
 * no harm.
 */
export const rateShareKind: CallKind<RateCall, RateShare> = {
  name: 'rate_share_1',
  text: `insert into rates as held (key, ends_at, used, granted)
    select key, clock() + interval '1 minute', least(wanted, most), least(wanted, most)
    from unnest($1::uuid[], $2::int[], $3::int[]) as t (key, wanted, most)
    on conflict (key) do update set
      ends_at = case when held.ends_at <= clock() then excluded.ends_at else held.ends_at end,
      granted = case when held.ends_at <= clock() then excluded.granted
        else greatest(0, least(excluded.granted, (select most from unnest($1::uuid[], $3::int[]) as t (key, most) where t.key = held.key) - held.used)) end,
      used = case when held.ends_at <= clock() then excluded.used
        else held.used + greatest(0, least(excluded.granted, (select most from unnest($1::uuid[], $3::int[]) as t (key, most) where t.key = held.key) - held.used)) end
    returning key, granted, (extract(epoch from ends_at - clock()) * 1000)::float8`,
  maxCalls: 200,
  isRepeatable: true,
  joins: (calls, { key }) => calls.every((other) => other.key !== key),
  values(calls) {
    const sorted = byKey(calls)
    return [list(sorted.map(([{ key }]) => key)), list(sorted.map(([{ requests }]) => requests)), list(sorted.map(([{ limit }]) => limit))]
  },
  answers(rows, calls) {
    const shares = new Map(
      rows.map(([key, requests, leftMs]) => [keyText(key), { requests: requests as number, leftMs: leftMs as number }]),
    )
    return calls.map(({ key }) => shares.get(key) ?? { requests: 0, leftMs: 0 })
  },
}

/** Returns a key as callers write it: without the hyphens that the server puts into a uuid. */
const keyText = (key: unknown): string => String(key).replaceAll('-', '')
