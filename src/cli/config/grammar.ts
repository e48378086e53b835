/** The `config` commands: their arguments and options. */

import type { CliCommand } from '../shell/cli-command.ts'
import type { RunCommand } from '../shell/grammar-values.ts'
import type { ConfigDiffOptions } from './diff.ts'
import type { ConfigShowOptions } from './show.ts'

export const addConfig = (config: CliCommand, run: RunCommand): void => {
  config
    .command('show')
    .description('show the configuration of all its files as one YAML, with secrets masked')
    .examples('config show', 'config show --resolved --jsonata config.gateway')
    .option('--resolved', 'with defaults, and with variables in their places')
    .action((options: ConfigShowOptions) => run(async (cli) => (await import('./show.ts')).configShow(options, cli)))
  config
    .command('diff')
    .description('compare what the running gateway serves with the files; exit 1 when they differ')
    .examples('config diff', 'config diff --against ../staging')
    .option('--against <folder>', 'compare another data directory with this one')
    .action((options: ConfigDiffOptions) => run(async (cli) => (await import('./diff.ts')).configDiff(options, cli)))
}
