/**
 * Finds the place where a text stops being JSON, or is nested too deep. The parser's own messages are not shown, because they quote the
 * text around the place, which may be a secret.
 */

import { endOfString } from '../../parts/body/count-containers.ts'

/** The depth to which lists and maps may nest, in any file: enough for the deepest conditions, and far less than recursion can take. */
export const maxDepth = 100

type TextPlace = { readonly line: number; readonly column: number }

/** Whether a text could still become JSON if more followed. */
const canBecomeJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch (error) {
    const message = error instanceof Error ? error.message : ''
    const position = /at position (\d+)/.exec(message)?.[1]
    return (
      message.includes('end of JSON') || message.includes('Unterminated') || (position !== undefined && Number(position) >= text.length)
    )
  }
}

/** Returns the 1-based place of the first wrong character. Where a text only breaks off, that is the place behind its end. */
export const jsonErrorPlace = (text: string): TextPlace => {
  // Where a text can become JSON, each beginning of the text can, too. So halving finds the longest beginning that can become JSON.
  let good = 0
  let bad = text.length + 1
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2)
    if (canBecomeJson(text.slice(0, middle))) good = middle
    else bad = middle
  }
  return placeAtOffset(text, good)
}

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

const placeAtOffset = (text: string, offset: number): TextPlace => {
  const before = text.slice(0, offset)
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') }
}
