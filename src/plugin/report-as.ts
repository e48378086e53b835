/**
 * Makes what a plugin reports or throws fit for a Diagnostic: a plugin may hand over values of any kind, and may quote a secret that it was
 * handed or found in the files.
 */

import type { Code, Report } from '../core/diagnostic.ts'
import { messageOf } from '../core/fault.ts'
import { printable } from '../core/text.ts'
import { createRedactor } from '../secrets/redact.ts'

/** Returns a text without the secrets that it quotes. */
export type Hide = (text: string) => string

/**
 * Returns a function that hides the texts that `hide` hides, and the texts that a plugin was given. `handed` returns these texts; it is
 * called at each message.
 */
export const hidingToo = (hide: Hide, handed: () => Iterable<string>): Hide => {
  let own: Hide | undefined
  return (text) => {
    own ??= createRedactor(handed())
    return own(hide(text))
  }
}

/** Makes the function by which a plugin reports. Every report gets the same code, and its values become texts. */
export const reportAs =
  (code: Code, report: Report, hide: Hide): Report =>
  (_code, path, message, help) =>
    report(
      code,
      Array.isArray(path) ? path.map((step) => hide(String(step))) : [],
      hide(String(message)),
      typeof help === 'string' ? hide(help) : 'look up in its plugin what it takes',
    )

/** Returns what a plugin threw as a text on one line, cut at 200 UTF-16 units. Secrets go before the cut, which may leave half of one. */
export const failure = (thrown: unknown, hide: Hide): string => printable(hide(messageOf(thrown)), 200)
