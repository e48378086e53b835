/** The interviewer of the wizard: a terminal with menus, plain lines for a screen reader, or nobody. */

import type { Interviewer } from '../../../app/setup/conduct.ts'
import { usage } from '../../../core/fault.ts'
import { printable } from '../../../core/text.ts'
import { type Cli, warn } from '../../shell/output.ts'

export type Skin = Interviewer & {
  /** Shows a block of lines under a title, for example the lines that would be written. */
  show(title: string, lines: readonly string[]): void
  close(): void
}

/** Returns the skin that asks nobody: it takes the answer that each question has for this case. */
export const noninteractiveSkin = (cli: Cli): Skin => ({
  isPatient: false,
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
