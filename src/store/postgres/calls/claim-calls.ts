/**
 * The calls that make, look up and settle claims; to settle is to keep or to release. A call with a run claims the delivery id and enqueues
 * the run in one step. `freeClaims` is no call: it deletes claims of which the caller never learned.
 */

import type { Claimed } from '../../ports.ts'
import { boundedMs, type CallKind, joinLines, lines, list } from '../call-kind.ts'
import { ownerOfMark } from '../keys.ts'
import { overExpired } from '../sql/lane-functions.ts'
import { hasPriority, priorityStep } from '../sql/priority-indexes.ts'

/**
 * A claim to be made. `key`: the hash of the claimed id. `mark`: the number of the call (`CallMarks`), negative for a claim that waits to
 * be settled. `run`: the run as JSON, empty for a claim without a run.
 */
export type ClaimFields = { readonly key: string; readonly holdMs: number; readonly mark: bigint; readonly run: string }

/**
 * A claim to be made, and what becomes of its run. `eventId`: the id of the run's event, empty without a run. `leaseMs`: the length of the
 * lease with which the run is taken at once; with 0 the run waits to be taken.
 */
export type ClaimCall = ClaimFields & { readonly eventId: string; readonly leaseMs: number }

/** The answer where the id was claimed and its run taken at once. */
export type TakenAtOnce = { readonly runId: string }

/** Returns the first call for each key, in the order of the keys: two statements that lock the same rows in two orders would deadlock. */
const inOrderOfKeys = (calls: readonly ClaimCall[]): readonly (readonly [ClaimCall, number])[] => {
  const first = new Map<string, readonly [ClaimCall, number]>()
  for (const [index, call] of calls.entries()) if (!first.has(call.key)) first.set(call.key, [call, index])
  return [...first.values()].sort(([a], [b]) => (a.key < b.key ? -1 : 1))
}

/** Claims the ids of `input`, a step of a statement. Its rows are those that were free, and those that a repeated call has claimed before. */
export const claimedInput = `claimed as (
      insert into claims as held (key, until, mark)
      select key, clock() + hold * interval '1 ms', mark from input
      ${overExpired}
      returning held.key, held.repeats
    )`

/**
 * The call that claims an id, with or without a run. `owner` owns the runs that are taken at once. `doubt` gets the claims without a run of
 * which nobody knows whether they were made: their callers will not settle them.
 */
export const claimKind = (owner: bigint, doubt: (calls: readonly ClaimFields[]) => void): CallKind<ClaimCall, Claimed | TakenAtOnce> => ({
  name: 'claim_2',
  // The tests "is true" keep the database's planner from making joins of the lists, whose lengths it does not know. Without a join it looks
  // the keys up in a hash table, which is always quick.
  text: `with input as (
      select * from unnest($1::uuid[], $2::float8[], $3::bigint[], ${lines('$4')}, $5::int[], $6::float8[])
        as t (key, hold, mark, run, place, lease)
    ), ${claimedInput}, made as (
      insert into runs (event_id, made_at, due_at, owner, fence, attempt, leased, run)
      select split_part(run, '"', 4), clock(), clock() + case when lease = 0 and ${hasPriority('low')} then ${priorityStep} else lease * interval '1 ms' end, case when lease > 0 then $7::bigint end,
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
      // Where the rows have no answer, another statement has just made a claim that this statement does not see. Nobody knows whether that
      // claim is settled, so the caller has to ask again.
      return isSettled ? 'duplicate' : 'unsettled'
    })
  },
})

/** The call that answers for each key of a list whether a claim holds it. */
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

/** A claim to be settled. `moreMs`: how much longer it lasts when it is kept. `owner`: the number of this process. */
export type Settling = { readonly key: string; readonly moreMs: number; readonly owner: bigint }

const isNewKey = (calls: readonly Settling[], { key }: Settling): boolean => calls.every((other) => other.key !== key)

/**
 * The call that keeps claims. Only claims of this process are kept, so that a repeated call cannot touch the later claim of another
 * process.
 */
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

/** The statement that deletes claims whose calls were given up, because their callers do not know of the claims. */
export const freeClaims = {
  name: 'free_claims_1',
  text: 'delete from claims using unnest($1::uuid[], $2::bigint[]) as t (k, m) where claims.key = t.k and claims.mark = t.m',
}
