/** Checks on the arguments of a JSONata built-in, before it runs. A check charges steps for the work to come, or throws TooHard. */

import type { Json } from '../../core/json.ts'
import { maxMatches } from '../regex/linear-regexp.ts'
import { renderJson } from '../render.ts'
import { TooHard } from '../too-hard.ts'
import { checkWeight } from '../weight.ts'
import { type EvaluationRun, itemsAStep } from './run.ts'

/** Checks the arguments of a call within an evaluation. The result has no meaning. */
export type CheckArguments = (args: readonly unknown[], run: EvaluationRun) => unknown

/** The longest text, in UTF-16 units, for a built-in that reads every character in JavaScript. */
export const slowText = 131_072
/** The longest text, in UTF-16 units, for a built-in that is as quick as copying. */
export const fastText = 1_048_576
const maxRenderedUnits = 262_144
const maxSorted = 2_000
/** The most options of `$formatNumber`. The text of an option must have fewer UTF-16 units than this number, too. */
const maxOptions = 20

export const refuseExpression = (what: string): never => {
  throw new TooHard(what)
}

export const textLength = (text: unknown): number => (typeof text === 'string' ? text.length : 0)

/** Throws TooHard where a text that is to be built, of `units` UTF-16 units, would be longer than `most`. */
export const checkLength = (units: number, most: number): void => {
  if (units > most) refuseExpression(`the text would be longer than ${most} characters`)
}

/** Returns the sum of the lengths of a list's texts, plus `between` for each item. */
export const unitsOf = (list: unknown, between = 0): number =>
  Array.isArray(list) ? list.reduce<number>((units, item) => units + textLength(item) + between, 0) : 0

/** Charges for all items of the arguments. Without `deep`, a map inside another value counts as one item. `most`: as in `checkWeight`. */
export const chargeItems =
  (deep: boolean, most?: number): CheckArguments =>
  (args, run) => {
    for (const arg of args) run.spend(checkWeight(arg, deep, most) / itemsAStep)
  }

/**
 * Checks the picture of a date or number, which is a text that says how to write or read it: the argument at `at`. A picture from a payload
 * may ask for half a gigabyte of digits (`[Y,*-400000000]`), or for a pattern that backtracks for ever. So it must be a text that is
 * written in the expression.
 */
export const ownPicture =
  (at: number): CheckArguments =>
  (args, run) => {
    const picture = args[at]
    if (typeof picture === 'string' && !run.written.has(picture)) refuseExpression('a picture must be written in the expression')
  }

/**
 * Checks the picture and the options of `$formatNumber`. With an empty separator among the options, `$formatNumber` would search for ever.
 */
export const numberFormat: CheckArguments = (args, run) => {
  ownPicture(1)(args, run)
  const options = args[2]
  if (options === undefined) return
  checkWeight(options, false, maxOptions)
  const fine = Object.values(options as object).every((value) => textLength(value) > 0 && textLength(value) < maxOptions)
  if (!fine) refuseExpression('the options of $formatNumber must be a few short texts')
}

/**
 * Charges a `$replace` that searches for a pattern: for each match, the library reads the replacement anew, from one `$` to the next.
 * Refuses a result that could become too long.
 */
export const replaceable: CheckArguments = ([text, pattern, replacement], run) => {
  if (typeof pattern === 'string' || typeof replacement !== 'string') return
  const matches = Math.min(textLength(text), maxMatches)
  run.spend((matches * replacement.split('$').length) / itemsAStep)
  checkLength(matches * replacement.length, 4 * fastText)
}

/** Refuses a value whose indented text would be too long: indenting multiplies the size of a deep value by its depth. */
export const indentable: CheckArguments = ([value, pretty], run) => {
  run.spend(checkWeight(value, true) / itemsAStep)
  if (pretty === true && typeof value === 'object' && renderJson(value as Json, maxRenderedUnits, 2).length >= maxRenderedUnits - 1)
    refuseExpression('the indented text would be too long')
}

/** Refuses a list whose texts are too long together, because sorting compares them, and a long list where a comparator is called. */
export const sortable: CheckArguments = ([list, comparator]) => {
  if (unitsOf(list) > fastText) refuseExpression('the texts of the list are too long to sort')
  if (comparator !== undefined && Array.isArray(list) && list.length > maxSorted)
    refuseExpression(`the list is too long to sort: at most ${maxSorted} items`)
}
