/** The `import` commands: their arguments and options. */

import type { Command } from 'commander'
import type { Run } from '../shell/grammar-values.ts'
import type { ImportOptions } from './import.ts'

const importSources = [
  ['adnanh', 'take the hooks of adnanh/webhook: hooks.json or hooks.yaml'],
  ['hermes', 'take the webhook routes of a hermes-agent config.yaml'],
] as const

export const addImport = (command: Command, run: Run): void => {
  for (const [name, description] of importSources) {
    command
      .command(`${name} <file>`)
      .description(description)
      .option('--out <file>', 'write the configuration to a file instead of standard output')
      .option('--force', 'with --out: replace a file that is there')
      .option('--into', 'put the routes into <data_dir>/config.yaml, and their secrets into .env')
      .option('--reveal', 'show the values of the lines for .env')
      .action((file: string, options: ImportOptions) =>
        run(async (cli) => (await import('./import.ts')).importFrom(name, file, options, cli)),
      )
  }
}
