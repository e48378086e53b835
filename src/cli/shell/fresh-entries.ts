/** Wraps commands on subscriptions and jobs: before such a command runs, the files of entries are made equal to the shared entries. */

import { printableLines } from '../../core/text.ts'
import type { Run } from './grammar-values.ts'

export const withFreshEntries =
  (run: Run): Run =>
  (action) =>
    run(async (cli) => {
      const { refreshEntries } = await import('../../app/entries/refresh-entries.ts')
      for (const notice of await refreshEntries(cli.workspace)) if (!cli.quiet) cli.io.stderr(`${printableLines(notice)}\n`)
      return await action(cli)
    })
