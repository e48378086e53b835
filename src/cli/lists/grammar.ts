/** The `lists` commands: their arguments and options. */

import type { CliCommand } from '../shell/cli-command.ts'
import { parseSpan, type RunCommand } from '../shell/grammar-values.ts'
import type { ListsAddOptions, ListsRemoveOptions } from './change.ts'

export const addLists = (lists: CliCommand, run: RunCommand): void => {
  lists
    .command('show [name]')
    .description('show the values of a list, one a line; without a name, all lists')
    .examples('lists show', 'lists show blocked')
    .action((name: string | undefined) => run(async (cli) => (await import('./show.ts')).listsShow(name, cli)))
  lists
    .command('add <name> [values...]')
    .description('add values to a list, and make the list where there is none; @- reads lines from standard input')
    .examples('lists add blocked ann bob', 'lists add blocked ann --for 2h', 'lists add blocked @-')
    .changes('add_to_list')
    .option('--for <time>', 'take them out again after this time: 30m, 2h, 1d', parseSpan)
    .action((name: string, values: readonly string[], options: ListsAddOptions) =>
      run(async (cli) => (await import('./change.ts')).listsAdd(name, values, options, cli)),
    )
  lists
    .command('remove <name> [values...]')
    .description('remove values from a list, which stays; with --all the list itself')
    .examples('lists remove blocked ann', 'lists remove blocked --all')
    .changes('remove_from_list')
    .option('--all', 'the whole list: events of routes that ask it are refused with 503')
    .action((name: string, values: readonly string[], options: ListsRemoveOptions) =>
      run(async (cli) => (await import('./change.ts')).listsRemove(name, values, options, cli)),
    )
}
