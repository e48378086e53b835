/** Sends a test and finds out what came of it: why it was not taken, and how its run ended. */

import { usage } from '../../core/fault.ts'
import { outcomeNames } from '../../core/outcome-table.ts'
import { nearest } from '../../core/text.ts'
import { quoted } from '../../process/quoted.ts'
import { followEvent } from '../events/follow-event.ts'
import type { KnownEvent } from '../events/known-event.ts'
import type { GatewayFinder } from '../running-gateway.ts'
import type { Workspace } from '../workspace.ts'
import type { PreparedTest } from './prepare-test.ts'
import { sendTest, type TestAnswer } from './send-test.ts'

export type Expectation = {
  /** Follow the run to its end. */
  readonly wait: boolean
  readonly timeoutMs: number
  /** What should come of it; without it: that the event is accepted, and its run does not die. */
  readonly expect?: string | undefined
}

export type TestedRoute = {
  readonly answer: TestAnswer
  /** The event's record, where it was asked for and is there. */
  readonly known: KnownEvent | undefined
  /** It was followed. */
  readonly isFollowed: boolean
  /** Its run has ended, or there was none to wait for. */
  readonly isEnded: boolean
  /** As it should be. */
  readonly ok: boolean
}

const ends = ['done', 'dead', 'merged'] as const
const isEnd = (state: string): boolean => ends.some((end) => end === state)

/** Throws a usage Fault for a word that nothing ends as. */
export const checkExpected = (word: string | undefined): void => {
  const [outcome = '', ...stage] = word?.split(':') ?? ['accepted']
  const known = [...outcomeNames, ...ends]
  if (known.includes(outcome) && (stage.length === 0 || outcome === 'ignored')) return
  const near = nearest(outcome, known)
  throw usage(`--expect: nothing ends as "${word}"`, near.length > 0 ? `did you mean ${near.join(' or ')}?` : `one of: ${known.join(', ')}`)
}

const reasonMs = 2_000

/** Throws a Fault when no gateway answers. */
export const testRoute = async (
  workspace: Workspace,
  gateway: GatewayFinder,
  test: PreparedTest,
  { wait, timeoutMs, expect }: Expectation,
): Promise<TestedRoute> => {
  const { self } = workspace
  const answer = await sendTest(test, `start it: ${self} gateway run\nwithout one: ${self} webhook trace ${quoted(test.route)}`)
  const { eventId, isTaken } = answer
  const isFollowed = isTaken && eventId !== undefined && (wait || (expect !== undefined && isEnd(expect)))
  const follow = { timeoutMs: isFollowed ? timeoutMs : reasonMs, isEnough: (each: KnownEvent) => !isFollowed || hasEnded(each) }
  const known = eventId !== undefined && (isFollowed || !isTaken) ? await followEvent(workspace, gateway, eventId, follow) : undefined
  const isEnded = known ? hasEnded(known) : !isFollowed
  const fared = { answer, known, isFollowed, isEnded }
  return { ...fared, ok: expect === undefined ? isTaken && isEnded && known?.state !== 'dead' : isAs(expect, fared) }
}

const hasEnded = ({ state }: KnownEvent): boolean => state === 'final' || isEnd(state)

const isAs = (expected: string, { answer, known, isFollowed, isEnded }: Omit<TestedRoute, 'ok'>): boolean => {
  if (isEnd(expected)) return known?.state === expected
  const [outcome, stage] = expected.split(':')
  if (answer.outcome !== outcome || (isFollowed && !isEnded)) return false
  return stage === undefined || stage === known?.event.stage || stage === answer.reason
}
