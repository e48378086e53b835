/** Says where a text stops being JSON. */

import { isJson } from '../../core/json.ts'
import { jsonErrorPlace } from '../../core/json-error.ts'

/**
 * Returns a phrase with the line and column where the text stops being JSON; `undefined` for JSON. The phrase quotes nothing of the text.
 */
export const jsonProblem = (text: string): string | undefined => {
  if (isJson(text)) return undefined
  const { line, column } = jsonErrorPlace(text)
  return `no JSON: line ${line}, column ${column}`
}
