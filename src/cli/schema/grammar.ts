/** The `schema` commands: their arguments and options. */

import { type SchemaName, schemaNames } from '../../edit/schema/schemas.ts'
import type { CliCommand } from '../shell/cli-command.ts'
import { collectList, parseLimit, type RunCommand } from '../shell/grammar-values.ts'
import type { InstallOptions } from './install.ts'
import type { LearnFlags } from './print.ts'

export const addSchema = (schema: CliCommand, run: RunCommand): void => {
  schema
    .command('print')
    .description('print a schema')
    .examples('schema print subscriptions')
    .addArgument(schema.createArgument('[which]', 'which file').choices(schemaNames).default('config'))
    .action((which: SchemaName) => run(async (cli) => (await import('./print.ts')).schemaPrint(which, cli)))
  schema
    .command('learn')
    .description('print a payload schema that is made of the recorded events of a route')
    .examples('schema learn pr-review > schemas/pr-review.json', 'schema learn pr-review --sample github/pull_request.opened')
    .argument('<route>', 'the route: headgate webhook list')
    .option('--sample <name>', 'learn from samples instead, several with commas (samples list)', collectList)
    .option('--limit <number>', 'the newest events, how many at most; default: 200', parseLimit)
    .option('--closed', 'keys that no event has do not fit')
    .action((route: string, options: LearnFlags) => run(async (cli) => (await import('./print.ts')).schemaLearn(route, options, cli)))
  schema
    .command('install')
    .description('make editors complete and check config.yaml as you type; changes nothing twice')
    .examples('schema install')
    .changes('install_schema')
    .option('--modeline', 'name the schema in the first line of config.yaml, and of the files that it includes (the default)')
    .option('--jetbrains', 'the same in the form that JetBrains editors read')
    .option('--vscode', 'write .vscode/settings.json, for included files, subscriptions, jobs, tests and samples too')
    .action((options: InstallOptions) => run(async (cli) => (await import('./install.ts')).schemaInstall(options, cli)))
}
