/** One evaluation of an expression: how much it has used of its limits, and whether it has ended. */

import { TooHard } from '../too-hard.ts'
import { isTurnOver, nextExpressionTurn } from '../turn.ts'

/**
 * The most steps of one evaluation. A step, which is one node of the expression or as much work, takes a few microseconds. Steps are
 * counted, not timed, because a busy machine must not change the verdict of a filter.
 */
const maxSteps = 50_000
/** Items of a list that a built-in handles in the time of a step, at its slowest. */
export const itemsAStep = 4
/** UTF-16 units of a text that JavaScript reads in the time of a step. */
export const unitsAStep = 128
/** The most bytes, roughly, of the texts and lists that one evaluation may build. */
const maxBuilt = 33_554_432
const bytesAnItem = 8
/** Rows of joins (`@`, `#`) that one evaluation may group: the library copies a group for every row. */
const maxGrouped = 3_000

/** Counts what one evaluation uses. Each method but `end` throws TooHard when a limit is passed. */
export class EvaluationRun {
  /** The string literals of the expression. */
  readonly written: ReadonlySet<string>
  #steps = 0
  #built = 0
  #grouped = 0
  /**
   * The error that ended the evaluation. Ten thousand items that are evaluated side by side share it: an error for each would take seconds.
   */
  #end: TooHard | undefined

  constructor(written: ReadonlySet<string>) {
    this.written = written
  }

  /** Counts a step, before it is made. Returns a promise where this turn of the event loop is used up: the caller waits for it. */
  step(): Promise<void> | undefined {
    // The library evaluates the items of a list side by side. After the failure of one item, this error stops the evaluation of the other
    // items.
    if (this.#end) throw this.#end
    this.spend(1)
    return isTurnOver() ? nextExpressionTurn() : undefined
  }

  /** Charges for work that takes the time of `steps` steps, which may be a fraction. */
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

  /** Counts a row that a join (`@`, `#`) made and that is sorted into groups (`{}`). */
  group(): void {
    if (++this.#grouped > maxGrouped) this.#refuse(`the expression groups more than ${maxGrouped} rows of a join`)
  }

  /** Ends the evaluation: items that are still being evaluated stop at their next step. */
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
export type EvaluationFrame = {
  readonly base: {
    readonly lookup: (name: string) => unknown
    readonly timestamp: Date
    /** The class that the library instantiates for a pattern literal. */
    RegexEngine?: unknown
  }
}

/** Returns the binding by which `runOf` finds the run of an evaluation. Its name begins with a blank, so no expression can use it. */
export const bindingsOf = (run: EvaluationRun): { readonly [name: string]: unknown } => ({ [runName]: run })

export const runOf = (frame: EvaluationFrame): EvaluationRun => frame.base.lookup(runName) as EvaluationRun
