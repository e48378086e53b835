/** The `edit` command: its argument and options. */

import type { Command } from 'commander'
import type { Run } from '../shell/grammar-values.ts'
import type { EditOptions } from './edit.ts'

export const addEdit = (edit: Command, run: Run): void => {
  edit
    .description('edit routes in the terminal, with the result on a real payload beside the rule')
    .option('--profile <name>', 'the routes of one profile; a new one is bound to it')
    .option('--read-only', 'look at everything, change nothing')
    .option('--no-alt-screen', 'draw below the prompt instead of on a screen of its own')
    .option('--ascii', 'no characters beyond ASCII; so without being told where the locale is not UTF-8')
    .option('--mouse', 'the wheel moves, and a click chooses a row; the terminal then marks text with shift held')
    .option('--screen-reader', 'sentences, and numbers to choose by; also with INK_SCREEN_READER=true')
    .action((route: string | undefined, options: EditOptions) => run(async (cli) => (await import('./edit.ts')).edit(route, options, cli)))
}
