/** Equality with a JSON value, compiled: keys of the value are listed once, so that no payload is compared with them in more than one pass. */

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
    // A payload's map may be large: its keys are counted only when it has all of ours.
    return members.every(({ key, equal }) => has.call(value, key) && equal(value[key])) && Object.keys(value).length === members.length
  }
}

/** Same type, same members whatever their order; nothing equals a missing value. */
export function compileEqual(wanted: Json): Equal {
  if (Array.isArray(wanted)) return compileList(wanted)
  return isObject(wanted) ? compileMap(wanted) : (value) => value === wanted
}
