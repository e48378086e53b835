/** A prompter is what asks the questions of `gateway setup`: with menus, in plain lines for a screen reader, or without asking anybody. */

import { usage } from '../../../core/fault.ts'
import { printable } from '../../../core/text.ts'
import type { Interviewer } from '../../../setup/conduct.ts'
import { type Cli, warn } from '../../shell/output.ts'

/** An `Interviewer` asks the questions and tells remarks. A prompter also shows what will be written. */
export type Prompter = Interviewer & {
  /** Shows a block of lines under a title, for example the lines that would be written. */
  show(title: string, lines: readonly string[]): void
  close(): void
}

/**
 * Returns the prompter that asks nobody. A question is answered by `unasked`, its answer for this case, else by its initial answer. Throws a
 * usage Fault for a question that has neither.
 */
export const noninteractivePrompter = (cli: Cli): Prompter => ({
  asksPerson: false,
  async ask({ text, flag, initial, unasked = initial }) {
    if (unasked !== undefined) return unasked
    throw usage(`"${text}" has no answer: pass ${flag}`)
  },
  tell(severity, message, help) {
    if (severity === 'warning') warn(cli, { code: 'setup', message, ...(help === undefined ? {} : { help }) })
    else if (!cli.quiet && !cli.json) cli.io.stderr(`${printable(message, 600)}\n`)
  },
  show: () => {},
  close: () => {},
})
