/**
 * Finds numbers of a route that are rounded before they are compared: whole numbers past 2^53 in expressions of JSONata, which knows only
 * doubles, and in operands that are not written with their digits alone (WH418).
 */

import type { Path } from '../../core/diagnostic.ts'
import { isObject, type Json, valueAt } from '../../core/json.ts'
import { digitsAt, longNumbersIn } from '../../core/written-digits.ts'
import { parseTemplate } from '../../expr/placeholder.ts'
import { jsonata } from '../../parts/operators/jsonata.ts'
import { transform } from '../../parts/stages/transform.ts'
import type { Subject } from './subject.ts'

export const reviewLongNumbers = ({ spec, say }: Subject): void => {
  const filters = spec.filters as Json | undefined
  for (const path of longNumbersIn(filters)) {
    if (digitsAt(filters as Json, path) !== undefined) continue
    const rounded = valueAt(filters as Json, path)
    say('WH418', ['filters', ...path], `this number past 2^53 is read as ${rounded}`, {
      help: 'write it with its digits alone, or compare its digits: regex: "^…$"',
    })
  }
  for (const { source, path } of expressionsIn(spec as Json, [])) {
    const [digits] = longLiterals(source)
    if (digits === undefined) continue
    say('WH418', path, `JSONata rounds the number ${digits.slice(0, 40)}, and has such numbers of a payload as texts`, {
      help: `compare with the text of its digits: "${digits.slice(0, 40)}"`,
    })
  }
}

type Expression = { readonly source: string; readonly path: Path }

/** Returns the expressions in the conditions and templates of a route. */
const expressionsIn = (value: Json, path: Path): readonly Expression[] => {
  if (typeof value === 'string') {
    if (path.at(-1) === jsonata.name || (path.length === 1 && path[0] === transform.name)) return [{ source: value, path }]
    return parseTemplate(value).flatMap((piece) => (piece.kind === 'expression' ? [{ source: piece.source, path }] : []))
  }
  if (Array.isArray(value)) return value.flatMap((item, i) => expressionsIn(item, [...path, i]))
  return isObject(value) ? Object.entries(value).flatMap(([key, member]) => expressionsIn(member, [...path, key])) : []
}

/** Matches what may have digits that are no number: texts, names in backticks and comments. */
const opaque = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`|\/\*[\s\S]*?\*\//g

const longLiterals = (source: string): readonly string[] =>
  (source.replace(opaque, ' ').match(/(?<![\w$.])\d{16,}(?![\w.])/g) ?? []).filter((digits) => !Number.isSafeInteger(Number(digits)))
