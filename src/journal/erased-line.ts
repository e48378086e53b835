/** Which lines of the journal an erasure changes, and what it leaves of them. */

import type { JsonObject } from '../core/json.ts'
import { erasedError, type JournalRecord } from './record.ts'

/**
 * `ids`: the events to erase. `groups`: the names of the groups that these events were in or opened, because the run of a group can have
 * their texts. `carriers`: other events whose runs had texts of the erased events.
 */
export type ErasedEvents = { readonly [Name in 'ids' | 'groups' | 'carriers']: ReadonlySet<string> }

/** Whether an erasure changes a line. The `received` line of one of `carriers` stays, because it has only texts of that event. */
export const isErasedLine = ({ kind, event_id: id }: JournalRecord, { ids, carriers }: Omit<ErasedEvents, 'groups'>): boolean =>
  ids.has(id) || (kind !== 'received' && carriers.has(id))

/**
 * The members that an erasure takes out of a line: what a sender, an agent or a target wrote, what names a sender, and what the line says
 * of the raw request.
 */
const written: readonly string[] = ['delivery_id', 'reason', 'answer', 'error', 'unverified', 'raw', 'raw_dropped']

/** Returns the line as JSON, without the texts of senders, agents and targets. The result is never longer than the line was. */
export const erasedLine = (entry: JournalRecord): string => {
  const kept = Object.fromEntries(Object.entries(entry).filter(([key]) => !written.includes(key))) as JsonObject
  // Some kinds of lines are invalid without these members, so they stay as empty texts.
  for (const key of ['delivery_id', 'error']) if (entry.kind !== 'received' && Object.hasOwn(entry, key)) kept[key] = ''
  if (entry.kind === 'ended' && entry.error === erasedError) kept.error = erasedError
  return JSON.stringify(kept)
}
