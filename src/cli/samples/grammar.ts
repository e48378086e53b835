/** The `samples` commands: their arguments and options. */

import type { CliCommand } from '../shell/cli-command.ts'
import type { RunCommand } from '../shell/grammar-values.ts'
import type { AddOptions } from './add.ts'
import type { SamplesShowOptions } from './show.ts'

export const addSamples = (samples: CliCommand, run: RunCommand): void => {
  samples
    .command('list [provider]')
    .description('list samples, by who sends them')
    .examples('samples list github')
    .completes('provider', 'providers')
    .action((provider: string | undefined) => run(async (cli) => (await import('./list.ts')).samplesList(provider, cli)))
  samples
    .command('show <name>')
    .description('print the body of a sample, as webhook test posts it')
    .examples('samples show github/push')
    .completes('name', 'samples')
    .option('--headers', 'print the whole sample, as samples add takes it')
    .action((name: string, options: SamplesShowOptions) => run(async (cli) => (await import('./show.ts')).samplesShow(name, options, cli)))
  samples
    .command('add <name> <file>')
    .description('keep a sample (provider/event) of your own: @file, @- or - for standard input; secrets and addresses are taken out')
    .examples('samples add acme/order @order.json', 'events export <id> | headgate samples add acme/order -')
    .changes('add_sample')
    .option('--replace', 'also where there is one of this name')
    .action((name: string, file: string, options: AddOptions) =>
      run(async (cli) => (await import('./add.ts')).samplesAdd(name, file, options, cli)),
    )
}
