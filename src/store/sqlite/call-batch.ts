/**
 * Collects the calls of one batch as steps for the ledger, in order. Runs without a lane that are accepted with no call about claims in
 * between become one step, for one SQL statement.
 */

import type { StoreFault } from '../../core/fault.ts'
import type { Accepted } from '../ports.ts'
import type { Accept, LedgerStep, Unsettled } from './steps.ts'

/** The functions that settle the promise of a call. */
export type Settlement<T> = { readonly resolve: (result: T) => void; readonly reject: (why: StoreFault) => void }

export type CallStep = Exclude<LedgerStep, { op: 'accept' }>
type Accepts = { readonly accepts: Accept[]; readonly answers: Settlement<Accepted>[] }

/** The steps besides `accept` that make or free a claim, or whose result depends on a claim. */
const touchesClaims: ReadonlySet<LedgerStep['op']> = new Set(['claim', 'held', 'settle', 'acceptInLane', 'join', 'acceptAll'])

/** The calls of a batch. */
export class CallBatch {
  readonly steps: LedgerStep[] = []
  /** The claims of the steps `claim`, which wait to be settled. */
  readonly unsettled: Unsettled[] = []
  /** The settlement of each step. */
  readonly #answers: Settlement<unknown>[] = []
  /** The step that further runs may join; `undefined` before the first such step, and after a step that touches claims. */
  #open: Accepts | undefined
  size = 0
  /** The monotonic time of the first call. */
  readonly begunAt: number

  constructor(begunAt: number) {
    this.begunAt = begunAt
  }

  accept(accept: Accept, answer: Settlement<Accepted>): void {
    this.size++
    this.#open ??= this.#begin()
    this.#open.accepts.push(accept)
    this.#open.answers.push(answer)
  }

  call(step: CallStep, answer: Settlement<unknown>): void {
    this.size++
    // A run that is accepted after a call that touches claims must not join a step before that call.
    if (touchesClaims.has(step.op)) this.#open = undefined
    if (step.op === 'claim') this.unsettled.push(step)
    this.#add(step, answer)
  }

  resolve(results: readonly unknown[]): void {
    for (let i = 0; i < results.length; i++) this.#answers[i]?.resolve(results[i])
  }

  reject(why: StoreFault): void {
    for (const answer of this.#answers) answer.reject(why)
  }

  #begin(): Accepts {
    const open: Accepts = { accepts: [], answers: [] }
    this.#add({ op: 'accept', accepts: open.accepts }, settleEach(open.answers))
    return open
  }

  #add<T>(step: LedgerStep, answer: Settlement<T>): void {
    this.steps.push(step)
    this.#answers.push(answer as Settlement<unknown>)
  }
}

const settleEach = (answers: readonly Settlement<Accepted>[]): Settlement<readonly Accepted[]> => ({
  resolve(results) {
    for (let i = 0; i < answers.length; i++) answers[i]?.resolve(results[i] as Accepted)
  },
  reject(why) {
    for (const answer of answers) answer.reject(why)
  },
})
