/**
 * A buffer that grows as text and bytes are added, and is used again after `clear`: the write queue holds lines and raw requests in such
 * buffers.
 */

const firstBytes = 64 * 1024
/** The largest buffer that `clear` keeps for the next bytes. */
const maxKeptBytes = 1024 * 1024
/** The most bytes in UTF-8 for one UTF-16 unit of a string. (A character that takes four bytes is two units.) */
const maxBytesPerUnit = 3

export class Bytes {
  #held: Buffer = Buffer.alloc(0)
  length = 0

  addText(text: string): void {
    this.#makeRoom(text.length * maxBytesPerUnit)
    this.length += this.#held.write(text, this.length)
  }

  add(bytes: Buffer): void {
    this.#makeRoom(bytes.length)
    this.length += bytes.copy(this.#held, this.length)
  }

  /** Returns the bytes from `from` up to, but without, `to`. They are a view, which is valid until `clear`. */
  slice(from: number, to = this.length): Buffer {
    return this.#held.subarray(from, to)
  }

  clear(): void {
    this.length = 0
    if (this.#held.length > maxKeptBytes) this.#held = Buffer.alloc(0)
  }

  #makeRoom(more: number): void {
    const needed = this.length + more
    if (needed <= this.#held.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(firstBytes, 2 * this.#held.length, needed))
    this.#held.copy(larger, 0, 0, this.length)
    this.#held = larger
  }
}
