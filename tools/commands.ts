/** Writes the tables of docs/commands.md: the exit codes, and all commands as their grammar has them. */

import { exitCodes } from '../src/cli/help/exit-codes.ts'
import { commandPath, leafCommands } from '../src/cli/help/suggest.ts'
import { grammarOnly } from '../src/cli/program.ts'
import { withoutTags, withRows } from './in-markdown.ts'

/** Returns the page in which both tables are written anew. */
export const withCommandTables = (page: string): string =>
  withRows(
    withRows(
      page,
      '| exit code | meaning |\n|---|---|\n',
      exitCodes.map(({ code, meaning }) => `| ${code} | ${meaning} |`),
    ),
    '| command | what it does |\n|---|---|\n',
    leafCommands(grammarOnly()).map(
      (command) => `| \`${commandPath(command)}\` | ${withoutTags(command.description()).replaceAll('|', '\\|')} |`,
    ),
  )
