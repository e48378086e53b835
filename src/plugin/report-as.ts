/** Makes the function by which a plugin reports. A plugin may hand over anything, so every report gets the same code, and its values become texts. */

import type { Code } from '../core/diagnostic.ts'
import { messageOf } from '../core/fault.ts'
import { printable } from '../core/text.ts'
import type { Report } from '../parts/report.ts'

export const reportAs =
  (code: Code, report: Report): Report =>
  (_code, path, message, help) =>
    report(code, Array.isArray(path) ? path.map(String) : [], String(message), help === undefined ? undefined : String(help))

/** What was thrown, on one line of a message. */
export const failure = (thrown: unknown): string => printable(messageOf(thrown), 200)
