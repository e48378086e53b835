/** Limits the number of lists and maps in a JSON body: V8 needs a fifth of a second to parse half a million of them. */

import { endOfString } from '../../core/exact-json.ts'

/** The most lists and maps in a body. A megabyte of ordinary events has a fifth of this number. */
const maxContainers = 100_000

const quote = 0x22

/** Whether a JSON text has more than 100,000 lists and maps. A text that is too short for so many is not read. */
export const tooManyContainers = (text: string): boolean => {
  if (text.length < 2 * maxContainers) return false
  let count = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === quote) at = endOfString(text, at)
    else if ((unit === 0x5b || unit === 0x7b) && ++count > maxContainers) return true
  }
  return false
}
