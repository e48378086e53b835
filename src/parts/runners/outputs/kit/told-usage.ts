/** Makes the usage of a run from what a program told, bounded: an agent that a stranger steers may print any number and any name. */

import { isObject, type Json, type JsonObject } from '../../../../core/json.ts'
import { printable } from '../../../../core/text.ts'
import type { CallUsage } from '../../runner.ts'

/** A call of which nobody said what it used. */
export const unknownCall: CallUsage = { model: '', inputTokens: Number.NaN, outputTokens: Number.NaN, tools: [] }

/** The most tools whose refusal is told, the longest name of a tool, and the most models. */
const maxRefused = 20
const maxNameChars = 100
const maxModels = 50

/**
 * Returns the usage of a program with the id of its session and the tools that were refused to it. Where it told no usage, there is one
 * entry without numbers.
 */
export const callsOf = (models: readonly CallUsage[], session: Json | undefined, refused: readonly string[] = []): readonly CallUsage[] => {
  const [first = unknownCall, ...others] = models
    .slice(0, maxModels)
    .map((call) => ({ ...call, model: printable(call.model, maxNameChars) }))
  const names = [...new Set(refused)].slice(0, maxRefused).map((name) => printable(name, maxNameChars))
  return [
    {
      ...first,
      ...(typeof session === 'string' && /^[\w.:-]{1,128}$/.test(session) ? { session } : {}),
      ...(names.length > 0 ? { refused: names } : {}),
    },
    ...others,
  ]
}

/** Adds numbers that a program told. An absent number is 0; with one that is below 0 or no number, the sum is NaN. */
export const sumOf = (...told: readonly (Json | undefined)[]): number =>
  told.reduce<number>((sum, each = 0) => sum + (typeof each === 'number' && each >= 0 ? each : Number.NaN), 0)

/** Returns a member of a map that is a map; an empty map for anything else. */
export const mapAt = (map: JsonObject, key: string): JsonObject => {
  const member = map[key]
  return isObject(member) ? member : {}
}
