/** What a built-in of JSONata is refused for, or charged for, before it runs. Each check throws TooHard. */

import type { Json } from '../../core/json.ts'
import { maxMatches } from '../regex/linear-regexp.ts'
import { TooHard } from '../regex/regex.ts'
import { renderJson } from '../render.ts'
import { checkWeight } from '../weight.ts'
import { itemsAStep, type Run } from './run.ts'

export type Check = (args: readonly unknown[], run: Run) => unknown

/** Longest text for what looks at every character in JavaScript, and for what is as quick as copying. */
export const slowText = 131_072
export const fastText = 1_048_576
const maxRenderedUnits = 262_144
const maxSorted = 2_000
const maxOptions = 20

export const refuse = (what: string): never => {
  throw new TooHard(what)
}

export const sizeOf = (text: unknown): number => (typeof text === 'string' ? text.length : 0)

/** Refuses to make a text longer than `most`. */
export const buildable = (units: number, most: number): void => {
  if (units > most) refuse(`the text would be longer than ${most} characters`)
}

/** Length of the texts of a list, with `between` added for each. */
export const unitsOf = (list: unknown, between = 0): number =>
  Array.isArray(list) ? list.reduce<number>((units, item) => units + sizeOf(item) + between, 0) : 0

/** Charges for what the arguments hold; without `deep`, maps below are counted but not looked into. */
export const heldTo =
  (deep: boolean, most?: number): Check =>
  (args, run) => {
    for (const arg of args) run.spend(checkWeight(arg, deep, most) / itemsAStep)
  }

/**
 * A picture that a payload brings may ask for half a gigabyte of digits (`[Y,*-400000000]`) or for a pattern that backtracks for ever,
 * so pictures are those that the expression itself spells.
 */
export const written =
  (at: number): Check =>
  (args, run) => {
    const picture = args[at]
    if (typeof picture === 'string' && !run.written.has(picture)) refuse('a picture must be written in the expression')
  }

/** An empty separator makes `$formatNumber` look for it for ever. */
export const numberFormat: Check = (args, run) => {
  written(1)(args, run)
  const options = args[2]
  if (options === undefined) return
  checkWeight(options, false, maxOptions)
  const fine = Object.values(options as object).every((value) => sizeOf(value) > 0 && sizeOf(value) < maxOptions)
  if (!fine) refuse('the options of $formatNumber must be a few short texts')
}

/** For each match of a pattern the replacement is read once more, from one `$` to the next. */
export const replaceable: Check = ([text, pattern, replacement], run) => {
  if (typeof pattern === 'string' || typeof replacement !== 'string') return
  const matches = Math.min(sizeOf(text), maxMatches)
  run.spend((matches * replacement.split('$').length) / itemsAStep)
  buildable(matches * replacement.length, 4 * fastText)
}

/** Indenting a deep value multiplies its size by its depth. */
export const indentable: Check = ([value, pretty], run) => {
  run.spend(checkWeight(value, true) / itemsAStep)
  if (pretty === true && typeof value === 'object' && renderJson(value as Json, maxRenderedUnits, 2).length >= maxRenderedUnits - 1)
    refuse('the indented text would be too long')
}

export const sortable: Check = ([list, comparator]) => {
  buildable(unitsOf(list), fastText)
  if (comparator !== undefined && Array.isArray(list) && list.length > maxSorted)
    refuse(`the list is too long to sort: at most ${maxSorted} items`)
}
