/** Finds the place where a text of JSON is nested too deep. */

import { endOfString } from '../../core/exact-json.ts'
import { placeAtOffset, type TextPlace } from '../../core/json-error.ts'

/** The depth to which lists and maps may nest, in any file: enough for the deepest conditions, and far less than recursion can take. */
export const maxDepth = 100

/** Returns the 1-based place of the first list or map that is nested too deep; `undefined` where none is nested too deep. */
export const jsonDepthPlace = (text: string): TextPlace | undefined => {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === '"') at = endOfString(text, at)
    else if (char === ']' || char === '}') depth--
    else if ((char === '[' || char === '{') && ++depth > maxDepth) return placeAtOffset(text, at)
  }
  return undefined
}
