/** The `storage` commands: their arguments and options. */

import { type CliCommand, unlessDry } from '../shell/cli-command.ts'
import type { RunCommand } from '../shell/grammar-values.ts'
import type { StorageMoveOptions } from './move.ts'

export const addStorage = (storage: CliCommand, run: RunCommand): void => {
  storage
    .command('move')
    .description('carry all work from the embedded store to the shared store, or back, while no gateway runs')
    .examples('storage move --to postgres --dry-run', 'storage move --to postgres', 'storage move --to sqlite')
    .changes('move_storage', unlessDry)
    .requiredOption('--to <store>', 'the store that gets the work: postgres or sqlite')
    .option('--dry-run', 'count what would be carried, and carry nothing')
    .option('--force', 'carry nothing, and let gateways use that store as an earlier move left it')
    .action((options: StorageMoveOptions) => run(async (cli) => (await import('./move.ts')).storageMove(options, cli)))
}
