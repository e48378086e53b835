/** One evaluation of an expression: how much it has used of its limits, and whether it has ended. */

import { TooHard } from '../regex/regex.ts'
import { isTurnOver, nextTurn } from '../turn.ts'

/** A step takes a few microseconds. Steps are counted, not timed, because a busy machine must not change the verdict of a filter. */
const maxSteps = 50_000
/** Items of a list that a built-in handles in the time of a step, at its slowest. */
export const itemsAStep = 4
/** UTF-16 units of a text that JavaScript reads in the time of a step. */
export const unitsAStep = 128
/** Bytes, roughly, of the texts and lists that one evaluation may build. */
const maxBuilt = 33_554_432
const bytesAnItem = 8
/** Rows of joins (`@`, `#`) that one evaluation may group: the library copies a group for every row. */
const maxGrouped = 3_000

export class Run {
  /** The string literals of the expression. */
  readonly written: ReadonlySet<string>
  #steps = 0
  #built = 0
  #grouped = 0
  /** Why the evaluation ended. Ten thousand items evaluated side by side share this error: making one for each takes seconds. */
  #end: TooHard | undefined

  constructor(written: ReadonlySet<string>) {
    this.written = written
  }

  /** Counts a step, before it is made. Throws TooHard when the steps are used up. Returns a promise where other work must come first. */
  step(): Promise<void> | undefined {
    // The library evaluates the items of a list side by side. When one fails, this stops the others.
    if (this.#end) throw this.#end
    this.spend(1)
    return isTurnOver() ? nextTurn() : undefined
  }

  /** Charges for work that takes the time of so many steps. */
  spend(steps: number): void {
    this.#steps += steps
    if (this.#steps > maxSteps) this.#refuse(`the expression takes more than ${maxSteps} steps`)
  }

  /** Charges for the memory of a new value. */
  build(value: unknown): void {
    if (typeof value === 'string') this.#built += value.length
    else if (Array.isArray(value)) this.#built += value.length * bytesAnItem
    if (this.#built > maxBuilt) this.#refuse('the expression builds too many or too long texts and lists')
  }

  group(): void {
    if (++this.#grouped > maxGrouped) this.#refuse(`the expression groups more than ${maxGrouped} rows of a join`)
  }

  end(): void {
    this.#end ??= new TooHard('the expression has ended')
  }

  #refuse(why: string): never {
    this.#end ??= new TooHard(why)
    throw this.#end
  }
}

const runName = ' run'

/** The frame that JSONata gives a function or a hook. `base` is the frame of the whole evaluation; a payload cannot bind a name in it. */
export type Frame = {
  readonly base: {
    readonly lookup: (name: string) => unknown
    readonly timestamp: Date
    /** The class that the library instantiates for a pattern literal. */
    RegexEngine?: unknown
  }
}

/** Returns the bindings by which `runOf` finds the run again. */
export const bindingsOf = (run: Run): { readonly [name: string]: unknown } => ({ [runName]: run })

export const runOf = (frame: Frame): Run => frame.base.lookup(runName) as Run
