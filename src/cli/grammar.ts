/**
 * The grammar of the command line: the commands, their arguments and options. Each noun with a folder adds its own commands. The module of
 * a command is loaded when the command runs, so that `--help` stays quick.
 */

import { Option } from 'commander'
import { addAgents } from './agents/grammar.ts'
import { addAlerts } from './alerts/grammar.ts'
import type { BackupOptions } from './backup.ts'
import { addConfig } from './config/grammar.ts'
import type { ConsoleCommandOptions } from './console.ts'
import { addCron } from './cron/grammar.ts'
import type { DoctorOptions } from './doctor.ts'
import type { EditOptions } from './edit.ts'
import { addEvents } from './events/grammar.ts'
import { addGateway } from './gateway/grammar.ts'
import { addHelp } from './help/grammar.ts'
import type { ImportOptions } from './import.ts'
import { addLists } from './lists/grammar.ts'
import type { NewOptions } from './new.ts'
import { withRouteOptions } from './options/route.ts'
import { addRelay } from './relay/grammar.ts'
import type { RestoreOptions } from './restore.ts'
import { addSamples } from './samples/grammar.ts'
import { addSchema } from './schema/grammar.ts'
import { addSessions } from './sessions/grammar.ts'
import { type CliCommand, unlessDry } from './shell/cli-command.ts'
import { withFreshEntries } from './shell/fresh-entries.ts'
import { parsePort, type RunCommand } from './shell/grammar-values.ts'
import { addStorage } from './storage/grammar.ts'
import { addTargets } from './targets/grammar.ts'
import { addTest } from './test/grammar.ts'
import { addExplain, addValidate } from './validate/grammar.ts'
import { addWebhook } from './webhook/grammar.ts'

export const addCommands = (program: CliCommand, run: RunCommand): void => {
  addGateway(program.command('gateway').description('set up and run the gateway'), run)
  addWebhook(program.command('webhook').description('routes made at run time: subscribe, list, test, remove'), withFreshEntries(run))
  addEvents(program.command('events').description('what arrived and how it went: list, show, retry, replay, export'), run)
  addCron(program.command('cron').description('scheduled jobs: list, create, run, pause, resume, remove'), withFreshEntries(run))
  addSessions(program.command('sessions').description('lasting conversations of routes: list, show'), run)
  addTargets(program.command('targets').description('where messages can go: list (also alone), test'), withFreshEntries(run))
  addAgents(program.command('agents').description('who answers the prompts: list, test'), run)
  addAlerts(program.command('alerts').description('who is told when something is wrong: list, test, silence'), run)
  addLists(program.command('lists').description('lists that filters ask: show, add, remove'), withFreshEntries(run))
  addSamples(program.command('samples').description('what senders post: list, show, add'), run)
  addConfig(program.command('config').description('the configuration of all its files: show, diff'), run)
  addStorage(program.command('storage').description('where work is kept: move it to another store'), run)
  addRelay(program.command('relay').description('a public front for gateways without a public address: run, status, validate'), run)
  addBackup(program, run)
  addImport(program.command('import').description('routes of other programs: adnanh, hermes'), run)
  addExport(program.command('export').description('the routes for other programs: asyncapi'), run)
  addNew(program.command('new <name>'), run)
  addEdit(program.command('edit [route]').alias('ui'), withFreshEntries(run))
  addConsole(program.command('console'), withFreshEntries(run))
  addValidate(program.command('validate [paths...]'), run)
  addTest(program, run)
  addExplain(program.command('explain [code]'), run)
  addSchema(program.command('schema').description('the JSON Schemas of the files: print, install in editors'), run)
  addDoctor(program.command('doctor'), run)
  addPaths(program.command('paths'), run)
  addUpgrade(program.command('upgrade'), run)
  addHelp(program, run)
}

const addBackup = (program: CliCommand, run: RunCommand): void => {
  program
    .command('backup [to]')
    .description('write the store, the events and the entries to one file, also while the gateway works; default: a file in this folder')
    .examples('backup /var/backups/headgate/', 'backup before-upgrade.tar.gz --with-config')
    .changes('backup')
    .option('--with-config', 'config.yaml, .env, scripts and all other files too, and all secrets in clear')
    .option('--force', 'replace a file that is there')
    .action((to: string | undefined, options: BackupOptions) => run(async (cli) => (await import('./backup.ts')).backup(to, options, cli)))
  program
    .command('restore <file>')
    .description('check a backup, and put its files into the data directory while no gateway runs')
    .examples('restore headgate-20260301T120000Z.tar.gz --dry-run', 'restore headgate-20260301T120000Z.tar.gz')
    .changes('restore', unlessDry)
    .option('--dry-run', 'check the backup, and change nothing')
    .option('--force', 'move aside what is there')
    .action((file: string, options: RestoreOptions) => run(async (cli) => (await import('./restore.ts')).restore(file, options, cli)))
}

const importSources = [
  ['adnanh', 'take the hooks of adnanh/webhook: hooks.json or hooks.yaml', 'import adnanh hooks.yaml'],
  ['hermes', 'take the webhook routes of a hermes-agent config.yaml', 'import hermes config.yaml'],
] as const

const addImport = (command: CliCommand, run: RunCommand): void => {
  for (const [name, description, example] of importSources) {
    command
      .command(`${name} <file>`)
      .description(description)
      .examples(example)
      .changes('import_routes', ({ into }) => into === true)
      .option('--out <file>', 'write the configuration to a file instead of standard output')
      .option('--force', 'with --out: replace a file that is there')
      .option('--into', 'put the routes into <data_dir>/config.yaml, and their secrets into .env')
      .option('--reveal', 'show the values of the lines for .env')
      .action((file: string, options: ImportOptions) =>
        run(async (cli) => (await import('./import.ts')).importFrom(name, file, options, cli)),
      )
  }
}

const addExport = (command: CliCommand, run: RunCommand): void => {
  command
    .command('asyncapi [routes...]')
    .description('print an AsyncAPI document of the routes, with their payload schemas; default: all routes')
    .examples('export asyncapi > asyncapi.yaml', 'export asyncapi pr-review')
    .action((routes: readonly string[]) => run(async (cli) => (await import('./export.ts')).exportAsyncApi(routes, cli)))
}

const addNew = (command: CliCommand, run: RunCommand): void => {
  withRouteOptions(command)
    .description('write a new route into config.yaml')
    .examples(
      "new pr-notes --like github/pull_request.opened --deliver github_comment --deliver-extra 'repo={repository.full_name}' --deliver-extra 'pr_number={number}'",
      'new pay --from stripe --deliver http --deliver-extra url=https://example.com/in --dry-run',
    )
    .changes('new_route', unlessDry)
    .option('--profile <name>', 'bind it to a profile')
    .option('--dry-run', 'show what would be written, write nothing')
    .action((name: string, options: NewOptions) => run(async (cli) => (await import('./new.ts')).newRoute(name, options, cli)))
}

const addEdit = (command: CliCommand, run: RunCommand): void => {
  command
    .description('edit routes in the terminal, with the result on a real payload beside the rule')
    .examples('edit', 'edit pr-review --read-only')
    .option('--profile <name>', 'the routes of one profile; a new one is bound to it')
    .option('--read-only', 'look at everything, change nothing')
    .option('--no-alt-screen', 'draw below the prompt instead of on a screen of its own')
    .option('--ascii', 'no characters beyond ASCII; so without being told where the locale is not UTF-8')
    .option('--mouse', 'the wheel moves, and a click chooses a row; the terminal then marks text with shift held')
    .option('--screen-reader', 'sentences, and numbers to choose by; also with INK_SCREEN_READER=true')
    .action((route: string | undefined, options: EditOptions) => run(async (cli) => (await import('./edit.ts')).edit(route, options, cli)))
}

const addConsole = (command: CliCommand, run: RunCommand): void => {
  command
    .description('look at events, routes and targets in a browser; Ctrl-C ends it')
    .examples('console', 'console --port 9000 --no-open', 'console --hash-password')
    .option('--port <number>', 'port to listen on; default: console.port, else 8645', parsePort)
    .option('--no-open', 'show the address, and open no browser')
    .option('--hash-password', 'print the hash of a password for console.auth.password; asks for it, or reads standard input')
    .addOption(new Option('--until-stdin-ends').hideHelp())
    .action((options: ConsoleCommandOptions) => run(async (cli) => (await import('./console.ts')).runConsole(options, cli)))
}

const addDoctor = (command: CliCommand, run: RunCommand): void => {
  command
    .description('look whether this machine, its files and its programs are fit for the gateway; exit 1 when something is not')
    .examples('doctor', 'doctor --online', 'doctor --json')
    .option('--online', 'ask the hosts of targets too whether they are there: HEAD / of each, with no token and no text')
    .action((options: DoctorOptions) => run(async (cli) => (await import('./doctor.ts')).doctor(options, cli)))
}

const addUpgrade = (command: CliCommand, run: RunCommand): void => {
  command
    .description('say whether a newer version is published; nothing is installed')
    .examples('upgrade --check')
    .option('--check', 'ask the npm registry, with the settings of npm; exit 1 when there is a newer version')
    .action((options: { readonly check?: boolean }) => run(async (cli) => (await import('./upgrade.ts')).upgrade(options, cli)))
}

const addPaths = (command: CliCommand, run: RunCommand): void => {
  command
    .description('where the files are, whether they exist or not')
    .examples('paths', 'paths --jsonata \'paths[name = "config"].path\'')
    .action(() => run(async (cli) => (await import('./paths.ts')).paths(cli)))
}
