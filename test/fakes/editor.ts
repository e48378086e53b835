/** Runs the built editor in a terminal, over a data directory with a commented configuration. */

import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { type FakeTerminal, keys, openTerminal, type TerminalOptions } from './terminal.ts'

export const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

export const commented = `# Our gateway.
platforms:
  webhook:
    enabled: true
    extra:
      secret: abcabcabcabcabcabc # of all routes
      routes:
        # Looks at what others wrote.
        pr-review:
          description: looks at changes # for the list
          events: [pull_request]
          prompt: 'Review {pull_request.title}'

          deliver: log # for now
`

export type FakeEditor = FakeTerminal & {
  /** Changes the description of the route that is open, from its first row on. */
  describe(text: string): Promise<void>
  /** Returns the names of the drafts in the data directory. */
  drafts(): string[]
}

export type EditorOptions = TerminalOptions & { readonly dir: string; readonly args?: readonly string[] }

/** Prints a line in a terminal, and then starts the editor there. */
export const openEditor = (t: Test, { dir, args = ['pr-review'], columns = 110, env, ...options }: EditorOptions): FakeEditor => {
  const command = ['/bin/sh', '-c', 'echo "the line before"; exec "$@"', 'sh', process.execPath, main, 'edit', ...args]
  const terminal = openTerminal(t, command, { columns, env: { HEADGATE_HOME: dir, ...env }, ...options })
  return {
    ...terminal,
    async describe(text) {
      await terminal.see('Description')
      terminal.press('j', keys.enter)
      await terminal.see('(description)')
      terminal.press('\u0015', text, keys.enter)
      await terminal.see(/\*modified\*/)
    },
    drafts: () => (existsSync(join(dir, '.drafts')) ? readdirSync(join(dir, '.drafts')) : []),
  }
}

/**
 * Returns the control characters that a program writes to its terminal, without those that move the cursor, erase, colour, or switch a mode
 * that the program switches back.
 */
export const commandsIn = (written: string): string[] =>
  written.replace(/\u001b\[(?:[\d;]*[mAEGHJK]|\?(?:1049|2004|2026|25)[hl])/g, '').match(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu) ?? []
