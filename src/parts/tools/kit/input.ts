/** Reads what a model gives a tool, which may be anything, and the numbers of its settings. */

import { type JsonObject, own } from '../../../core/json.ts'

/** A text of the input that is not blank. Throws a sentence for the model. */
export const requiredText = (input: JsonObject, key: string, maxChars: number): string => {
  const value = own(input, key)
  if (typeof value !== 'string' || value.trim() === '') throw new Error(`"${key}" must be a text.`)
  if (value.length > maxChars) throw new Error(`"${key}" must have at most ${maxChars} characters.`)
  return value.trim()
}

/** The schema of a toolset's time-out, in seconds. */
export const timeoutSeconds = (standard: number, description: string) =>
  ({ title: 'Time-out', type: 'number', exclusiveMinimum: 0, maximum: 120, default: standard, description }) as const

/** A number of the settings; the check of shapes has reported another value. */
export const numberIn = (settings: JsonObject, key: string, fallback: number): number => {
  const value = own(settings, key)
  return typeof value === 'number' ? value : fallback
}
