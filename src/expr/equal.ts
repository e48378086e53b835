/** Compares JSON values deeply: two values of an event, or, compiled, a value with a wanted one, whose keys are then listed only once. */

import { ExactNumber, numberKey } from '../core/exact-number.ts'
import { type ExactJson, isObject } from '../core/json.ts'

type Equal = (value: ExactJson | undefined) => boolean

const has = Object.prototype.hasOwnProperty

const compileList = (wanted: readonly ExactJson[]): Equal => {
  const items = wanted.map(compileEqual)
  return (value) => Array.isArray(value) && value.length === items.length && items.every((equal, i) => equal(value[i]))
}

const compileMap = (wanted: { readonly [key: string]: ExactJson }): Equal => {
  const members = Object.entries(wanted).map(([key, member]) => ({ key, equal: compileEqual(member) }))
  return (value) => {
    if (!isObject(value)) return false
    // A payload's map may be large, so its keys are counted only when all wanted members are in it.
    return members.every(({ key, equal }) => has.call(value, key) && equal(value[key])) && Object.keys(value).length === members.length
  }
}

const compileNumber = (wanted: number | ExactNumber): Equal => {
  const key = numberKey(wanted)
  return (value) =>
    typeof value === 'number' && typeof wanted === 'number' ? value === wanted : isNumber(value) && numberKey(value) === key
}

export const isNumber = (value: ExactJson | undefined): value is number | ExactNumber =>
  typeof value === 'number' || value instanceof ExactNumber

/**
 * Compiles the test. Equal values have one type and equal members, with keys in any order. Numbers are equal by their decimal value,
 * whichever way they are written. A missing value equals nothing.
 */
export function compileEqual(wanted: ExactJson): Equal {
  if (Array.isArray(wanted)) return compileList(wanted)
  if (isNumber(wanted)) return compileNumber(wanted)
  return isObject(wanted) ? compileMap(wanted) : (value) => value === wanted
}

/** Whether a value is a list or a map. Any other value is looked up in a set, without a comparison with each item. */
const isNested = (item: ExactJson): boolean => typeof item === 'object' && item !== null && !isNumber(item)

export const compileOneOf = (items: readonly ExactJson[]): Equal => {
  const numbers = new Set(items.filter(isNumber).map(numberKey))
  const others = new Set<ExactJson | undefined>(items.filter((item) => !isNested(item) && !isNumber(item)))
  const nested = items.filter(isNested).map(compileEqual)
  const isScalar: Equal = (value) => (isNumber(value) ? numbers.has(numberKey(value)) : others.has(value))
  if (nested.length === 0) return isScalar
  return (value) => isScalar(value) || nested.some((equal) => equal(value))
}

type Pair = readonly [ExactJson | undefined, ExactJson | undefined]

/** Returns the pairs of members that must be equal, so that two values are; `undefined` where the values differ. */
const pairsOf = (a: ExactJson | undefined, b: ExactJson | undefined): readonly Pair[] | undefined => {
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length ? a.map((item, i): Pair => [item, b[i]]) : undefined
  if (isNumber(a)) return isNumber(b) && numberKey(a) === numberKey(b) ? [] : undefined
  if (!isObject(a)) return a === b ? [] : undefined
  const keys = Object.keys(a)
  if (!isObject(b) || keys.length !== Object.keys(b).length || !keys.every((key) => has.call(b, key))) return undefined
  return keys.map((key): Pair => [a[key], b[key]])
}

/** Whether two values are equal, as `compileEqual` says. There is no recursion, because a stranger chose the depth of both. */
export const areEqual = (one: ExactJson, other: ExactJson): boolean => {
  const waiting: Pair[] = [[one, other]]
  for (let pair = waiting.pop(); pair !== undefined; pair = waiting.pop()) {
    const pairs = pairsOf(...pair)
    if (!pairs) return false
    for (const each of pairs) waiting.push(each)
  }
  return true
}
