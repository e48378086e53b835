/** One evaluation of an expression: what it may still spend, and whether anybody still waits for it. */

import { TooHard } from '../regex/regex.ts'
import { isTurnOver, nextTurn } from '../turn.ts'

/** A step takes a microsecond or a few. Steps are counted, not timed: a busy machine must not change what a filter says. */
const maxSteps = 50_000
/** What is done in the time of a step, at the slowest: items of a list handled, characters of a text read by JavaScript. */
export const itemsAStep = 4
export const unitsAStep = 128
/** Bytes, roughly, of the texts and lists that one evaluation may build. */
const maxBuilt = 33_554_432
const bytesAnItem = 8
/** Rows of joins (`@`, `#`) that one evaluation may group: the library copies a group for every row. */
const maxGrouped = 3_000

export class Run {
  /** The texts that are written in the expression. */
  readonly written: ReadonlySet<string>
  #steps = 0
  #built = 0
  #grouped = 0
  /** Why it ended. Ten thousand parts may go on side by side, and an error for each of them would take seconds to make. */
  #end: TooHard | undefined

  constructor(written: ReadonlySet<string>) {
    this.written = written
  }

  /** Called before each step. Throws TooHard when the steps are used up; a promise where others must have the loop first. */
  step(): Promise<void> | undefined {
    // Items of a list are evaluated side by side: when one fails, the others would go on.
    if (this.#end) throw this.#end
    this.spend(1)
    return isTurnOver() ? nextTurn() : undefined
  }

  /** Charges for a step that is longer than others. */
  spend(steps: number): void {
    this.#steps += steps
    if (this.#steps > maxSteps) this.#refuse(`the expression takes more than ${maxSteps} steps`)
  }

  /** Charges for what a step has made. */
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

/** What JSONata hands to a function or a hook: `base` is the frame of the whole evaluation, which no payload can bind a name in. */
export type Frame = {
  readonly base: {
    readonly lookup: (name: string) => unknown
    readonly timestamp: Date
    /** What it makes for a pattern of the expression. */
    RegexEngine?: unknown
  }
}

/** The bindings under which `runOf` finds a run. */
export const bindingsOf = (run: Run): { readonly [name: string]: unknown } => ({ [runName]: run })

export const runOf = (frame: Frame): Run => frame.base.lookup(runName) as Run
