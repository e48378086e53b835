/** The `cron` commands: their arguments and options. */

import type { CliCommand } from '../shell/cli-command.ts'
import { collectRepeated, type ProfileOption, type RunCommand } from '../shell/grammar-values.ts'
import type { CronCreateOptions } from './create.ts'
import type { CronListOptions } from './list.ts'
import type { CronRemoveOptions } from './remove.ts'

export const addCron = (cron: CliCommand, run: RunCommand): void => {
  withProfile(cron.command('list'))
    .description('list jobs with their next runs')
    .examples('cron list --all')
    .option('--all', 'of all profiles')
    .action((options: CronListOptions) => run(async (cli) => (await import('./list.ts')).cronList(options, cli)))
  withProfile(cron.command('show <job>'))
    .description('show one job, its secrets masked')
    .examples('cron show nightly')
    .action((job: string, options: ProfileOption) => run(async (cli) => (await import('./show.ts')).cronShow(job, options, cli)))
  addCreate(cron.command('create <name>'), run)
  withProfile(cron.command('run <job>'))
    .description('start a job now (paused ones too), in the running gateway')
    .examples('cron run nightly')
    .changes('start_job')
    .action((job: string, options: ProfileOption) => run(async (cli) => (await import('./run.ts')).cronRun(job, options, cli)))
  for (const word of ['pause', 'resume']) {
    withProfile(cron.command(`${word} <job>`))
      .description(word === 'pause' ? 'keep a job from running, configured ones too' : 'let a paused job run again')
      .examples(`cron ${word} nightly`)
      .changes(`${word}_job`)
      .action((job: string, options: ProfileOption) =>
        run(async (cli) => (await import('./pause.ts')).cronPause(job, word === 'pause', options, cli)),
      )
  }
  withProfile(cron.command('remove <job>'))
    .description('delete a job that was made with create')
    .examples('cron remove nightly --yes')
    .changes('remove_job')
    .option('-y, --yes', 'do not ask')
    .action((job: string, options: CronRemoveOptions) => run(async (cli) => (await import('./remove.ts')).cronRemove(job, options, cli)))
}

const withProfile = (command: CliCommand): CliCommand => command.option('--profile <name>', 'jobs of another profile than the default one')

const addCreate = (create: CliCommand, run: RunCommand): void => {
  withProfile(create)
    .description('create a job; prints its id')
    .examples("cron create nightly --schedule '0 6 * * *' --timezone Europe/Berlin --prompt 'What happened?'")
    .changes('create_job')
    .requiredOption('--schedule <when>', "'0 6 * * *', 'every 15m' or '2027-01-31T09:00'")
    .option('--timezone <zone>', 'zone of the schedule, for example Europe/Berlin; default: UTC')
    .option('--prompt <text>', 'what the agent is asked: text, @file or @-')
    .option('--agent <name>', 'an agent under agents; default: that of the section agent')
    .option('--model <name>', "another model than the agent's")
    .option('--deliver <target>', 'where the reply goes; default: log')
    .option('--deliver-chat-id <id>', 'chat to deliver to')
    .option('--deliver-extra <key=value>', 'a setting of the target (repeatable)', collectRepeated)
    .option('--description <text>', 'a note for people')
    .option('--disabled', 'do not run it yet')
    .option('--id <id>', 'its id; default: a generated one')
    .action((name: string, options: CronCreateOptions) => run(async (cli) => (await import('./create.ts')).cronCreate(name, options, cli)))
}
