/** The calls that read, extend and delete sessions and their messages. */

import type { Session, SessionMessage, SessionName } from '../../../core/session.ts'
import { maxSessions } from '../../bounds.ts'
import { parseMessage, parseSession, type StoredMessage, sessionTexts, storedMessage } from '../../stored.ts'
import { type CallKind, joinLines, lines, list } from '../call-kind.ts'
import type { ResultRow } from '../connection.ts'
import { keyOf } from '../keys.ts'

/**
 * Messages for a session. `about` (the session's name) and `address` (its chat) are JSON; `key`, `profile`, `route`, `addressKey` and
 * `turn` are hashes (`keyOf`). `messages`: each as JSON, with the number of characters of its text.
 */
type ConverseCall = {
  readonly key: string
  readonly about: string
  readonly profile: string
  readonly route: string
  readonly address: string | null
  readonly addressKey: string | null
  readonly turn: string
  readonly messages: readonly StoredMessage[]
}

type Conversed = { readonly isNew: boolean; readonly isAdded: boolean }

/** Sorts calls by key, each with its index. Two statements that lock the same rows in two orders would deadlock. */
export const byKey = <T extends { readonly key: string }>(calls: readonly T[]): readonly (readonly [T, number])[] =>
  calls.map((call, index) => [call, index] as const).sort(([a, m], [b, n]) => (a.key === b.key ? m - n : a.key < b.key ? -1 : 1))

/** Makes the call that adds the messages of a turn to a session. */
export const converseCall = (session: SessionName, turn: string, messages: readonly SessionMessage[]): ConverseCall => {
  const { about, place, chat } = sessionTexts(session)
  return {
    key: keyOf(session.key),
    about,
    profile: keyOf(session.profile),
    route: keyOf(session.route),
    address: place,
    addressKey: chat === null ? null : keyOf(chat),
    turn: keyOf(turn),
    messages: messages.map(storedMessage),
  }
}

/** Returns for each call the positions, from 1, of its first and last message in the one list that has the messages of all calls. */
const messageRanges = (calls: readonly ConverseCall[]): readonly (readonly [first: number, last: number])[] => {
  let last = 0
  return calls.map(({ messages }) => {
    const first = last + 1
    last += messages.length
    return [first, last]
  })
}

export const converseKind: CallKind<ConverseCall, Conversed> = {
  name: 'converse_1',
  text: `with base as materialized (select nextval('uses') as used, ${lines('$10')} as texts, $11::int[] as lengths)
    select place, is_new, is_added
    from base, unnest($1::uuid[], ${lines('$2')}, $3::uuid[], $4::uuid[], ${lines('$5')}, $6::uuid[], $7::uuid[], $8::int[], $9::int[], $12::int[])
      as t (key, about, profile, route, at, at_key, turn, first, last, place),
      converse_1(key, about, profile, route, nullif(at, ''), at_key, used + place, turn, texts[first:last], lengths[first:last])`,
  maxCalls: 500,
  isRepeatable: false,
  values(calls) {
    const sorted = byKey(calls)
    const of = <T>(value: (call: ConverseCall) => T): T[] => sorted.map(([call]) => value(call))
    const ranges = messageRanges(of((call) => call))
    const messages = sorted.flatMap(([call]) => call.messages)
    return [
      list(of(({ key }) => key)),
      joinLines(of(({ about }) => about)),
      list(of(({ profile }) => profile)),
      list(of(({ route }) => route)),
      joinLines(of(({ address }) => address ?? '')),
      list(of(({ addressKey }) => addressKey)),
      list(of(({ turn }) => turn)),
      list(ranges.map(([first]) => first)),
      list(ranges.map(([, last]) => last)),
      joinLines(messages.map(({ text }) => text)),
      list(messages.map(({ chars }) => chars)),
      list(sorted.map(([, index]) => index)),
    ]
  },
  answers(rows, calls) {
    const answers: Conversed[] = calls.map(() => ({ isNew: false, isAdded: false }))
    for (const [index, isNew, isAdded] of rows) answers[index as number] = { isNew: isNew === true, isAdded: isAdded === true }
    return answers
  },
}

/** Drops the sessions past the bound whose last message is the oldest. */
export const trimSessionsKind: CallKind<void, void> = {
  name: 'trim_sessions_1',
  text: `delete from sessions where key in (select key from sessions order by used desc offset ${maxSessions})`,
  maxCalls: 1_000,
  isRepeatable: true,
  values: () => [],
  answers: (_, calls) => calls.map(() => undefined),
}

export const mirrorKind: CallKind<StoredMessage & { readonly addressKey: string }, 'none' | 'several' | 'written'> = {
  name: 'mirror_1',
  text: 'select mirror_1($1, $2, $3)',
  maxCalls: 1,
  isRepeatable: false,
  values: ([call]) => [call?.addressKey, call?.text, call?.chars],
  answers: (rows) => rows.map(([answer]) => answer as 'none' | 'several' | 'written'),
}

export const conversationKind: CallKind<{ readonly key: string; readonly max: number }, readonly SessionMessage[]> = {
  name: 'conversation_1',
  text: 'select message from messages where session = $1 order by n desc limit $2',
  maxCalls: 1,
  isRepeatable: true,
  values: ([call]) => [call?.key, call?.max],
  answers: (rows) => [rows.flatMap(([message]) => parseMessage(message as string) ?? []).reverse()],
}

const ageInMs = (time: string): string => `greatest(0, (extract(epoch from clock() - ${time}) * 1000)::float8)`

const columns = `about, place, ${ageInMs('created_at')}, ${ageInMs('updated_at')}, (select count(*) from messages where session = key)`

const sessionOf = (row: ResultRow): Session | undefined => {
  const [about, address, ageMs, idleMs, messages] = row as [string, string | null, number, number, string]
  const name = parseSession(about, address)
  return name && { ...name, ageMs, idleMs, messages: Number(messages) }
}

export const sessionKind: CallKind<string, Session | undefined> = {
  name: 'session_1',
  text: `select ${columns} from sessions where key = $1`,
  maxCalls: 1,
  isRepeatable: true,
  values: ([key]) => [key],
  answers: ([row]) => [row && sessionOf(row)],
}

/** `profile` and `route` are hashes of their names (`keyOf`); `null` for any. */
export type SessionsCall = { readonly profile: string | null; readonly route: string | null; readonly max: number }

export const sessionsKind: CallKind<SessionsCall, readonly Session[]> = {
  name: 'sessions_1',
  text: `select ${columns} from sessions where profile = coalesce($1, profile) and route = coalesce($2, route) order by used desc limit $3`,
  maxCalls: 1,
  isRepeatable: true,
  values: ([call]) => [call?.profile, call?.route, call?.max],
  answers: (rows) => [rows.flatMap((row) => sessionOf(row) ?? [])],
}

const forgottenAtOnce = 500

/**
 * The call that deletes some of the sessions that are idle for longer than a time (milliseconds), with their messages. Answers the number
 * of deleted sessions.
 */
export const forgetSessionsKind: CallKind<number, number> = {
  name: 'forget_sessions_1',
  text: `with gone as (
      delete from sessions where key in (
        select key from sessions where updated_at < clock() - $1::float8 * interval '1 ms' order by updated_at limit ${forgottenAtOnce}
      ) returning 1
    ) select count(*) from gone`,
  maxCalls: 1,
  isRepeatable: false,
  values: ([maxIdleMs]) => [maxIdleMs],
  answers: ([row]) => [Number(row?.[0])],
}
