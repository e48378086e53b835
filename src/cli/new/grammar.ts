/** The `new` command: its argument and options. */

import type { Command } from 'commander'
import { withRouteOptions } from '../options/route.ts'
import type { Run } from '../shell/grammar-values.ts'
import type { NewOptions } from './new.ts'

export const addNew = (command: Command, run: Run): void => {
  withRouteOptions(command)
    .description('write a new route into config.yaml')
    .option('--profile <name>', 'bind it to a profile')
    .option('--dry-run', 'show what would be written, write nothing')
    .action((name: string, options: NewOptions) => run(async (cli) => (await import('./new.ts')).newRoute(name, options, cli)))
}
