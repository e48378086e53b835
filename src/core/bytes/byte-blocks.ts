/** Collects the bytes of a line or body in blocks of one size, so that many small chunks take little more memory than their bytes. */

const blockBytes = 64 * 1024

export class ByteBlocks {
  #blocks: Buffer[] = []
  #length = 0

  get length(): number {
    return this.#length
  }

  /** Copies the bytes to the end of the collection. */
  add(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length; ) {
      const at = this.#length % blockBytes
      // A block has memory of its own, not a part of Node's shared pool, so that the block can be handed to a thread.
      if (at === 0) this.#blocks.push(Buffer.allocUnsafeSlow(blockBytes))
      const part = bytes.subarray(from, from + blockBytes - at)
      this.#blocks.at(-1)?.set(part, at)
      this.#length += part.length
      from += part.length
    }
  }

  /** Returns all bytes in blocks, and empties the collection. */
  take(): readonly Buffer[] {
    const blocks = this.#blocks
    const left = this.#length % blockBytes
    if (left > 0) blocks.push((blocks.pop() as Buffer).subarray(0, left))
    this.#blocks = []
    this.#length = 0
    return blocks
  }
}
