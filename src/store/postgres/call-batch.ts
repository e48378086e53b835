/** Calls of one kind that become one statement, and who waits for their answers. */

import type { StoreFault } from '../../core/fault.ts'
import type { CallKind } from './call-kind.ts'
import type { Row } from './connection.ts'
import { storeFault } from './database-error.ts'

export type Settlement = { readonly resolve: (answer: unknown) => void; readonly reject: (why: StoreFault) => void }

/** The most characters in one statement, past the first call. */
const maxChars = 4_000_000

export class CallBatch {
  readonly kind: CallKind<unknown, unknown>
  /** The monotonic time of the first call. */
  readonly since: number
  readonly calls: unknown[] = []
  readonly #settlements: Settlement[] = []
  #chars = 0
  sendings = 0
  /** The error of the last sending. */
  error: StoreFault | undefined

  constructor(kind: CallKind<unknown, unknown>, since: number) {
    this.kind = kind
    this.since = since
  }

  get size(): number {
    return this.calls.length
  }

  /** Whether one more call becomes a part of the same statement. */
  takes(kind: CallKind<unknown, unknown>, call: unknown): boolean {
    if (kind !== this.kind || this.sendings > 0 || this.size >= kind.maxCalls) return false
    if (kind.charsOf && this.#chars + kind.charsOf(call) > maxChars) return false
    return kind.joins?.(this.calls, call) ?? true
  }

  add(call: unknown, settlement: Settlement): void {
    this.#chars += this.kind.charsOf?.(call) ?? 0
    this.calls.push(call)
    this.#settlements.push(settlement)
  }

  resolve(rows: readonly Row[]): void {
    let answers: readonly unknown[]
    try {
      answers = this.kind.answers(rows, this.calls)
    } catch (error) {
      this.reject(storeFault(error), false)
      return
    }
    for (let i = 0; i < this.#settlements.length; i++) this.#settlements[i]?.resolve(answers[i])
  }

  /** `isDoubtful`: the calls may have been committed. */
  reject(why: StoreFault, isDoubtful: boolean): void {
    if (isDoubtful) this.kind.doubt?.(this.calls)
    for (const { reject } of this.#settlements) reject(why)
  }
}
