/** The `test` command: its arguments and options. */

import { InvalidArgumentError, Option } from 'commander'
import type { CliCommand } from '../shell/cli-command.ts'
import type { RunCommand } from '../shell/grammar-values.ts'
import { type TestCommandOptions, testFormats } from './formats.ts'

const percent = (value: string): number => {
  const number = Number(value)
  if (/^\d{1,3}$/.test(value) && number <= 100) return number
  throw new InvalidArgumentError('It must be a number from 0 to 100.')
}

export const addTest = (program: CliCommand, run: RunCommand): void => {
  program
    .command('test [paths...]')
    .description('run tests of routes: *.webhook-test.yaml, and the tests of routes in config.yaml')
    .examples('test', 'test routes.webhook-test.yaml --json')
    .option('-t, --name <text>', 'only tests with this in their name')
    .option('--watch', 'run again when a test, a configuration or a sample changes')
    .option('--update', 'write snapshots instead of comparing with them')
    .option('--coverage', 'say what of each route no test has seen')
    .option('--min <percent>', 'fail below this coverage', percent)
    .addOption(new Option('--format <format>', 'how results are printed').choices(testFormats))
    .action((paths: string[], options: TestCommandOptions) => run(async (cli) => (await import('./test.ts')).test(paths, options, cli)))
}
