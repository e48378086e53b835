/** A Refusal says why a use case did nothing: the operator's files or the user's request have a mistake. */

import type { Loaded } from '../config/load.ts'
import type { Diagnostic } from '../core/diagnostic.ts'
import { exit, Fault } from '../core/fault.ts'

const message = 'the webhook adapter is not enabled; enable it in one of three ways:'
const ways = [
  'headgate gateway setup --yes',
  'WEBHOOK_ENABLED=true in <data_dir>/.env or in the environment',
  'platforms.webhook.enabled: true in <data_dir>/config.yaml',
]

/** The hint of the Fault lists the three ways to enable the adapter, one a line. */
export const adapterDisabled = (): Fault => new Fault('adapter_disabled', message, { exitCode: exit.disabled, hint: ways.join('\n') })

export type Refusal = {
  readonly ok: false
  readonly diagnostics: readonly Diagnostic[]
  /** The texts of the files that the diagnostics are about, from which the lines around a mistake are shown. */
  readonly texts: Loaded['texts']
  /** A sentence that says what did not happen. */
  readonly outcome: string
  readonly notices: readonly string[]
  /** The Fault with which the command ends, where the diagnostics are only a possible reason. Absent where they are the reason. */
  readonly fault?: Fault
}

/**
 * Makes a Refusal. `outcome`: the sentence that says what did not happen. Where `texts` or `notices` are not given, the Refusal has none.
 */
export const refusal = (
  outcome: string,
  diagnostics: readonly Diagnostic[],
  { texts = new Map(), notices = [], ...more }: Partial<Pick<Refusal, 'texts' | 'notices' | 'fault'>> = {},
): Refusal => ({ ok: false, diagnostics, texts, outcome, notices, ...more })
