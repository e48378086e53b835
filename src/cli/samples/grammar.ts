/** The `samples` commands: their arguments and options. */

import type { Command } from 'commander'
import type { RunCommand } from '../shell/grammar-values.ts'
import type { AddOptions } from './add.ts'
import type { SamplesShowOptions } from './show.ts'

export const addSamples = (samples: Command, run: RunCommand): void => {
  samples
    .command('list [provider]')
    .description('list samples, by who sends them')
    .action((provider: string | undefined) => run(async (cli) => (await import('./list.ts')).samplesList(provider, cli)))
  samples
    .command('show <name>')
    .description('print the body of a sample, as webhook test posts it')
    .option('--headers', 'print the whole sample, as samples add takes it')
    .action((name: string, options: SamplesShowOptions) => run(async (cli) => (await import('./show.ts')).samplesShow(name, options, cli)))
  samples
    .command('add <name> <file>')
    .description('keep a sample (provider/event) of your own: @file, @- or - for standard input; secrets and addresses are taken out')
    .option('--replace', 'also where there is one of this name')
    .action((name: string, file: string, options: AddOptions) =>
      run(async (cli) => (await import('./add.ts')).samplesAdd(name, file, options, cli)),
    )
}
