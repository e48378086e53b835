/** `help`, `version` and `completion`: their arguments. */

import { Argument } from 'commander'
import type { CliCommand } from '../shell/cli-command.ts'
import type { RunCommand } from '../shell/grammar-values.ts'
import { shells } from './completion.ts'

export const addHelp = (program: CliCommand, run: RunCommand): void => {
  program.helpCommand(false)
  program
    .command('help [command...]')
    .description('help for a command; with --json the whole grammar')
    .examples('help webhook test', 'help --json')
    .action((words: string[]) => run(async (cli) => (await import('./help.ts')).help(program, words, cli)))
  program
    .command('version')
    .description('the version; with --json of Node and the machine too')
    .examples('version --json')
    .action(() => run(async (cli) => (await import('./version.ts')).showVersion(cli)))
  program
    .command('completion')
    .description('a script that completes commands, options and names in a shell')
    .examples('completion bash > ~/.local/share/bash-completion/completions/headgate', 'completion fish | source')
    .addArgument(new Argument('<shell>', 'which shell').choices(shells))
    .action((shell: (typeof shells)[number]) => run(async (cli) => (await import('./completion.ts')).completion(shell, cli)))
}
