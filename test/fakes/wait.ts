/** Waiting for what another part of the program does in its own time. */

const patienceMs = 10_000

/** What `look` finds, as soon as it finds something; fails when that takes too long. */
export const until = async <T>(look: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> => {
  for (const end = Date.now() + patienceMs; Date.now() < end; await new Promise((then) => setTimeout(then, 5))) {
    const found = await look()
    if (found !== undefined && found !== false) return found
  }
  throw new Error(`not within ${patienceMs} ms: ${look}`)
}
