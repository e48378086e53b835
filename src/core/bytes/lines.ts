/** Splits bytes into lines, and bounds how long one may be. */

import { ByteBlocks } from './byte-blocks.ts'

/** A shorter line is given as it lies in the bytes that end it. */
const longLine = 64 * 1024

export class Lines {
  readonly #maxBytes: number
  readonly #held = new ByteBlocks()

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** The lines that end in the next bytes, each in its pieces and without its end, `\n` or `\r\n`. `undefined`: a line is too long, and what follows has no meaning any more. */
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
