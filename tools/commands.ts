/** Writes the tables of docs/commands.md: the exit codes, and all commands as their grammar has them. */

import { exitCodes } from '../src/cli/help/exit-codes.ts'
import { commandPath, leafCommands } from '../src/cli/help/suggest.ts'
import { grammarOnly } from '../src/cli/program.ts'
import { withoutTags } from './in-markdown.ts'

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

/** Replaces the rows of a table, which is found by its head and ends before `<!-- end -->`. */
const withRows = (page: string, head: string, rows: readonly string[]): string => {
  const from = page.indexOf(head)
  const to = page.indexOf('\n\n<!-- end -->', from)
  if (from < 0 || to < 0) throw new Error(`docs/commands.md has no table ${JSON.stringify(head)}`)
  return `${page.slice(0, from)}${head}${rows.join('\n')}${page.slice(to)}`
}
