/** Hashes ids to keys of the shared database, and names the calls that make claims. */

import { hash, randomInt } from 'node:crypto'
import type { ChatAddress } from '../../core/session.ts'

/**
 * The first 120 bits of a SHA-256, as a uuid: no text that a sender chose is a key, and all keys are short. The embedded store has as many
 * bits of its keys, so that the content of one store can be moved to the other.
 */
export const keyOf = (id: string): string => `${hash('sha256', id, 'hex').slice(0, 30)}00`

/** The key of a profile's chat. */
export const chatKey = (profile: string, { platform, chat, thread }: ChatAddress): string =>
  keyOf(JSON.stringify([profile, platform, chat, thread ?? null]))

const callBits = 31n
const maxCalls = 2 ** 31

/** Numbers the calls of a process that make claims. A mark is the number of the process, chosen at random, and that of the call. */
export class Marks {
  /** The number of this process. It owns the leases that the process takes, too. */
  readonly owner = BigInt(randomInt(1, maxCalls))
  #calls = 0

  next(): bigint {
    this.#calls = (this.#calls + 1) % maxCalls
    return (this.owner << callBits) + BigInt(this.#calls)
  }
}

/** The SQL of the process in a mark. */
export const ownerOf = (mark: string): string => `(${mark} >> ${callBits})`

/** The SQL of the process in a mark of a claim that waits to be settled. */
export const ownerOfMark = ownerOf('-mark')
