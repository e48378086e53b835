/** Compiles a wanted JSON value to a test whether another value equals it. The keys of the wanted value are listed only once. */

import { isObject, type Json } from '../core/json.ts'

type Equal = (value: Json | undefined) => boolean

const has = Object.prototype.hasOwnProperty

const compileList = (wanted: readonly Json[]): Equal => {
  const items = wanted.map(compileEqual)
  return (value) => Array.isArray(value) && value.length === items.length && items.every((equal, i) => equal(value[i]))
}

const compileMap = (wanted: { readonly [key: string]: Json }): Equal => {
  const members = Object.entries(wanted).map(([key, member]) => ({ key, equal: compileEqual(member) }))
  return (value) => {
    if (!isObject(value)) return false
    // A payload's map may be large, so its keys are counted only when all wanted members are in it.
    return members.every(({ key, equal }) => has.call(value, key) && equal(value[key])) && Object.keys(value).length === members.length
  }
}

/** Compiles the test. Equal values have one type and equal members, with keys in any order. A missing value equals nothing. */
export function compileEqual(wanted: Json): Equal {
  if (Array.isArray(wanted)) return compileList(wanted)
  return isObject(wanted) ? compileMap(wanted) : (value) => value === wanted
}
