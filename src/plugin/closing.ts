/** Takes apart the result of a plugin's `compile`: a function alone, or a function with a `close`. */

import type { Closable } from '../core/owner.ts'
import { isMap } from './shape.ts'

/** The function, if there is one, and the `close`. */
const runAndClose = <F>(made: unknown): { readonly run: F | undefined; readonly close: (() => void | Promise<void>) | undefined } => {
  const { run, close } = isMap(made) ? made : { run: made }
  return {
    run: typeof run === 'function' ? (run as F) : undefined,
    close: typeof close === 'function' ? () => (made as { close(): void | Promise<void> }).close() : undefined,
  }
}

/** The result of `compile` with a guard around its function; `undefined` when there is no function. */
export const guardedRun = <F>(made: unknown, guard: (run: F) => F): Closable<F> | undefined => {
  const { run, close } = runAndClose<F>(made)
  if (run === undefined) return undefined
  return close === undefined ? guard(run) : { run: guard(run), close }
}
