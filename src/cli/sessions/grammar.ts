/** The `sessions` commands: their arguments and options. */

import type { CliCommand } from '../shell/cli-command.ts'
import { parseLimit, type RunCommand } from '../shell/grammar-values.ts'
import type { SessionsListOptions } from './list.ts'
import type { SessionsShowOptions } from './show.ts'

export const addSessions = (sessions: CliCommand, run: RunCommand): void => {
  sessions
    .command('list')
    .description('list sessions, those with the latest messages first')
    .examples('sessions list --route chat')
    .option('--route <name>', 'sessions of this route')
    .option('--profile <name>', 'of this profile')
    .option('--limit <number>', 'how many at most; default: 50', parseLimit)
    .action((options: SessionsListOptions) => run(async (cli) => (await import('./list.ts')).sessionsList(options, cli)))
  sessions
    .command('show <route> <name>')
    .description('show what was said in a session')
    .examples('sessions show chat 42', 'sessions show chat -100123 --limit 10')
    .option('--profile <name>', 'the one of this profile')
    .option('--limit <number>', 'how many messages at most, the latest; default: all', parseLimit)
    .action((route: string, name: string, options: SessionsShowOptions) =>
      run(async (cli) => (await import('./show.ts')).sessionsShow(route, name, options, cli)),
    )
}
