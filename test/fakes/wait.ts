/** Waits for what another part of the program does in its own time. */

const defaultTimeoutMs = 10_000

/** Calls `look` until it finds something, and resolves to what it found. Rejects when that takes too long. */
export const until = async <T>(
  look: () => T | undefined | false | Promise<T | undefined | false>,
  timeoutMs = defaultTimeoutMs,
): Promise<T> => {
  for (const end = Date.now() + timeoutMs; Date.now() < end; await new Promise((then) => setTimeout(then, 5))) {
    const found = await look()
    if (found !== undefined && found !== false) return found
  }
  throw new Error(`not within ${timeoutMs} ms: ${look}`)
}
