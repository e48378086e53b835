/**
 * The claims of the table `held` (claims.ts), in memory, in slots of 16 bytes: a fingerprint of the key, and the time when the claim ends.
 * The form is a hash table with open addressing and linear probing (decision 0087).
 */

/**
 * How many characters at the start of a hashed key are its fingerprint: 60 bits. While a million keys are held, one in a million million
 * new keys has the fingerprint of a held key, and is then taken for a duplicate.
 */
export const fingerprintLength = 10
const halfLength = fingerprintLength / 2

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
/** The value, from 0 to 63, of each character of base64url, by the character's code. */
const sextetOf = Uint8Array.from({ length: 128 }, (_, code) => Math.max(0, alphabet.indexOf(String.fromCharCode(code))))

const halfFingerprint = (text: string, from: number): number => {
  let value = 0
  for (let i = from; i < from + halfLength; i++) value = (value << 6) | (sextetOf[text.charCodeAt(i) & 127] as number)
  return value
}

/** The number of slots of the first table: room for 19,000 keys, in 512 KiB. */
const firstSlots = 1 << 15
/** The most slots of a table: 32 MiB. */
const maxSlots = 1 << 21
const bytesPerSlot = 16
/** How long a full table is not searched for ended claims again, in milliseconds. */
const fullMs = 60_000
/** The largest part of the slots that may be used. */
const maxLoad = 0.6

/**
 * Returns the size in bytes of a table in which `claimed` keys were claimed, and no claim has ended. `bench:soak` subtracts this size from
 * the memory that it judges.
 */
export const tableBytes = (claimed: number): number => {
  let slots = firstSlots
  while (slots < maxSlots && claimed >= slots * maxLoad) slots *= 2
  return slots * bytesPerSlot
}

export class RecentClaims {
  #high = new Uint32Array(firstSlots)
  #low = new Uint32Array(firstSlots)
  /** The end of the claim in each slot. 0: the slot is empty. A claim that has ended keeps its slot until the table is made anew. */
  #until = new Float64Array(firstSlots)
  #used = 0
  #fullUntil = 0
  readonly #maxSlots: number

  constructor(most = maxSlots) {
    this.#maxSlots = most
  }

  holds(key: string, now: number): boolean {
    return this.endOf(key) > now
  }

  /** Returns the end of the claim of a key, also where it is past; 0 where there is none. */
  endOf(key: string): number {
    return this.#until[this.#slotOf(halfFingerprint(key, 0), halfFingerprint(key, halfLength))] as number
  }

  /** Claims a key. `full`: the key is not held, and the table is full. */
  claim(key: string, until: number, now: number): 'claimed' | 'held' | 'full' {
    if (this.#used >= this.#until.length * maxLoad && !this.#makeRoom(now)) return this.holds(key, now) ? 'held' : 'full'
    const [high, low] = [halfFingerprint(key, 0), halfFingerprint(key, halfLength)]
    const slot = this.#slotOf(high, low)
    const held = this.#until[slot] as number
    if (held > now) return 'held'
    if (held === 0) this.#used++
    this.#put(slot, high, low, until)
    return 'claimed'
  }

  /** Returns the slot of this fingerprint, or the empty slot where it belongs. */
  #slotOf(high: number, low: number): number {
    const mask = this.#until.length - 1
    let slot = (low ^ (high << 15)) & mask
    while (this.#until[slot] !== 0 && (this.#low[slot] !== low || this.#high[slot] !== high)) slot = (slot + 1) & mask
    return slot
  }

  #put(slot: number, high: number, low: number, until: number): void {
    this.#high[slot] = high
    this.#low[slot] = low
    this.#until[slot] = until
  }

  /**
   * Makes the table anew without ended claims, and twice as large where more than half of its room stays used. `false`: the table is full.
   */
  #makeRoom(now: number): boolean {
    if (now < this.#fullUntil) return false
    const [high, low, until] = [this.#high, this.#low, this.#until]
    const live = until.reduce((count, each) => (each > now ? count + 1 : count), 0)
    const slots = live > (until.length * maxLoad) / 2 ? until.length * 2 : until.length
    const size = Math.min(slots, this.#maxSlots)
    if (live > size * maxLoad * 0.9) {
      this.#fullUntil = now + fullMs
      return false
    }
    this.#high = new Uint32Array(size)
    this.#low = new Uint32Array(size)
    this.#until = new Float64Array(size)
    this.#used = live
    for (let i = 0; i < until.length; i++) {
      if ((until[i] as number) > now)
        this.#put(this.#slotOf(high[i] as number, low[i] as number), high[i] as number, low[i] as number, until[i] as number)
    }
    return true
  }
}
