/** Sets flags of V8 for a server whose functions are many and small, and whose objects live for one request. */

import { setFlagsFromString } from 'node:v8'

/**
 * V8 optimizes a function once it has run three times so many bytes of its bytecode. The functions of a request are many and small, and run
 * once each: with V8's own value, 67,584, it was still at work after 7,000 requests (DECISIONS.md, 92).
 */
const interruptBudget = 16_000

/**
 * How much bytecode V8 compiles into one function, of the functions that it calls. The larger the function, the longer V8's thread keeps the
 * core from the requests of a young process. With V8's own value, 920, it did so for a third longer (DECISIONS.md, 99).
 */
const inlinedBytecode = 400

/** Belongs after the start: what runs only there is not worth optimizing. */
export const tuneEngine = (): void => {
  setFlagsFromString(`--interrupt-budget=${interruptBudget}`)
  setFlagsFromString(`--max-inlined-bytecode-size-cumulative=${inlinedBytecode}`)
  // Else V8 may take what a slow first second left alive for long-lived, and make each later object of its kind among the old ones (DECISIONS.md, 95).
  setFlagsFromString('--no-allocation-site-pretenuring')
}
