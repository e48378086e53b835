/** Gathers calls for the thread, in order. Runs that are accepted in a row become one entry, which one statement serves. */

import type { StoreFault } from '../../core/fault.ts'
import type { Accepted, NewRun } from '../ports.ts'
import type { Step, Unsettled } from './messages.ts'

export type Answer<T> = { readonly resolve: (result: T) => void; readonly reject: (why: StoreFault) => void }

type Accepts = {
  readonly claims: [key: string, holdMs: number][]
  readonly runs: NewRun[]
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

  accept(run: NewRun, key: string, holdMs: number, answer: Answer<Accepted>): void {
    this.size++
    if (this.#open === undefined) {
      this.#open = { claims: [], runs: [], answers: [] }
      this.#entries.push(this.#open)
    }
    this.#open.claims.push([key, holdMs])
    this.#open.runs.push(run)
    this.#open.answers.push(answer)
  }

  call(step: CallStep, answer: Answer<unknown>): void {
    this.size++
    // Runs that are accepted after such a call must stay after it.
    if (touchesClaims.has(step.op)) this.#open = undefined
    this.#entries.push({ step, answer })
  }

  steps(): Step[] {
    return this.#entries.map((entry) =>
      'step' in entry
        ? entry.step
        : { op: 'accept', count: entry.runs.length, claims: JSON.stringify(entry.claims), runs: JSON.stringify(entry.runs) },
    )
  }

  unsettled(): Unsettled[] {
    return this.#entries.flatMap((entry) => ('step' in entry && entry.step.op === 'claim' ? [entry.step] : []))
  }

  resolve(results: readonly unknown[]): void {
    for (const [i, entry] of this.#entries.entries()) {
      if ('step' in entry) entry.answer.resolve(results[i])
      else resolveRows(entry.answers, results[i] as true | boolean[])
    }
  }

  reject(why: StoreFault): void {
    for (const entry of this.#entries) {
      for (const answer of 'step' in entry ? [entry.answer] : entry.answers) answer.reject(why)
    }
  }
}

const resolveRows = (answers: readonly Answer<Accepted>[], got: true | boolean[]): void => {
  for (const [row, answer] of answers.entries()) answer.resolve(got === true || got[row] === true ? 'accepted' : 'duplicate')
}
