/** Hashes ids to keys of the shared database, and numbers the calls that the database must recognise when they are sent twice. */

import { hash, randomInt } from 'node:crypto'

/**
 * Returns the key of an id: the first 120 bits of its SHA-256, filled up to a uuid. So no key is a text that a sender chose, and all keys
 * are short. Keys in the embedded store have 120 bits too, so that the content of one store can be moved to the other.
 */
export const keyOf = (id: string): string => `${hash('sha256', id, 'hex').slice(0, 30)}00`

const callBits = 31n
const maxCalls = 2 ** 31

/** Makes the marks of calls. A mark joins the number of this process, which is chosen at random, and the number of the call. */
export class CallMarks {
  /**
   * The number of this process. The leases that the process takes have this number too, negated where the process takes a run as it accepts
   * it.
   */
  readonly owner = BigInt(randomInt(1, maxCalls))
  #calls = 0

  next(): bigint {
    this.#calls = (this.#calls + 1) % maxCalls
    return (this.owner << callBits) + BigInt(this.#calls)
  }
}

/** Returns the SQL of the number of the process in a mark. `mark`: the SQL of the mark. */
export const ownerOf = (mark: string): string => `(${mark} >> ${callBits})`

/** The SQL of the number of the process in the column `mark` of a claim that waits to be settled, whose mark is negative. */
export const ownerOfMark = ownerOf('-mark')
