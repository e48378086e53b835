/** The bounds of each built-in function of JSONata. A call within its bounds never holds the event loop longer than a turn may take. */

import { checkWeight } from '../weight.ts'
import * as bodies from './bodies.ts'
import * as checks from './checks.ts'
import { chargeItems, fastText, ownPicture, slowText } from './checks.ts'

export type Rule = {
  /** The longest text among the arguments, in UTF-16 units; default `slowText`. */
  readonly text?: number
  /** The longest list among the arguments; default `maxItems`. */
  readonly items?: number
  /** Checks the arguments further, and charges for them, before the call. */
  readonly check?: checks.CheckArguments
  /** Makes a body that takes the place of the library's body. */
  readonly instead?: bodies.BuiltinReplacement
}

const shortText = 1_000
/** The rule of a built-in that is quick whatever its arguments are. */
const free: Rule = { text: Infinity, items: Infinity }
const usual: Rule = {}
/** The rule of a built-in that goes through the keys of maps. */
const keyed: Rule = { check: chargeItems(false) }

/** The rules by the names of built-ins. A test compares the names with the library's own list. */
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
  pad: { check: ([, width, fill]) => checks.checkLength(Math.abs(Number(width)) * Math.max(1, checks.textLength(fill)), slowText) },
  join: { check: ([list, separator]) => checks.checkLength(checks.unitsOf(list, checks.textLength(separator)), fastText) },
  formatNumber: { check: checks.numberFormat },
  formatInteger: { check: ownPicture(1) },
  parseInteger: { text: shortText, check: ownPicture(1) },
  fromMillis: { text: shortText, check: ownPicture(1) },
  toMillis: { text: 128, check: ownPicture(1) },
  now: { text: shortText, check: ownPicture(0), instead: bodies.now },
  string: { text: fastText, check: checks.indentable },
  clone: { check: chargeItems(true) },
  boolean: { text: fastText, check: chargeItems(false) },
  not: { text: fastText, check: chargeItems(false) },
  keys: keyed,
  lookup: { check: ([input]) => Array.isArray(input) && checkWeight(input, false) },
  merge: keyed,
  each: keyed,
  sift: { check: chargeItems(false), instead: bodies.chargeVerdicts },
  spread: { check: chargeItems(false, 1_000) }, // The library copies all results so far for every item.
  append: usual,
  map: usual,
  filter: { instead: bodies.chargeVerdicts },
  single: { instead: bodies.chargeVerdicts },
  reduce: { text: fastText },
  zip: usual,
  reverse: usual,
  shuffle: usual,
  distinct: { check: chargeItems(true), instead: bodies.distinct },
  sort: { check: checks.sortable, instead: bodies.sort },
  eval: { check: () => checks.refuseExpression('$eval is not available here') },
}

export const builtInNames: readonly string[] = Object.keys(rules)
