/** Compares the result of a step with the expectations of its test. */

import { looseOf, withTextIds } from '../../core/exact-json.ts'
import type { EndedItem } from '../../core/facts/fact.ts'
import { isJson, type Json, type JsonObject, own } from '../../core/json.ts'
import { isTakenOutcome, outcomeName, outcomeReason } from '../../core/outcome-table.ts'
import { withDigits } from '../../core/written-digits.ts'
import { isJsonType } from '../../expr/escape.ts'
import type { TestExpect } from '../../generated/config.ts'
import { bodyType, withShownBody } from '../../parts/body-pieces.ts'
import { deliveriesOf } from '../../parts/destination.ts'
import { filters } from '../../parts/stages/filters.ts'
import { lookup } from '../../parts/stages/lookup.ts'
import { targetName } from '../../parts/written-names.ts'
import type { Trace } from '../trace/trace.ts'
import { type Difference, type MatchContext, match } from './matcher.ts'
import type { Happened } from './rehearsal.ts'

/**
 * The result of a step. `traced`: the trace of the event that is checked; `undefined` where no event was sent, and for a check after the
 * clock has moved. `happened`: the prompts, attempts and sent texts since the last check.
 */
export type StepResult = { readonly traced: Omit<Trace, 'starts'> | undefined; readonly happened: Happened }

type SnapshotContext = Pick<MatchContext, 'snapshot'>
type CheckExpectation = (wanted: never, result: StepResult, around: MatchContext) => readonly Difference[] | Promise<readonly Difference[]>

const noEvent = 'no event: this step sends none'

/**
 * Returns the difference of two values; none where they are equal. `at`: the key of the expectation. `absent`: the words for a missing
 * value.
 */
const compareExactly = (at: string, wanted: Json, got: Json | undefined, absent = 'nothing'): readonly Difference[] =>
  wanted === got ? [] : [{ at, expected: JSON.stringify(wanted), got: got === undefined ? absent : JSON.stringify(got) }]

/** Returns the text of the step: the agent's last prompt, else the text that was sent last. */
const lastText = ({ happened: { prompts, sent } }: StepResult): string | undefined => prompts.at(-1) ?? sent.at(-1)?.text

const endedAttempts = ({ happened: { attempts } }: StepResult) => attempts.filter(({ end }) => end.kind !== 'again')

/** The checks by the keys of `expect`. A contract test compares the keys with the schema. */
const checks: { readonly [key in keyof Omit<TestExpect, `x-${string}`>]-?: CheckExpectation } = {
  status: (wanted: number, { traced }) => compareExactly('status', wanted, traced?.answer.status, noEvent),
  outcome: (wanted: string, { traced }) => compareExactly('outcome', wanted, traced?.name, noEvent),
  stopped_at: (wanted: string, { traced }) => compareExactly('stopped_at', wanted, traced && (traced.stoppedAt ?? 'none'), noEvent),
  rule: (wanted: string, { traced }) => {
    const reason = traced?.reason ?? ''
    // The reason begins with the name of the condition that said no. That condition may stand inside the wanted condition.
    const isAboutWanted = reason.startsWith(wanted) && /^[ :.[]/.test(reason.slice(wanted.length))
    return (traced?.stoppedAt === filters.name || traced?.stoppedAt === lookup.name) && isAboutWanted
      ? []
      : [{ at: 'rule', expected: `${wanted} to say no`, got: reason || 'nothing said no' }]
  },
  reason: (wanted: Json, { traced }, around) => match('reason', wanted, traced?.reason, around),
  event: (wanted: string, { traced }) => compareExactly('event', wanted, traced?.event?.eventType, noEvent),
  payload: (wanted: Json, { traced }, around) => match('payload', wanted, traced?.event && looseOf(traced.event), around),
  answer: (wanted: Json, { traced }, around) => match('answer', wanted, traced?.answer.body, around),
  items: (wanted: NonNullable<TestExpect['items']>, { traced }, around) => checkItems(wanted, traced, around),
  prompt: (wanted: Json, result, around) => match('prompt', wanted, lastText(result), around),
  agent: (wanted: string, { happened }) => compareExactly('agent', wanted, happened.agents.at(-1), 'no agent was asked'),
  runs: (wanted: number, result) => compareExactly('runs', wanted, endedAttempts(result).length),
  dead: (wanted: number, result) => compareExactly('dead', wanted, endedAttempts(result).filter(({ end }) => end.kind === 'dead').length),
  stale: (wanted: number, result) =>
    compareExactly('stale', wanted, endedAttempts(result).filter(({ end }) => end.kind === 'stale').length),
  deliveries: (wanted: number, { happened }) => compareExactly('deliveries', wanted, happened.sent.length),
  deliver: (wanted: NonNullable<TestExpect['deliver']>, result, around) => checkDelivery(wanted, result, around),
}

/** The keys that `expect` may have. */
export const expectationKeys: readonly string[] = Object.keys(checks)

/** Checks all expectations of a step, and returns the differences; an empty list where all expectations hold. */
export const checkExpected = async (expected: TestExpect, result: StepResult, around: SnapshotContext): Promise<readonly Difference[]> => {
  const unresolved = (result.traced?.placeholders ?? []).flatMap(({ written, missing }) => (missing ? written : []))
  const found: Difference[] = []
  for (const [key, wanted] of Object.entries(expected)) {
    const check = own(checks as { readonly [key: string]: CheckExpectation }, key)
    if (check && wanted !== undefined) found.push(...(await check(wanted as never, result, { ...around, unresolved })))
  }
  return found
}

const checkItems = async (
  wanted: NonNullable<TestExpect['items']>,
  traced: StepResult['traced'],
  around: MatchContext,
): Promise<readonly Difference[]> => {
  if (!traced) return compareExactly('items', wanted.length, undefined, noEvent)
  const { items = [] } = traced
  if (items.length !== wanted.length) return compareExactly('items', wanted.length, items.length)
  const found = await Promise.all(
    wanted.map(async ({ route, event, outcome, stopped_at, id, reason }, i) => {
      const { event: item, outcome: ended, stage } = items[i] as EndedItem
      const exact: readonly (readonly [key: string, wanted: string | undefined, got: string])[] = [
        ['route', route, item.route],
        ['event', event, item.eventType],
        ['outcome', outcome, outcomeName(ended)],
        ['stopped_at', stopped_at, isTakenOutcome(ended) ? 'none' : stage],
        ['id', id, item.deliveryId],
      ]
      const differences = exact.flatMap(([key, text, got]) => (text === undefined ? [] : compareExactly(`items[${i}].${key}`, text, got)))
      const ofReason = reason === undefined ? [] : await match(`items[${i}].reason`, reason as Json, outcomeReason(ended), around)
      return [...differences, ...ofReason]
    }),
  )
  return found.flat()
}

/** Returns the body as a value, where it is JSON, else as a text. */
const sentBody = (shown: JsonObject): Json | undefined => {
  const text = own(shown, 'body')
  return typeof text === 'string' && isJsonType(bodyType(shown)) && isJson(text) ? (JSON.parse(text) as Json) : text
}

const checkDelivery = async (
  { target, extra, body, text }: NonNullable<TestExpect['deliver']>,
  { happened: { sent } }: StepResult,
  around: MatchContext,
): Promise<readonly Difference[]> => {
  const last = sent.at(-1)
  if (!last) return [{ at: 'deliver', expected: 'a text that goes out', got: 'nothing' }]
  const [delivery] = deliveriesOf(last.delivery)
  const got = withShownBody(delivery?.extra ?? {}, last.text)
  // A target has a whole number past 2^53 as the text of its digits.
  const settings = Object.entries(withTextIds(withDigits((extra ?? {}) as JsonObject)) as JsonObject)
  const found = await Promise.all(
    settings.map(([key, wanted]) => match(`deliver.extra.${key}`, { equals: wanted as never }, own(got, key), around)),
  )
  return [
    ...(target === undefined ? [] : compareExactly('deliver.target', targetName(target), delivery?.target)),
    ...found.flat(),
    ...(body === undefined ? [] : await match('deliver.body', body as Json, sentBody(got), around)),
    ...(text === undefined ? [] : await match('deliver.text', text as Json, last.text, around)),
  ]
}
