/** Makes the journal line of a revival, for a command that revives a dead run in the shared store itself, without a gateway. */

import type { Revived } from '../record.ts'

/** Returns the line as JSON, without a line end. `at`: when the run was revived, in milliseconds since 1970. */
export const revivedLine = (eventId: string, at: number): Buffer => {
  const record: Revived = { kind: 'revived', at: new Date(at).toISOString(), event_id: eventId }
  return Buffer.from(JSON.stringify(record))
}
