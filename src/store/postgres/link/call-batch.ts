/** A batch: calls of one kind that are sent as one statement, and the callers that wait for their answers. */

import type { StoreFault } from '../../../core/fault.ts'
import type { CallKind } from '../call-kind.ts'
import type { ResultRow } from '../connection.ts'
import { storeFault } from '../database-error.ts'

export type Settlement = { readonly resolve: (answer: unknown) => void; readonly reject: (why: StoreFault) => void }

/** The most characters of texts in one statement. A first call may be longer. */
const maxStatementChars = 4_000_000

export class CallBatch {
  readonly kind: CallKind<unknown, unknown>
  readonly since: number
  /** Batches of a link have ascending numbers. */
  readonly number: number
  readonly calls: unknown[] = []
  readonly #settlements: Settlement[] = []
  #chars = 0
  sendings = 0
  /** The error of the last sending. */
  error: StoreFault | undefined

  constructor(kind: CallKind<unknown, unknown>, since: number, number: number) {
    this.kind = kind
    this.since = since
    this.number = number
  }

  get size(): number {
    return this.calls.length
  }

  /** Whether one more call may be added: it is of the same kind, and the batch is not full and was never sent. */
  takes(kind: CallKind<unknown, unknown>, call: unknown): boolean {
    if (kind !== this.kind || this.sendings > 0 || this.size >= kind.maxCalls) return false
    if (kind.charsOf && this.#chars + kind.charsOf(call) > maxStatementChars) return false
    return kind.joins?.(this.calls, call) ?? true
  }

  add(call: unknown, settlement: Settlement): void {
    this.#chars += this.kind.charsOf?.(call) ?? 0
    this.calls.push(call)
    this.#settlements.push(settlement)
  }

  /** Gives each caller its answer, from the rows of the statement. */
  resolve(rows: readonly ResultRow[]): void {
    let answers: readonly unknown[]
    try {
      answers = this.kind.answers(rows, this.calls)
    } catch (error) {
      this.reject(storeFault(error), false)
      return
    }
    for (let i = 0; i < this.#settlements.length; i++) this.#settlements[i]?.resolve(answers[i])
  }

  /** Rejects all calls. `isDoubtful`: the calls may have been committed. */
  reject(why: StoreFault, isDoubtful: boolean): void {
    if (isDoubtful) this.kind.doubt?.(this.calls)
    for (const { reject } of this.#settlements) reject(why)
  }
}
