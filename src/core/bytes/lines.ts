/** Splits a stream of bytes into lines, and bounds the length of a line. */

import { ByteBlocks } from './byte-blocks.ts'

/** A line below this length that ends in the bytes it began in is returned as a view of them, without a copy. */
const longLine = 64 * 1024

export class Lines {
  readonly #maxBytes: number
  readonly #held = new ByteBlocks()

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /**
   * Yields the lines that end in these bytes, each in its pieces and without its line end (`
   * ` or `\r
   * `). Yields `undefined` when a line is too long; the rest of the stream has no meaning then.
   */
  *in(bytes: Uint8Array): Generator<readonly Uint8Array[] | undefined, void> {
    for (let from = 0; from < bytes.length; ) {
      const end = bytes.indexOf(10, from)
      const part = bytes.subarray(from, end < 0 ? bytes.length : end)
      if (this.#held.length + part.length > this.#maxBytes) {
        yield undefined
        return
      }
      const isWhole = end >= 0 && this.#held.length === 0 && part.length < longLine
      if (!isWhole) this.#held.add(part)
      if (end < 0) return
      from = end + 1
      yield withoutReturn(isWhole ? [part] : this.#held.take())
    }
  }
}

const withoutReturn = (pieces: readonly Uint8Array[]): readonly Uint8Array[] => {
  const last = pieces.at(-1)
  return last?.at(-1) === 13 ? [...pieces.slice(0, -1), last.subarray(0, -1)] : pieces
}
