/** Splits bytes into lines, and bounds how long one may be. */
export class Lines {
  readonly #maxBytes: number
  readonly #give: (line: string) => void
  #parts: Uint8Array[] = []
  #held = 0

  /** `give` gets each line without its end, `\n` or `\r\n`. */
  constructor(maxBytes: number, give: (line: string) => void) {
    this.#maxBytes = maxBytes
    this.#give = give
  }

  /** Takes the next bytes; `false`: a line is too long, and what follows has no meaning any more. */
  take(bytes: Uint8Array): boolean {
    for (let from = 0; from < bytes.length; ) {
      const end = bytes.indexOf(10, from)
      const part = bytes.subarray(from, end < 0 ? bytes.length : end)
      this.#held += part.length
      if (this.#held > this.#maxBytes) return false
      this.#parts.push(part)
      if (end < 0) return true
      from = end + 1
      const line = Buffer.concat(this.#parts).toString()
      this.#parts = []
      this.#held = 0
      this.#give(line.endsWith('\r') ? line.slice(0, -1) : line)
    }
    return true
  }
}
