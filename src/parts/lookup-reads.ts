/** Finds what a route reads of its lookups: in fields of conditions, keys, placeholders and expressions. */

import type { Path } from '../core/diagnostic.ts'
import { type ExactJson, isObject } from '../core/json.ts'
import { placeholders } from '../expr/placeholder.ts'

/** The keys whose whole text is the name of a field. */
const fieldKeys: ReadonlySet<string | number | undefined> = new Set(['field', 'equals_field', 'key'])

/** The keys whose whole text is an expression. */
const expressionKeys: ReadonlySet<string | number | undefined> = new Set(['transform'])

/** A name at the top of an expression or path, and the name below it. */
const inExpression = /(?<![\w.$`"'])lookup\b(?:\.([A-Za-z_]\w*))?/g
const inPath = /^lookup(?:\.([^.]+)|$)/

/** A place that reads a lookup. `name`: that of the lookup; empty where all lookups are read. `at`: the path of the text. */
export type LookupRead = { readonly name: string; readonly at: Path }

/** The keys below which conditions stand. */
const conditionKeys: ReadonlySet<string | number> = new Set(['filters', 'when', 'deliver_if'])

/** Returns what a value of a route reads, in its order. `at`: the path of the value in the route. */
export const lookupReads = (value: ExactJson | undefined, at: Path = []): readonly LookupRead[] => {
  if (typeof value === 'string') return readsInText(value, at)
  if (Array.isArray(value)) return value.flatMap((item, i) => lookupReads(item, [...at, i]))
  if (!isObject(value)) return []
  // The operand of a condition without a field is an expression over the whole event.
  const isWhole = at.some((key) => conditionKeys.has(key)) && !('field' in value)
  return Object.entries(value).flatMap(([key, item]) =>
    isWhole && typeof item === 'string'
      ? namesInExpression(item).map((name) => ({ name, at: [...at, key] }))
      : lookupReads(item, [...at, key]),
  )
}

const readsInText = (text: string, at: Path): readonly LookupRead[] => {
  // Most texts of a route do not have the word, and need no parsing.
  if (!text.includes('lookup')) return []
  if (expressionKeys.has(at.at(-1))) return namesInExpression(text).map((name) => ({ name, at }))
  const ofTemplate = placeholders(text).flatMap((read) => (read.startsWith('=') ? namesInExpression(read.slice(1)) : nameInPath(read)))
  const names = [...(fieldKeys.has(at.at(-1)) ? nameInPath(text) : []), ...ofTemplate]
  return names.map((name) => ({ name, at }))
}

const nameInPath = (path: string): readonly string[] => {
  const found = inPath.exec(path)
  return found ? [found[1] ?? ''] : []
}

const namesInExpression = (source: string): readonly string[] => [...source.matchAll(inExpression)].map(([, name = '']) => name)
