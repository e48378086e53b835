/** The `webhook` commands that say what goes on, and why not: their arguments and options. */

import type { Command } from 'commander'
import { each, type Run } from '../shell/grammar-values.ts'
import type { VerifyOptions } from './verify.ts'

export const addDiagnosis = (webhook: Command, run: Run): void => {
  webhook
    .command('verify <name>')
    .description('say whether a route would take a captured request, and why not; sends nothing')
    .option('--body <bytes>', 'the body as it came: @file, @- (standard input) or text')
    .option('--header <line>', "'Name: value', or @file with one a line (repeatable)", each)
    .option('--at <time>', 'when it came, as far as time-stamps go: ISO 8601, Unix seconds or 10m; default: now')
    .action((name: string, options: VerifyOptions) =>
      run(async (cli) => (await import('./verify.ts')).webhookVerify(name, options, cli)),
    )
}
