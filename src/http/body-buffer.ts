/** Gathers the chunks of a body in memory that stays near the body's own size. */

/** A chunk of this size or more is kept as it came. Node reads up to 64 KiB at once. */
const largeBytes = 16_384

const nothing = Buffer.alloc(0)

/**
 * Large chunks are kept and copied once, at the end: each buffer more per body brings the next collection of garbage nearer, which everybody waits for.
 * Small ones are copied into a buffer of their own, which grows to twice its size: a list of them would take a hundred times the body's size when a
 * sender writes one byte at a time.
 */
export class BodyBuffer {
  bytes = 0
  /** The only chunk so far: most bodies have one. */
  #first: Buffer = nothing
  #kept: Buffer[] | undefined
  #small: Buffer = nothing
  #smallBytes = 0

  add(chunk: Buffer): void {
    if (this.bytes === 0) this.#first = chunk
    else if (chunk.length >= largeBytes) this.#keep(chunk)
    else this.#copy(chunk)
    this.bytes += chunk.length
  }

  /** All that was added, in one buffer. A single chunk is not copied. */
  whole(): Buffer {
    this.#keepSmall()
    return this.#kept ? Buffer.concat(this.#kept, this.bytes) : this.#first
  }

  #keep(chunk: Buffer): void {
    this.#keepSmall()
    this.#kept ??= [this.#first]
    this.#kept.push(chunk)
  }

  #keepSmall(): void {
    const { length } = this.#small
    if (length === 0) return
    const small = this.#small.subarray(0, this.#smallBytes)
    this.#small = nothing
    this.#smallBytes = 0
    this.#keep(small)
  }

  #copy(chunk: Buffer): void {
    const needed = this.#smallBytes + chunk.length
    if (this.#small.length < needed) {
      const into = Buffer.allocUnsafe(needed * 2)
      this.#small.copy(into, 0, 0, this.#smallBytes)
      this.#small = into
    }
    chunk.copy(this.#small, this.#smallBytes)
    this.#smallBytes = needed
  }
}
