/** Accepts the work of several events in one statement (`Store.acceptAll`). */

import { checkWorks } from '../../bounds.ts'
import type { Claim, PendingWork, WorkAnswer } from '../../ports.ts'
import type { Backlog } from '../backlog.ts'
import { keyOf } from '../keys.ts'
import type { Links } from '../links.ts'
import { acceptAllKind } from './batch-calls.ts'
import { workRow } from './beside-calls.ts'
import { joinCall } from './lane-calls.ts'

/** Accepts the work, and returns an answer for each event, in order. Rejects with a StoreFault. */
export const acceptAll = async (links: Links, backlog: Backlog, works: readonly PendingWork[]): Promise<readonly WorkAnswer[]> => {
  checkWorks(works)
  const answers = await (works.some(({ claim }) => claim.beside) ? acceptBeside : acceptPlain)(links, works)
  links.due.changed({ isOldRun: works.some(({ lane }) => lane) })
  backlog.change(answers.filter((answer) => answer === 'accepted' || (typeof answer === 'object' && answer.count === 1)).length)
  return answers
}

/** Accepts work where an event has a second claim beside that of its delivery id. */
const acceptBeside = async (
  { claims, besideKind, marks, movedClaims }: Links,
  works: readonly PendingWork[],
): Promise<readonly WorkAnswer[]> => {
  const given = movedClaims.hashed(works.map(({ claim }) => claim))
  const hashed = given instanceof Promise ? await given : given
  const rows = works.map((work, i) => workRow(hashed[i] as Claim, marks.next(), work))
  return (await claims.call(besideKind, rows)) as readonly WorkAnswer[]
}

const acceptPlain = async ({ claims, movedClaims, marks }: Links, works: readonly PendingWork[]): Promise<readonly WorkAnswer[]> => {
  const keys = works.map(({ claim }) => keyOf(claim.key))
  const moved = movedClaims.mayHold ? await movedClaims.held(keys) : []
  const [plain, inLanes, joining] = [[], [], []] as [Numbered[], Numbered[], Numbered[]]
  const seen = new Set<string>()
  for (const [place, work] of works.entries()) {
    const key = keys[place] as string
    // Of several events with one id only the first is sent. A claim that was moved here may not be found by the statement.
    if (moved[place] || seen.has(key)) continue
    seen.add(key)
    const list = work.group ? joining : work.lane ? inLanes : plain
    list.push({ place, work, claim: { key, holdMs: work.claim.holdMs, mark: marks.next(), run: JSON.stringify(work.run) } })
  }
  const answered = await claims.call(acceptAllKind, {
    plain: plain.map(({ claim }) => claim),
    inLanes: inLanes.flatMap(({ claim, work: { lane } }) =>
      lane ? { ...claim, lane: keyOf(lane.key), limit: lane.limit, refuses: lane.whenFull === 'refuse' } : [],
    ),
    joining: joining.flatMap(({ claim, work: { run, group } }) => (group ? joinCall(claim, run, group) : [])),
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
