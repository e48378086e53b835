/** Collects the chunks of a body in memory of at most a few times the body's own size, however small the chunks are. */

/** A chunk of this many bytes or more is large: it is kept without being copied. Node reads up to 64 KiB at once. */
const largeBytes = 16_384

const noBytes = Buffer.alloc(0)

/**
 * The chunks of one body. Large chunks are kept and copied once, at the end: each further buffer of a body brings the next garbage
 * collection nearer, and a collection delays all requests. Small chunks are copied into a buffer that doubles its size when it is full: a
 * list of small chunks would take a hundred times the body's size when a sender writes one byte at a time.
 */
export class BodyBuffer {
  bytes = 0
  /** The first chunk. Most bodies have no other. */
  #first: Buffer = noBytes
  /**
   * All bytes up to the last large chunk, in order, beginning with the first chunk: large chunks, and buffers of joined small chunks.
   * `undefined` until there is a second of these pieces.
   */
  #kept: Buffer[] | undefined
  /** The small chunks since the last large chunk, joined. Only the first `#smallBytes` of this buffer are filled. */
  #small: Buffer = noBytes
  #smallBytes = 0

  add(chunk: Buffer): void {
    if (this.bytes === 0) this.#first = chunk
    else if (chunk.length >= largeBytes) this.#keep(chunk)
    else this.#copy(chunk)
    this.bytes += chunk.length
  }

  /** Returns all bytes in one buffer. A single chunk is not copied. */
  whole(): Buffer {
    this.#keepSmall()
    return this.#kept ? Buffer.concat(this.#kept, this.bytes) : this.#first
  }

  #keep(chunk: Buffer): void {
    this.#keepSmall()
    this.#kept ??= [this.#first]
    this.#kept.push(chunk)
  }

  /** Moves the joined small chunks to the kept pieces. */
  #keepSmall(): void {
    const { length } = this.#small
    if (length === 0) return
    const small = this.#small.subarray(0, this.#smallBytes)
    this.#small = noBytes
    this.#smallBytes = 0
    this.#keep(small)
  }

  /** Copies a small chunk behind the small chunks before it. */
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
