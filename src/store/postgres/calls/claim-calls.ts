/** The calls that make, ask for and settle claims. A call with a run claims its id and enqueues the run. */

import type { Claimed } from '../../ports.ts'
import { boundedMs, type CallKind, joinLines, lines, list } from '../call-kind.ts'
import { ownerOfMark } from '../keys.ts'
import { overExpired } from '../sql/lane-functions.ts'

/** `mark`: the number of the call, below 0 for a claim that waits to be settled. `run`: JSON, empty for a claim without a run. */
export type ClaimCall = { readonly key: string; readonly holdMs: number; readonly mark: bigint; readonly run: string }

/** `leaseMs`: the lease with which the run is taken as it is enqueued; 0, the run waits. `eventId`: of the run. */
export type EnqueueCall = ClaimCall & { readonly eventId: string; readonly leaseMs: number }

/** The answer where the run was taken, too. */
export type TakenAtOnce = { readonly runId: string }

/** Returns the first call for each key, in the order of the keys: two statements that lock the same rows in two orders would deadlock. */
const inOrderOfKeys = (calls: readonly EnqueueCall[]): readonly (readonly [EnqueueCall, number])[] => {
  const first = new Map<string, readonly [EnqueueCall, number]>()
  for (const [index, call] of calls.entries()) if (!first.has(call.key)) first.set(call.key, [call, index])
  return [...first.values()].sort(([a], [b]) => (a.key < b.key ? -1 : 1))
}

/**
 * Claims ids, and answers each call. `owner`: of the runs that are taken at once. `doubt` gets claims without a run whose outcome is
 * unknown, because nobody would ever settle them.
 */
export const claimKind = (owner: bigint, doubt: (calls: readonly ClaimCall[]) => void): CallKind<EnqueueCall, Claimed | TakenAtOnce> => ({
  name: 'claim_1',
  // The tests "is true" keep the planner from making a join of the lists, whose lengths it does not know: a hash is always quick.
  text: `with input as (
      select * from unnest($1::uuid[], $2::float8[], $3::bigint[], ${lines('$4')}, $5::int[], $6::float8[])
        as t (key, hold, mark, run, place, lease)
    ), claimed as (
      insert into claims as held (key, until, mark)
      select key, clock() + hold * interval '1 ms', mark from input
      ${overExpired}
      returning held.key, held.repeats
    ), made as (
      insert into runs (event_id, made_at, due_at, owner, fence, attempt, leased, run)
      select split_part(run, '"', 4), clock(), clock() + lease * interval '1 ms', case when lease > 0 then $7::bigint end,
        (lease > 0)::int, (lease > 0)::int, lease > 0, run
      from input where run <> '' and (key in (select key from claimed where repeats = 0)) is true order by place
      returning id, event_id, leased
    )
    select place, true, null, null from input where (key in (select key from claimed)) is true
    union all
    select null, null, id, event_id from made where leased
    union all
    select place, false, null, null from input where (key in (select key from claimed)) is not true
      and exists (select 1 from claims as others where others.key = input.key and others.mark >= 0 and others.until > clock())`,
  maxCalls: 500,
  charsOf: ({ run }) => run.length,
  isRepeatable: true,
  doubt: (calls) => doubt(calls.filter(({ run }) => run === '')),
  values(calls) {
    const sorted = inOrderOfKeys(calls)
    return [
      list(sorted.map(([{ key }]) => key)),
      list(sorted.map(([{ holdMs }]) => boundedMs(holdMs))),
      list(sorted.map(([{ mark }]) => mark)),
      joinLines(sorted.map(([{ run }]) => run)),
      list(sorted.map(([, index]) => index)),
      list(sorted.map(([{ leaseMs }]) => boundedMs(leaseMs))),
      String(owner),
    ]
  },
  answers(rows, calls) {
    const claimed = new Map<number, boolean>()
    const taken = new Map<string, string>()
    for (const [index, isClaimed, runId, eventId] of rows) {
      if (index === null) taken.set(eventId as string, runId as string)
      else claimed.set(index as number, isClaimed === true)
    }
    const firsts = new Map<string, number>()
    return calls.map(({ key, run, eventId }, index) => {
      const first = firsts.get(key)
      if (first === undefined) firsts.set(key, index)
      // Only the first of several calls for the same key was sent.
      if (first === undefined && claimed.get(index) === true) {
        const runId = taken.get(eventId)
        return runId === undefined ? 'claimed' : { runId }
      }
      if (run !== '') return 'duplicate'
      const before = first ?? index
      const isSettled = claimed.get(before) === false || (claimed.get(before) === true && calls[before]?.run !== '')
      // The statement does not see a claim that another call has just made. That claim may be settled or not, so the caller asks again.
      return isSettled ? 'duplicate' : 'unsettled'
    })
  },
})

/** Answers for each list of keys whether they are held. */
export const heldKind: CallKind<readonly string[], readonly boolean[]> = {
  name: 'held_1',
  text: 'select key from claims where key = any ($1::uuid[]) and until > clock()',
  maxCalls: 500,
  isRepeatable: true,
  values: (calls) => [list(calls.flat())],
  answers(rows, calls) {
    const held = new Set(rows.map(([key]) => String(key).replaceAll('-', '')))
    return calls.map((keys) => keys.map((key) => held.has(key)))
  },
}

/** `moreMs`: how much longer a kept claim lasts than an unsettled claim. */
export type Settling = { readonly key: string; readonly moreMs: number; readonly owner: bigint }

const isNewKey = (calls: readonly Settling[], { key }: Settling): boolean => calls.every((other) => other.key !== key)

/** Settles claims of this process, so that a call which is sent again cannot free the later claim of another process. */
export const keepKind: CallKind<Settling, void> = {
  name: 'keep_1',
  text: `update claims set mark = -mark, until = until + t.more * interval '1 ms'
    from unnest($1::uuid[], $2::float8[]) as t (k, more)
    where key = t.k and mark < 0 and ${ownerOfMark} = $3 and until > clock()`,
  maxCalls: 500,
  isRepeatable: true,
  joins: isNewKey,
  values(calls) {
    const sorted = [...calls].sort((a, b) => (a.key < b.key ? -1 : 1))
    return [list(sorted.map(({ key }) => key)), list(sorted.map(({ moreMs }) => boundedMs(moreMs))), String(calls[0]?.owner)]
  },
  answers: (_, calls) => calls.map(() => undefined),
}

export const releaseKind: CallKind<Settling, void> = {
  name: 'release_1',
  text: `delete from claims where key = any ($1::uuid[]) and mark < 0 and ${ownerOfMark} = $2`,
  maxCalls: 500,
  isRepeatable: true,
  values: (calls) => [list(calls.map(({ key }) => key).sort()), String(calls[0]?.owner)],
  answers: (_, calls) => calls.map(() => undefined),
}

/** Frees claims that nobody holds, because their calls were given up. */
export const freeClaims = {
  name: 'free_claims_1',
  text: 'delete from claims using unnest($1::uuid[], $2::bigint[]) as t (k, m) where claims.key = t.k and claims.mark = t.m',
}
