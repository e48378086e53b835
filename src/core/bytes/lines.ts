/**
 * Splits a stream of bytes, such as the output of a program, into lines, and bounds the length of a line. The stream comes in chunks of any
 * size. What follows the last line feed is no line, and is never yielded.
 */

import { ByteBlocks } from './byte-blocks.ts'

/** A shorter line that lies in one chunk is yielded as a view of the chunk, without a copy. Any other line is copied into blocks. */
const longLineBytes = 64 * 1024

export class Lines {
  readonly #maxBytes: number
  /** The beginning of the line whose end has not come yet. */
  readonly #held = new ByteBlocks()

  /** `maxBytes`: the most bytes of a line, without its line feed. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /**
   * Takes the next chunk of the stream, and yields each line that ends in it: the pieces of the line, without its line end (a line feed,
   * with or without a carriage return before it). Yields `undefined` when a line is too long. Nothing may be read after that.
   */
  *in(bytes: Uint8Array): Generator<readonly Uint8Array[] | undefined, void> {
    for (let from = 0; from < bytes.length; ) {
      const end = bytes.indexOf(10, from)
      const part = bytes.subarray(from, end < 0 ? bytes.length : end)
      if (this.#held.length + part.length > this.#maxBytes) {
        yield undefined
        return
      }
      const isWhole = end >= 0 && this.#held.length === 0 && part.length < longLineBytes
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
