/** Accepts the work of several events in one statement (`Store.acceptAll`). */

import { checkWorks } from '../../bounds.ts'
import { type Claim, isEnded, type PendingWork, type WorkAnswer } from '../../ports.ts'
import type { Backlog } from '../backlog.ts'
import { keyOf } from '../keys.ts'
import type { Links } from '../links.ts'
import { acceptAllKind } from './batch-calls.ts'
import { endingKind, workRow } from './beside-calls.ts'
import { joinCall } from './lane-calls.ts'

/** Accepts the work, and returns an answer for each event, in order. Rejects with a StoreFault. */
export const acceptAll = async (links: Links, backlog: Backlog, works: readonly PendingWork[]): Promise<readonly WorkAnswer[]> => {
  checkWorks(works)
  const isEnding = works.some(({ ending }) => ending)
  const answers = await (isEnding || works.some(({ claim }) => claim.beside) ? acceptBeside : acceptPlain)(links, works)
  // What is ended is due, and may have been accepted long ago.
  links.due.changed({ isOldRun: isEnding || works.some(({ lane }) => lane) })
  backlog.change(answers.filter((answer, i) => works[i]?.run !== undefined && isNew(answer)).length)
  return answers
}

/** Whether an event has made a run or opened a group. */
const isNew = (answer: WorkAnswer): boolean => {
  const taken = isEnded(answer) ? answer.taken : answer
  return taken === 'accepted' || (typeof taken === 'object' && taken.count === 1)
}

/** Accepts work where an event has a second claim beside that of its delivery id, or ends the work of earlier events. */
const acceptBeside = async (
  { claims, besideKind, marks, movedClaims }: Links,
  works: readonly PendingWork[],
): Promise<readonly WorkAnswer[]> => {
  const given = movedClaims.hashed(works.map(({ claim }) => claim))
  const hashed = given instanceof Promise ? await given : given
  const rows = works.map((work, i) => workRow(hashed[i] as Claim, marks.next(), work))
  if (!works.some(({ ending }) => ending)) return (await claims.call(besideKind, rows)) as readonly WorkAnswer[]
  const answers = await claims.call(endingKind, rows)
  // An id that another request holds until its end is known is no event of its own yet.
  return answers.map((answer) => (answer === 'unsettled' ? 'duplicate' : answer))
}

const acceptPlain = async ({ claims, movedClaims, marks }: Links, works: readonly PendingWork[]): Promise<readonly WorkAnswer[]> => {
  const keys = works.map(({ claim }) => keyOf(claim.key))
  const moved = movedClaims.mayHold ? await movedClaims.held(keys) : []
  const [plain, inLanes, joining] = [[], [], []] as [Numbered[], Numbered[], Numbered[]]
  const seen = new Set<string>()
  for (const [place, work] of works.entries()) {
    if (!work.run) throw new Error('an event without work ends nothing')
    const { run } = work
    const key = keys[place] as string
    // Of several events with one id only the first is sent. A claim that was moved here may not be found by the statement.
    if (moved[place] || seen.has(key)) continue
    seen.add(key)
    const list = work.group ? joining : work.lane ? inLanes : plain
    list.push({ place, work, claim: { key, holdMs: work.claim.holdMs, mark: marks.next(), run: JSON.stringify(run) } })
  }
  const answered = await claims.call(acceptAllKind, {
    plain: plain.map(({ claim }) => claim),
    inLanes: inLanes.flatMap(({ claim, work: { lane } }) =>
      lane ? { ...claim, lane: keyOf(lane.key), limit: lane.limit, refuses: lane.whenFull === 'refuse' } : [],
    ),
    joining: joining.flatMap(({ claim, work: { run, group } }) => (run && group ? joinCall(claim, run, group) : [])),
  })
  const answers = works.map((): WorkAnswer => 'duplicate')
  const put = (sent: readonly Numbered[], got: readonly WorkAnswer[]): void => {
    for (const [i, { place }] of sent.entries()) answers[place] = got[i] as WorkAnswer
  }
  put(plain, answered.plain)
  put(inLanes, answered.inLanes)
  put(joining, answered.joining)
  return answers
}

/** An event's work, its place in the batch, and its claim as it is sent. */
type Numbered = {
  readonly place: number
  readonly work: PendingWork
  readonly claim: { readonly key: string; readonly holdMs: number; readonly mark: bigint; readonly run: string }
}
