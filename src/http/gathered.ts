/** Gathers the chunks of a body in memory that stays near the body's own size. */

/** A chunk of this size or more is kept as it came. Node reads up to 64 KiB at once. */
const largeBytes = 16_384

export interface Gathered {
  readonly bytes: number
  add(chunk: Buffer): void
  /** All that was added, in one buffer. A single chunk is not copied. */
  whole(): Buffer
}

/**
 * Large chunks are kept and copied once, at the end: each buffer more per body brings the next collection of garbage nearer, which everybody waits for.
 * Small ones are copied into a buffer of their own, which grows to twice its size: a list of them would take a hundred times the body's size when a
 * sender writes one byte at a time.
 */
export const gather = (): Gathered => {
  const kept: Buffer[] = []
  let small: Buffer = nothing
  let smallBytes = 0
  let bytes = 0
  const keepSmall = (): void => {
    if (smallBytes > 0) kept.push(small.subarray(0, smallBytes))
    smallBytes = 0
    small = nothing
  }
  return {
    get bytes() {
      return bytes
    },
    add(chunk) {
      bytes += chunk.length
      if (bytes === chunk.length || chunk.length >= largeBytes) {
        keepSmall()
        kept.push(chunk)
        return
      }
      small = withRoom(small, smallBytes, chunk.length)
      chunk.copy(small, smallBytes)
      smallBytes += chunk.length
    },
    whole() {
      keepSmall()
      const [first = nothing, ...rest] = kept
      return rest.length === 0 ? first : Buffer.concat(kept, bytes)
    },
  }
}

const nothing = Buffer.alloc(0)

/** `held`, or a buffer of twice the size with its first `used` bytes. */
const withRoom = (held: Buffer, used: number, more: number): Buffer => {
  if (held.length >= used + more) return held
  const into = Buffer.allocUnsafe((used + more) * 2)
  held.copy(into, 0, 0, used)
  return into
}
