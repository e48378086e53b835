/** The commands, their arguments and options. Each command's module is loaded when it runs, so that `--help` stays quick. */

import type { Command } from 'commander'
import { addCron } from '../cron/grammar.ts'
import type { DoctorOptions } from '../doctor.ts'
import { addEdit } from '../edit/grammar.ts'
import { addEvents } from '../events/grammar.ts'
import { addGateway } from '../gateway/grammar.ts'
import { addHelp } from '../help/grammar.ts'
import { addImport } from '../import/grammar.ts'
import { addNew } from '../new/grammar.ts'
import { addSamples } from '../samples/grammar.ts'
import { addSchema } from '../schema/grammar.ts'
import { addSessions } from '../sessions/grammar.ts'
import { addTargets } from '../targets/grammar.ts'
import { addTest } from '../test/grammar.ts'
import { addExplain, addValidate } from '../validate/grammar.ts'
import { addWebhook } from '../webhook/grammar.ts'
import type { Run } from './grammar-values.ts'

/** Adds all commands to the program. */
export const addCommands = (program: Command, run: Run): void => {
  addGateway(program.command('gateway').description('set up and run the gateway'), run)
  addWebhook(program.command('webhook').description('routes made at run time: subscribe, list, test, remove'), run)
  addEvents(program.command('events').description('what arrived and how it went: list, show, retry, replay, export'), run)
  addCron(program.command('cron').description('scheduled jobs: list, create, run, pause, resume, remove'), run)
  addSessions(program.command('sessions').description('lasting conversations of routes: list, show'), run)
  addTargets(program.command('targets').description('where messages can go: list (also alone), test'), run)
  addSamples(program.command('samples').description('what senders post: list, show, add'), run)
  addImport(program.command('import').description('routes of other programs: adnanh, hermes'), run)
  addNew(program.command('new <name>'), run)
  addEdit(program.command('edit [route]').alias('ui'), run)
  addValidate(program.command('validate [paths...]'), run)
  addTest(program, run)
  addExplain(program.command('explain [code]'), run)
  addSchema(program.command('schema').description('the JSON Schemas of the files: print, install in editors'), run)
  program
    .command('doctor')
    .description('look whether this machine, its files and its programs are fit for the gateway; exit 1 when something is not')
    .option('--online', 'ask the hosts of targets too whether they are there: HEAD / of each, with no token and no text')
    .action((options: DoctorOptions) => run(async (cli) => (await import('../doctor.ts')).doctor(options, cli)))
  program
    .command('paths')
    .description('where the files are, whether they exist or not')
    .action(() => run(async (cli) => (await import('../paths.ts')).paths(cli)))
  addHelp(program, run)
}
