/**
 * Collects the steps of the calls of one batch, in order. Runs without a lane that are accepted with no call about claims in between become
 * one step, for one SQL statement.
 */

import type { StoreFault } from '../../core/fault.ts'
import type { Accepted } from '../ports.ts'
import type { Unsettled } from './claims.ts'
import type { Accept, LedgerStep } from './ledger.ts'

export type Settlement<T> = { readonly resolve: (result: T) => void; readonly reject: (why: StoreFault) => void }

type Accepts = { readonly accepts: Accept[]; readonly answers: Settlement<Accepted>[] }

export class CallBatch {
  readonly steps: LedgerStep[] = []
  /** The claims of the batch that wait to be settled. */
  readonly unsettled: Unsettled[] = []
  /** The settlement of each step. */
  readonly #answers: Settlement<unknown>[] = []
  /** The step that further runs may join; `undefined` before the first such step, and after a step that touches claims. */
  #open: Accepts | undefined
  size = 0
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

  call<T>(step: LedgerStep<T>, answer: Settlement<T>): void {
    this.size++
    this.#add(step, answer)
  }

  /** Adds a step that makes or frees a claim, or whose result depends on one. `unsettled`: its claims that wait to be settled. */
  callOnClaims<T>(step: LedgerStep<T>, answer: Settlement<T>, unsettled: readonly Unsettled[] = []): void {
    // A run that is accepted after this call must not join a step before it.
    this.#open = undefined
    this.unsettled.push(...unsettled)
    this.call(step, answer)
  }

  resolve(results: readonly unknown[]): void {
    for (let i = 0; i < results.length; i++) this.#answers[i]?.resolve(results[i])
  }

  reject(why: StoreFault): void {
    for (const answer of this.#answers) answer.reject(why)
  }

  #begin(): Accepts {
    const open: Accepts = { accepts: [], answers: [] }
    this.#add((ledger, now) => ledger.accept(open.accepts, now), settleEach(open.answers))
    return open
  }

  #add<T>(step: LedgerStep<T>, answer: Settlement<T>): void {
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
