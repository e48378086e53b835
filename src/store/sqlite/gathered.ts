/** Gathers calls for the ledger, in order. Runs that are accepted in a row become one entry, which one statement serves. */

import type { StoreFault } from '../../core/fault.ts'
import type { Accepted } from '../ports.ts'
import type { Accept, Step, Unsettled } from './steps.ts'

export type Answer<T> = { readonly resolve: (result: T) => void; readonly reject: (why: StoreFault) => void }

type Accepts = {
  readonly accepts: Accept[]
  readonly answers: Answer<Accepted>[]
}
export type CallStep = Exclude<Step, { op: 'accept' }>
type Call = { readonly step: CallStep; readonly answer: Answer<unknown> }

/** Steps that take or free a claim, or depend on one. */
const touchesClaims: ReadonlySet<Step['op']> = new Set(['claim', 'held', 'settle', 'acceptInLane', 'join'])

/** The calls of one batch. */
export class Gathered {
  readonly #entries: (Accepts | Call)[] = []
  /** The entry that further accepts may join; `undefined` after a call that touches claims. */
  #open: Accepts | undefined
  size = 0

  accept(accept: Accept, answer: Answer<Accepted>): void {
    this.size++
    if (this.#open === undefined) {
      this.#open = { accepts: [], answers: [] }
      this.#entries.push(this.#open)
    }
    this.#open.accepts.push(accept)
    this.#open.answers.push(answer)
  }

  call(step: CallStep, answer: Answer<unknown>): void {
    this.size++
    // Runs that are accepted after such a call must stay after it.
    if (touchesClaims.has(step.op)) this.#open = undefined
    this.#entries.push({ step, answer })
  }

  steps(): Step[] {
    return this.#entries.map((entry) => ('step' in entry ? entry.step : { op: 'accept', accepts: entry.accepts }))
  }

  unsettled(): Unsettled[] {
    return this.#entries.flatMap((entry) => ('step' in entry && entry.step.op === 'claim' ? [entry.step] : []))
  }

  resolve(results: readonly unknown[]): void {
    this.#entries.forEach((entry, i) => {
      if ('step' in entry) entry.answer.resolve(results[i])
      else resolveRows(entry.answers, results[i] as readonly boolean[])
    })
  }

  reject(why: StoreFault): void {
    for (const entry of this.#entries) {
      for (const answer of 'step' in entry ? [entry.answer] : entry.answers) answer.reject(why)
    }
  }
}

const resolveRows = (answers: readonly Answer<Accepted>[], got: readonly boolean[]): void => {
  answers.forEach((answer, row) => {
    answer.resolve(got[row] ? 'accepted' : 'duplicate')
  })
}
