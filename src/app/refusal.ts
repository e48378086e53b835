/** Why nothing was done: the operator's files do not hold, or what was asked for does not. */

import type { Loaded } from '../config/load.ts'
import type { Diagnostic } from '../core/diagnostic.ts'
import type { Fault } from '../core/fault.ts'

export type Refusal = {
  readonly ok: false
  readonly diagnostics: readonly Diagnostic[]
  /** Texts of the files that these are in, for code frames. */
  readonly texts: Loaded['texts']
  /** What did not happen, in a sentence. */
  readonly outcome: string
  readonly notices: readonly string[]
  /** Ends the command instead, where the diagnostics only may tell why. */
  readonly fault?: Fault
}

export const refusal = (
  outcome: string,
  diagnostics: readonly Diagnostic[],
  { texts = new Map(), notices = [], ...more }: Partial<Pick<Refusal, 'texts' | 'notices' | 'fault'>> = {},
): Refusal => ({ ok: false, diagnostics, texts, outcome, notices, ...more })
