/** Reads what a program prints that writes one JSON object a line. */

import { type JsonObject, parseObject } from '../../../../core/json.ts'

/** The most lines. An agent prints some for each of its steps. */
const maxLines = 100_000

/** Returns the objects in order; `undefined` where a line is something else, such as the half of an object, or where there are too many. */
export const eventLines = (stdout: string): readonly JsonObject[] | undefined => {
  const lines = stdout.split('\n', maxLines + 1)
  if (lines.length > maxLines) return undefined
  const events: JsonObject[] = []
  for (const line of lines) {
    if (line.trim() === '') continue
    const event = parseObject(line)
    if (event === undefined) return undefined
    events.push(event)
  }
  return events
}
