/** The `config` commands: their arguments and options. */

import type { Command } from 'commander'
import type { RunCommand } from '../shell/grammar-values.ts'
import type { ConfigDiffOptions } from './diff.ts'
import type { ConfigShowOptions } from './show.ts'

export const addConfig = (config: Command, run: RunCommand): void => {
  config
    .command('show')
    .description('show the configuration of all its files as one YAML, with secrets masked')
    .option('--resolved', 'with defaults, and with variables in their places')
    .action((options: ConfigShowOptions) => run(async (cli) => (await import('./show.ts')).configShow(options, cli)))
  config
    .command('diff')
    .description('compare what the running gateway serves with the files; exit 1 when they differ')
    .option('--against <folder>', 'compare another data directory with this one')
    .action((options: ConfigDiffOptions) => run(async (cli) => (await import('./diff.ts')).configDiff(options, cli)))
}
