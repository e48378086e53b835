/** Each built-in of JSONata with what it may be given: a megabyte of anything takes no longer than a turn of the event loop may. */

import { checkWeight } from '../weight.ts'
import * as bodies from './bodies.ts'
import * as checks from './checks.ts'
import { fastText, heldTo, slowText, written } from './checks.ts'

/** Bounds of one built-in, with its reason where the default is not enough. */
export type Rule = {
  /** Longest text among its arguments; `slowText` where nothing is said. */
  readonly text?: number
  /** Longest list among its arguments; `maxItems` where nothing is said. */
  readonly items?: number
  readonly check?: checks.Check
  /** What runs instead of the library's own. */
  readonly instead?: bodies.Instead
}

const shortText = 1_000
/** Takes no time whatever it is given. */
const free: Rule = { text: Infinity, items: Infinity }
const usual: Rule = {}
/** Looks at keys. */
const keyed: Rule = { check: heldTo(false) }

/** A test holds this table and the library equal. */
export const rules: { readonly [name: string]: Rule } = {
  count: free,
  exists: free,
  type: free,
  random: free,
  millis: free,
  sum: usual,
  max: usual,
  min: usual,
  average: usual,
  floor: usual,
  ceil: usual,
  round: usual,
  abs: usual,
  sqrt: usual,
  power: usual,
  formatBase: usual,
  lowercase: usual,
  uppercase: usual,
  trim: usual,
  encodeUrl: usual,
  encodeUrlComponent: usual,
  decodeUrl: usual,
  decodeUrlComponent: usual,
  base64encode: { text: fastText },
  base64decode: { text: fastText },
  error: usual,
  assert: { check: (args) => checkWeight(args[0], false) },
  number: { text: shortText },
  length: { text: fastText, instead: bodies.length },
  substring: { text: fastText, instead: bodies.substring },
  contains: { text: fastText, instead: bodies.contains },
  substringBefore: { text: fastText, instead: bodies.substringBefore },
  substringAfter: { text: fastText, instead: bodies.substringAfter },
  match: { text: fastText },
  split: { text: fastText, instead: bodies.split },
  replace: { check: checks.replaceable, instead: bodies.replace },
  pad: { check: ([, width, fill]) => checks.buildable(Math.abs(Number(width)) * Math.max(1, checks.sizeOf(fill)), slowText) },
  join: { check: ([list, separator]) => checks.buildable(checks.unitsOf(list, checks.sizeOf(separator)), fastText) },
  formatNumber: { check: checks.numberFormat },
  formatInteger: { check: written(1) },
  parseInteger: { text: shortText, check: written(1) },
  fromMillis: { text: shortText, check: written(1) },
  toMillis: { text: 128, check: written(1) },
  now: { text: shortText, check: written(0), instead: bodies.now },
  string: { text: fastText, check: checks.indentable },
  clone: { check: heldTo(true) },
  boolean: { text: fastText, check: heldTo(false) },
  not: { text: fastText, check: heldTo(false) },
  keys: keyed,
  lookup: { check: ([input]) => Array.isArray(input) && checkWeight(input, false) },
  merge: keyed,
  each: keyed,
  sift: { check: heldTo(false), instead: bodies.judged },
  spread: { check: heldTo(false, 1_000) }, // Copies what it has for every item.
  append: usual,
  map: usual,
  filter: { instead: bodies.judged },
  single: { instead: bodies.judged },
  reduce: { text: fastText },
  zip: usual,
  reverse: usual,
  shuffle: usual,
  distinct: { check: heldTo(true), instead: bodies.distinct },
  sort: { check: checks.sortable, instead: bodies.sort },
  eval: { check: () => checks.refuse('$eval is not available here') },
}

export const builtInNames: readonly string[] = Object.keys(rules)
