/** Bodies that run instead of the library's own where those take too long: they give the same answers. */

import { isObject } from '../../core/json.ts'
import { finder } from '../search.ts'
import { checkWeight, maxItems } from '../weight.ts'
import { buildable, fastText, refuse, sizeOf, slowText } from './checks.ts'
import { type Frame, itemsAStep, runOf } from './run.ts'

/** What JSONata calls a built-in on. */
export type Focus = { readonly environment: Frame; readonly createSequence: () => unknown[] }
export type Body = (this: Focus, ...args: unknown[]) => unknown
type Signature = { validate: (args: readonly unknown[], context: unknown) => unknown }
/** A built-in as the library holds it: one object for every expression. */
export type BuiltIn = { implementation: Body; readonly signature: Signature }
/** A body, made of the library's own. */
export type Instead = (original: Body) => Body

const shortText = 1_000
const surrogate = /[\ud800-\udfff]/

/** Characters are UTF-16 units in a text without surrogates: no list of them is made. */
const onUnits =
  (quick: (text: string, ...rest: number[]) => unknown): Instead =>
  (original) =>
    function (text, ...rest) {
      if (typeof text !== 'string' || text.length < shortText) return original.call(this, text, ...rest)
      if (!surrogate.test(text)) return quick(text, ...(rest as number[]))
      if (text.length > slowText) refuse('the text is too long for this function')
      return original.call(this, text, ...rest)
    }

export const length = onUnits((text) => text.length)

export const substring = onUnits((text, start, wanted) => {
  const from = Math.max(start as number, -text.length)
  if (wanted === undefined) return text.slice(from)
  return wanted <= 0 ? '' : text.slice(from, from >= 0 ? from + wanted : text.length + from + wanted)
})

/** For a text that is looked for in a text; a pattern is the library's. */
const onTexts =
  (quick: (text: string, wanted: string, ...rest: unknown[]) => unknown): Instead =>
  (original) =>
    function (text, wanted, ...rest) {
      if (typeof text !== 'string' || typeof wanted !== 'string') return original.call(this, text, wanted, ...rest)
      return quick(text, wanted, ...rest)
    }

export const contains = onTexts((text, wanted) => finder(wanted)(text) >= 0)

export const substringBefore = onTexts((text, wanted) => {
  const at = finder(wanted)(text)
  return at < 0 ? text : text.slice(0, at)
})

export const substringAfter = onTexts((text, wanted) => {
  const at = finder(wanted)(text)
  return at < 0 ? text : text.slice(at + wanted.length)
})

/** The pieces between the first `most` places where `wanted`, which is not empty, stands in a text. */
const piecesOf = (text: string, wanted: string, most: number): string[] => {
  const find = finder(wanted)
  const pieces: string[] = []
  let from = 0
  for (let at = find(text); at >= 0 && pieces.length < most; at = find(text, from)) {
    pieces.push(text.slice(from, at))
    from = at + wanted.length
  }
  pieces.push(text.slice(from))
  return pieces
}

/** How many the library takes of a limit: those whose numbers, from 0, are below it. */
const countOf = (limit: unknown): number => (limit === undefined ? Infinity : Math.ceil(Number(limit)))

export const split: Instead = (original) =>
  function (text, separator, limit) {
    if (typeof separator !== 'string' || typeof text !== 'string' || Number(limit) < 0) return original.call(this, text, separator, limit)
    const most = Math.min(limit === undefined ? Infinity : Math.trunc(Number(limit)), maxItems + 1)
    const pieces = separator === '' ? text.split('', most) : piecesOf(text, separator, most).slice(0, most)
    if (pieces.length > maxItems) refuse(`the text has more than ${maxItems} pieces`)
    return pieces
  }

export const replace: Instead = (original) =>
  function (text, pattern, replacement, limit) {
    const plain = typeof text === 'string' && typeof pattern === 'string' && typeof replacement === 'string'
    if (!plain || pattern === '' || Number(limit) < 0) return original.call(this, text, pattern, replacement, limit)
    const pieces = piecesOf(text, pattern, countOf(limit))
    buildable(text.length + pieces.length * sizeOf(replacement), 4 * fastText)
    return pieces.join(replacement)
  }

const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1)

/** The library compares every two. Equal values have one text when the keys of maps are in order. */
export const distinct: Instead = () =>
  function (list) {
    if (!Array.isArray(list) || list.length <= 1) return list
    const seen = new Set<unknown>()
    const results = 'sequence' in list ? this.createSequence() : []
    for (const item of list) {
      const text = JSON.stringify(item, (_key, value) => (isObject(value) ? Object.fromEntries(Object.entries(value).sort(byKey)) : value))
      if (!seen.has(text ?? item)) results.push(item)
      seen.add(text ?? item)
    }
    return results
  }

/** The library copies what is left of a list for every item of it: 787 MB for 20,000 numbers. */
export const sort: Instead = (original) =>
  function (list, comparator) {
    const plain = Array.isArray(list) && list.length > 1 && comparator === undefined && list.every((item) => typeof item === typeof list[0])
    if (!plain || !['number', 'string'].includes(typeof list[0])) return original.call(this, list, comparator)
    return [...list].sort((a, b) => (a > b ? 1 : a < b ? -1 : 0))
  }

/** A function as the library hands it to a built-in: JavaScript's, or what a lambda has come to. */
type Judge = ((...args: unknown[]) => unknown) & { readonly arity?: number; readonly arguments: readonly unknown[] }
const arityOf = (judge: Judge): number => (typeof judge === 'function' ? (judge.arity ?? judge.length) : (judge as Judge).arguments.length)

/** The library looks at all that a verdict holds to find whether it is true: what a function gives is charged for. */
export const judged: Instead = (original) =>
  function (values, judge) {
    if (judge === undefined) return original.call(this, values, judge)
    const run = runOf(this.environment)
    const weighed = async (...args: unknown[]): Promise<unknown> => {
      const verdict = await (judge as Judge).apply(this, args)
      run.spend(checkWeight(verdict, false) / itemsAStep)
      return verdict
    }
    return original.call(this, values, Object.assign(weighed, { arity: arityOf(judge as Judge) }))
  }

/** Of this evaluation: the library's own tells the time of whichever was begun last. */
export const now: Instead = () =>
  function (picture, timezone) {
    const { base } = this.environment
    return (base.lookup('fromMillis') as BuiltIn).implementation.call(this, base.timestamp.getTime(), picture, timezone)
  }
