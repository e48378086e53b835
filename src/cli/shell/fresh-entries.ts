/**
 * Wraps the commands that read the files of entries (what was made at run time): those on subscriptions, jobs and targets, the editor and
 * the console. Before such a command runs, these files are made equal to the shared entries, where the store is a shared one.
 */

import { printableLines } from '../../core/text.ts'
import type { RunCommand } from './grammar-values.ts'

export const withFreshEntries =
  (run: RunCommand): RunCommand =>
  (action) =>
    run(async (cli) => {
      const { refreshEntries } = await import('../../datadir/entries/refresh-entries.ts')
      for (const notice of await refreshEntries(cli.workspace)) if (!cli.quiet) cli.io.stderr(`${printableLines(notice)}\n`)
      return await action(cli)
    })
