/** Makes what a plugin reports or throws fit for a Diagnostic: a plugin may hand over values of any kind. */

import type { Code } from '../core/diagnostic.ts'
import { messageOf } from '../core/fault.ts'
import { printable } from '../core/text.ts'
import type { Report } from '../parts/report.ts'

/** Makes the function by which a plugin reports. Every report gets the same code, and its values become texts. */
export const reportAs =
  (code: Code, report: Report): Report =>
  (_code, path, message, help) =>
    report(
      code,
      Array.isArray(path) ? path.map(String) : [],
      String(message),
      typeof help === 'string' ? help : 'look up in its plugin what it takes',
    )

/** Returns what a plugin threw as a text on one line, cut at 200 UTF-16 units. */
export const failure = (thrown: unknown): string => printable(messageOf(thrown), 200)
