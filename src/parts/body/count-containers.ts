/**
 * Limits the number of lists and maps in a JSON body: V8 needs a fifth of a second to parse half a million of them. Also finds where a
 * string of JSON ends, for the count and for `src/config/yaml/json-place.ts`.
 */

/** The most lists and maps in a body. A megabyte of ordinary events has a fifth of this number. */
const maxContainers = 100_000

const quote = 0x22
const backslash = 0x5c

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

/** Returns the index of the closing quote of the string that starts at `from`; the length of the text where no quote closes the string. */
export const endOfString = (text: string, from: number): number => {
  let end = text.indexOf('"', from + 1)
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end === -1 ? text.length : end
}

/** Whether the quote at this index is escaped: an odd number of backslashes stands before it. */
const isEscaped = (text: string, at: number): boolean => {
  let before = at
  while (text.charCodeAt(before - 1) === backslash) before--
  return (at - before) % 2 === 1
}
