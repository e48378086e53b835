/** Puts a guard around the function that a plugin's `compile` gives back, alone or together with a `close`, which stays as it is. */

import type { Closable } from '../core/scope.ts'
import { isMap } from './shape.ts'

/** Takes the result of `compile` apart into the function and the `close`. What is missing, or no function, is `undefined`. */
const runAndClose = <F>(made: unknown): { readonly run: F | undefined; readonly close: (() => void | Promise<void>) | undefined } => {
  const { run, close } = isMap(made) ? made : { run: made }
  return {
    run: typeof run === 'function' ? (run as F) : undefined,
    close: typeof close === 'function' ? () => (made as { close(): void | Promise<void> }).close() : undefined,
  }
}

/** Returns the result of `compile` with a guard around its function; `undefined` when the result has no function. */
export const guardedRun = <F, G = F>(made: unknown, guard: (run: F) => G): Closable<G> | undefined => {
  const { run, close } = runAndClose<F>(made)
  if (run === undefined) return undefined
  return close === undefined ? guard(run) : { run: guard(run), close }
}
