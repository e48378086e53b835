/** Learns of replies from the records of a shared store: another gateway may work on the run whose sender waits here. */

import type { Clock } from '../../core/clock.ts'
import type { Scope } from '../../core/scope.ts'
import { type Repeating, repeat } from '../../core/turns/repeat.ts'
import { readReply } from '../../datadir/records/event-attempts.ts'
import type { EventRecords } from '../../journal/event-records.ts'
import { parseLine } from '../../journal/line.ts'
import type { RunEndedRecord } from '../../journal/record.ts'
import type { SharedRecords } from '../../store/shared-records.ts'
import type { AwaitedReplies } from './awaited-replies.ts'

type FollowRepliesOptions = {
  readonly replies: Pick<AwaitedReplies, 'eventIds' | 'end' | 'onBegin'>
  readonly lines: Pick<SharedRecords, 'linesOf'>
  readonly records: Pick<EventRecords, 'raw'>
  readonly clock: Clock
  readonly scope: Scope
}

/** The time between two polls while a request waits, in milliseconds. Without one, nothing is polled. */
const everyMs = 500
/** How many events one poll asks for, so that their lines fit into one answer of the store. */
const eventsPerLook = 100

/** Follows the replies that are awaited, until the end of the scope, which waits for a poll in progress. */
export const followReplies = ({ replies, lines, records, clock, scope }: FollowRepliesOptions): void => {
  let looking: Repeating | undefined
  const look = async (): Promise<void> => {
    const ids = replies.eventIds()
    for (let from = 0; from < ids.length; from += eventsPerLook) {
      for (const { line, batch } of await lines.linesOf(ids.slice(from, from + eventsPerLook), undefined)) {
        const { entry, raw } = parseLine(line, batch) ?? {}
        if (entry?.kind === 'ended') replies.end(entry.event_id, await replyOf(entry, () => readReply(records, raw)))
      }
    }
    if (replies.eventIds().length > 0) return
    void looking?.stop()
    looking = undefined
  }
  replies.onBegin(() => {
    // While the database is unavailable, a poll fails. The sender gets its answer without the reply when its time is over.
    if (!scope.isClosed) looking ??= repeat(clock, everyMs, look, { failed: () => {} })
  })
  scope.defer(() => looking?.stop())
}

/** Returns the reply of a run that has ended, empty for a silent one; `undefined` where there is none, or it was not kept. */
const replyOf = async ({ state, silent }: RunEndedRecord, read: () => Promise<string | null>): Promise<string | undefined> => {
  if (state !== 'done') return undefined
  return silent ? '' : ((await read()) ?? undefined)
}
