/**
 * Parses JSON, and finds the place where a text stops being JSON. The parser's own messages are never shown, because they quote the text
 * around the place, which may be a secret.
 */

import { isJson, type Json } from './json.ts'

/**
 * Returns a phrase with the line and column where the text stops being JSON; `undefined` for JSON. The phrase quotes nothing of the text.
 */
export const jsonProblem = (text: string): string | undefined => {
  if (isJson(text)) return undefined
  const { line, column } = jsonErrorPlace(text)
  return `no JSON: line ${line}, column ${column}`
}

export type TextPlace = { readonly line: number; readonly column: number }

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

/** Parses the JSON of a file. Throws an Error whose sentence has the place of the mistake and quotes nothing. */
export const parseJson = (text: string): Json => {
  try {
    return JSON.parse(text) as Json
  } catch {
    const { line, column } = jsonErrorPlace(text)
    throw new Error(`it is not JSON (line ${line}, column ${column})`)
  }
}

/** Returns the 1-based place of an offset. */
export const placeAtOffset = (text: string, offset: number): TextPlace => {
  const before = text.slice(0, offset)
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') }
}
