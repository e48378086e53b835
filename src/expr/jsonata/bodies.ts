/**
 * Bodies for some built-in functions of JSONata, in place of the library's bodies, which take too long, do work that no evaluation is
 * charged for, or (`now`) mix up evaluations. Where a body does not refuse the arguments as too large, it gives the result that the
 * library's body should give. Each body has the name of its built-in; `chargeVerdicts` serves several built-ins.
 */

import { isObject } from '../../core/json.ts'
import { finder } from '../search.ts'
import { checkWeight, maxItems } from '../weight.ts'
import { checkLength, fastText, refuseExpression, slowText, textLength } from './checks.ts'
import { type EvaluationFrame, itemsAStep, runOf } from './run.ts'

/** The `this` with which JSONata calls a built-in. */
export type Focus = { readonly environment: EvaluationFrame; readonly createSequence: () => unknown[] }
export type Body = (this: Focus, ...args: unknown[]) => unknown
type Signature = { validate: (args: readonly unknown[], context: unknown) => unknown }
/** A built-in as the library holds it. All expressions share this object. */
export type BuiltIn = { implementation: Body; readonly signature: Signature }
/** Makes a body for a built-in. The new body may call `original`, the library's body, for arguments where the library is quick. */
export type BuiltinReplacement = (original: Body) => Body

const shortText = 1_000
const surrogate = /[\ud800-\udfff]/

/**
 * Replaces a body that first makes a list of all characters of its text. In a text without surrogates each UTF-16 unit is one character, so
 * `quick` works on the text itself. A short text is left to the library, and so is a text with surrogates, up to a limit.
 */
const onUnits =
  (quick: (text: string, ...rest: number[]) => unknown): BuiltinReplacement =>
  (original) =>
    function (text, ...rest) {
      if (typeof text !== 'string' || text.length < shortText) return original.call(this, text, ...rest)
      if (!surrogate.test(text)) return quick(text, ...(rest as number[]))
      if (text.length > slowText) refuseExpression('the text is too long for this function')
      return original.call(this, text, ...rest)
    }

export const length = onUnits((text) => text.length)

export const substring = onUnits((text, start, wanted) => {
  const from = Math.max(start as number, -text.length)
  if (wanted === undefined) return text.slice(from)
  return wanted <= 0 ? '' : text.slice(from, from >= 0 ? from + wanted : text.length + from + wanted)
})

/** Replaces a body that searches a text for another text. A search for a pattern is left to the library. */
const onTexts =
  (quick: (text: string, wanted: string, ...rest: unknown[]) => unknown): BuiltinReplacement =>
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

/** Returns the pieces of a text between the first `most` places where `wanted` stands. `wanted` is not empty. */
const splitText = (text: string, wanted: string, most: number): string[] => {
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

/** Returns how many replacements `limit` allows. The library replaces while its count is below the limit, so a limit of 1.5 allows two. */
const replacementCount = (limit: unknown): number => (limit === undefined ? Infinity : Math.ceil(Number(limit)))

export const split: BuiltinReplacement = (original) =>
  function (text, separator, limit) {
    if (typeof separator !== 'string' || typeof text !== 'string' || Number(limit) < 0) return original.call(this, text, separator, limit)
    const most = Math.min(limit === undefined ? Infinity : Math.trunc(Number(limit)), maxItems + 1)
    const pieces = separator === '' ? text.split('', most) : splitText(text, separator, most).slice(0, most)
    if (pieces.length > maxItems) refuseExpression(`the text has more than ${maxItems} pieces`)
    return pieces
  }

export const replace: BuiltinReplacement = (original) =>
  function (text, pattern, replacement, limit) {
    const plain = typeof text === 'string' && typeof pattern === 'string' && typeof replacement === 'string'
    if (!plain || pattern === '' || Number(limit) < 0) return original.call(this, text, pattern, replacement, limit)
    const pieces = splitText(text, pattern, replacementCount(limit))
    checkLength(text.length + pieces.length * textLength(replacement), 4 * fastText)
    return pieces.join(replacement)
  }

const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1)

/** The library compares each item with every other item. This body compares texts: equal values have one text once keys are sorted. */
export const distinct: BuiltinReplacement = () =>
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

/** For every item, the library's sort copies all items behind it: 787 MB for 20,000 numbers. */
export const sort: BuiltinReplacement = (original) =>
  function (list, comparator) {
    const plain = Array.isArray(list) && list.length > 1 && comparator === undefined && list.every((item) => typeof item === typeof list[0])
    if (!plain || !['number', 'string'].includes(typeof list[0])) return original.call(this, list, comparator)
    return [...list].sort((a, b) => (a > b ? 1 : a < b ? -1 : 0))
  }

/** A function as the library hands it to a built-in: a JavaScript function, or a lambda of the expression. */
type Callback = ((...args: unknown[]) => unknown) & { readonly arity?: number; readonly arguments: readonly unknown[] }
const arityOf = (callback: Callback): number =>
  typeof callback === 'function' ? (callback.arity ?? callback.length) : (callback as Callback).arguments.length

/** Charges for each result of a callback, because the library walks through the whole result to see whether it counts as true. */
export const chargeVerdicts: BuiltinReplacement = (original) =>
  function (values, callback) {
    if (callback === undefined) return original.call(this, values, callback)
    const run = runOf(this.environment)
    const weighed = async (...args: unknown[]): Promise<unknown> => {
      const verdict = await (callback as Callback).apply(this, args)
      run.spend(checkWeight(verdict, false) / itemsAStep)
      return verdict
    }
    return original.call(this, values, Object.assign(weighed, { arity: arityOf(callback as Callback) }))
  }

/** Gives the time at which this evaluation began. The library's body gives the time of the evaluation that began last. */
export const now: BuiltinReplacement = () =>
  function (picture, timezone) {
    const { base } = this.environment
    return (base.lookup('fromMillis') as BuiltIn).implementation.call(this, base.timestamp.getTime(), picture, timezone)
  }
