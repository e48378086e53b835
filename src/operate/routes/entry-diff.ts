/** Writes the difference between two entries of a subscription: lines for each changed setting, without secrets. */

import { carryDigits } from '../../core/carried-numbers.ts'
import { type Json, type JsonObject, own } from '../../core/json.ts'
import { cut } from '../../core/text.ts'
import { jsonText } from '../../datadir/json-text.ts'
import { differing } from '../../datadir/subscription-record.ts'
import { maskJson } from '../../secrets/mask.ts'

const maxValueChars = 200

/** Returns `- key: before` and `+ key: after` for each changed key. The values are JSON; long values are cut. */
export const entryDiff = (before: JsonObject, after: JsonObject): readonly string[] => {
  const [old, next] = [maskJson(before) as JsonObject, maskJson(after) as JsonObject]
  return differing(old, next).flatMap((key) => [...line('-', key, own(old, key)), ...line('+', key, own(next, key))])
}

const line = (sign: string, key: string, value: Json | undefined): string[] =>
  value === undefined ? [] : [`${sign} ${key}: ${cut(jsonText(carryDigits(value)), maxValueChars)}`]
