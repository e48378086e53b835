/** The line of a revival, for a command that puts a dead run back itself. */

import type { Revived } from '../record.ts'

/** `at`: wall time in milliseconds. */
export const revivedLine = (eventId: string, at: number): Buffer => {
  const record: Revived = { kind: 'revived', at: new Date(at).toISOString(), event_id: eventId }
  return Buffer.from(JSON.stringify(record))
}
