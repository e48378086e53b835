/** Reads the input that a model gives a tool, which may be anything, and the numbers in a toolset's settings. */

import { type ExactObject, type JsonObject, own } from '../../../core/json.ts'

/** Returns a text of the input, without the blanks around it. Throws an Error for the model when the text is missing, blank or too long. */
export const requiredText = (input: ExactObject, key: string, maxChars: number): string => {
  const value = own(input, key)
  if (typeof value !== 'string' || value.trim() === '') throw new Error(`"${key}" must be a text.`)
  if (value.length > maxChars) throw new Error(`"${key}" must have at most ${maxChars} characters.`)
  return value.trim()
}

/** Makes the schema of the setting for a toolset's time-out, in seconds. `standard`: the default. */
export const timeoutSeconds = (standard: number, description: string) =>
  ({ title: 'Time-out', type: 'number', exclusiveMinimum: 0, maximum: 120, default: standard, description }) as const

/** Returns a number of the settings. A value that is no number counts as absent: it was reported when the file was checked. */
export const numberIn = (settings: JsonObject, key: string, fallback: number): number => {
  const value = own(settings, key)
  return typeof value === 'number' ? value : fallback
}
