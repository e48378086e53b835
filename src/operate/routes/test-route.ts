/** Sends a test and finds out its result: why the request was not taken, or how its run ended. */

import { Fault, usage } from '../../core/fault.ts'
import { outcomeNames } from '../../core/outcome-table.ts'
import { nearest, quoted } from '../../core/text.ts'
import { readAttempts } from '../../datadir/records/event-attempts.ts'
import { withRecords } from '../../datadir/records/open-records.ts'
import type { GatewayFinder } from '../../datadir/running-gateway.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import type { PreparedTest } from '../../dryrun/requests/prepare-test.ts'
import { traceRoute } from '../../dryrun/trace/trace-route.ts'
import { runEndStates } from '../../journal/record.ts'
import type { EventStatus } from '../events/event-status.ts'
import { followEvent } from '../events/follow-event.ts'
import { isTakenAnswer, sendTest, type TestAnswer } from './send-test.ts'

/** How long a test follows its event, and how the event should end. */
export type Expectation = {
  readonly wait: boolean
  readonly timeoutMs: number
  /**
   * The expected end of the event: an outcome, `ignored:` with the stage that ignored it, or the end of a run. Absent: the request must be
   * taken (`isTakenAnswer`), and where its run is followed, the run must end, and not as dead.
   */
  readonly expect?: string | undefined
}

export type TestedRoute = {
  /** The gateway's answer. Where the route shapes its answers, `outcome` comes from the event's record. */
  readonly answer: TestAnswer
  /** The answer does not name the outcome, so the event's record was searched for. */
  readonly isLookedUp: boolean
  /** The event's record; `undefined` where it was not asked for or is not there. */
  readonly known: EventStatus | undefined
  /** Whether the event was followed, until its run ended or the time was over. */
  readonly isFollowed: boolean
  /** By the event's record, its run has ended, or it has no run. Always false where no record was read. */
  readonly isEnded: boolean
  /** The delivered text; `undefined` where the event was not followed to a delivery, or where its text is not kept. */
  readonly text: string | undefined
  /** The event ended as expected. */
  readonly ok: boolean
}

const runEnds = [...runEndStates, 'merged'] as const
const isEnd = (state: string): boolean => runEnds.some((end) => end === state)

/** Throws a usage Fault for a word that `expect` of an `Expectation` cannot be. */
export const checkExpectedWord = (word: string | undefined): void => {
  const [outcome = '', ...stage] = word?.split(':') ?? ['accepted']
  const known = [...outcomeNames, ...runEnds]
  if (known.includes(outcome) && (stage.length === 0 || outcome === 'ignored')) return
  const near = nearest(outcome, known)
  throw usage(`--expect: nothing ends as "${word}"`, near.length > 0 ? `did you mean ${near.join(' or ')}?` : `one of: ${known.join(', ')}`)
}

/** The longest wait for the record of an event whose run is not followed. */
const recordWaitMs = 2_000

/** Sends the test and follows its event. Throws a Fault when no gateway answers. */
export const testRoute = async (
  workspace: Workspace,
  gateway: GatewayFinder,
  test: PreparedTest,
  { wait, timeoutMs, expect }: Expectation,
): Promise<TestedRoute> => {
  const { self } = workspace
  const sent = await sendTest(test, `start it: ${self} gateway run\nwithout one: ${self} webhook trace ${quoted(test.route)}`)
  const isLookedUp = sent.outcome === undefined && sent.eventId !== undefined
  const answer = isLookedUp ? await asRecorded(workspace, gateway, sent) : sent
  const { eventId } = answer
  const isFollowed = answer.isTaken && eventId !== undefined && (wait || (expect !== undefined && isEnd(expect)))
  const follow = { timeoutMs: isFollowed ? timeoutMs : recordWaitMs, isEnough: (each: EventStatus) => !isFollowed || hasEnded(each) }
  const known =
    eventId !== undefined && (isFollowed || !answer.isTaken) ? await followEvent(workspace, gateway, eventId, follow) : undefined
  const isEnded = known !== undefined && hasEnded(known)
  const text = isFollowed && known ? await deliveredText(workspace, test.route, known) : undefined
  const fared = { answer, isLookedUp, known, isFollowed, isEnded, text }
  return {
    ...fared,
    ok: expect === undefined ? answer.isTaken && (!isFollowed || isEnded) && known?.state !== 'dead' : hasEndedAs(expect, fared),
  }
}

/** Returns the answer with the outcome of the event's record, or the answer unchanged where no record is found. */
const asRecorded = async (workspace: Workspace, gateway: GatewayFinder, answer: TestAnswer): Promise<TestAnswer> => {
  const { eventId = '', status } = answer
  const known = await followEvent(workspace, gateway, eventId, { timeoutMs: recordWaitMs, isEnough: () => true })
  const outcome = known?.event.outcome
  return outcome === undefined
    ? answer
    : { ...answer, outcome, summary: `${answer.summary}, ${outcome}`, isTaken: isTakenAnswer(status, outcome) }
}

/** Returns the delivered text: the reply of the run's last attempt. The text of a direct delivery is not kept, so it is rendered again. */
const deliveredText = async (workspace: Workspace, route: string, { event, state }: EventStatus): Promise<string | undefined> => {
  if (event.outcome === 'delivered') return renderedText(workspace, route, event.event_id)
  if (state !== 'done' || event.silent) return undefined
  return (await withRecords(workspace, (records) => readAttempts(records, event))).at(-1)?.reply ?? undefined
}

/**
 * Renders the text of an event again. `undefined` where a script made the text, because the script must not run again, and where the
 * payload was not kept.
 */
const renderedText = async (workspace: Workspace, route: string, eventId: string): Promise<string | undefined> => {
  try {
    const { starts, notes } = await traceRoute(workspace, route, { of: { eventId }, set: [], unset: [], runScripts: false })
    return notes.length === 0 ? starts?.prompt : undefined
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}

const hasEnded = ({ state }: EventStatus): boolean => state === 'final' || isEnd(state)

const hasEndedAs = (expected: string, { answer, known, isFollowed, isEnded }: Omit<TestedRoute, 'ok'>): boolean => {
  if (isEnd(expected)) return known?.state === expected
  const [outcome, stage] = expected.split(':')
  if (answer.outcome !== outcome || (isFollowed && !isEnded)) return false
  return stage === undefined || stage === known?.event.stage || stage === answer.reason
}
