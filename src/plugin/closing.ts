/** What `compile` gave: a function, or beside it how what it has open is closed. */

import type { Closable } from '../core/owner.ts'
import { isLoose } from './shape.ts'

/** Its function, if it gave one, and how to close what is open. */
const taken = <F>(made: unknown): { readonly run: F | undefined; readonly close: (() => void | Promise<void>) | undefined } => {
  const { run, close } = isLoose(made) ? made : { run: made }
  return {
    run: typeof run === 'function' ? (run as F) : undefined,
    close: typeof close === 'function' ? () => (made as { close(): void | Promise<void> }).close() : undefined,
  }
}

/** The same with its function guarded; `undefined` where it gave none. */
export const guardedRun = <F>(made: unknown, guard: (run: F) => F): Closable<F> | undefined => {
  const { run, close } = taken<F>(made)
  if (run === undefined) return undefined
  return close === undefined ? guard(run) : { run: guard(run), close }
}
