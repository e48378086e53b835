/** The `targets` commands: their arguments and options. */

import { exit, Fault } from '../../core/fault.ts'
import { suggestCommands } from '../help/suggest.ts'
import type { CliCommand } from '../shell/cli-command.ts'
import { collectRepeated, type RunCommand } from '../shell/grammar-values.ts'
import type { TargetsListOptions } from './list.ts'
import type { TargetsTestOptions } from './test.ts'

export const addTargets = (targets: CliCommand, run: RunCommand): void => {
  targets
    // "targets" alone runs the default command, `list`. Commander would run `list` for an unknown word too, which is a mistake.
    .hook('preSubcommand', (parent) => {
      const [word = '-'] = parent.args
      if (word.startsWith('-') || parent.commands.some((command) => command.name() === word || command.aliases().includes(word))) return
      const more = { exitCode: exit.usage, suggest: suggestCommands(word, parent), hint: 'headgate targets --help' }
      throw new Fault('usage', `unknown command '${word}'`, more)
    })
    .command('list', { isDefault: true })
    .description('list delivery targets, those of plugins too, and whether they are connected')
    .examples('targets list')
    .option('--profile <name>', 'by the settings of another profile than the default one')
    .action((options: TargetsListOptions) => run(async (cli) => (await import('./list.ts')).targetsList(options, cli)))
  targets
    .command('reset <target> [address]')
    .description('try a target that is down at once, or one address of it: what waits for it follows if that works')
    .examples('targets reset slack', 'targets reset http https://ci.example.org')
    .changes('reset_breaker')
    .completes('target', 'targets')
    .action((target: string, address: string | undefined) =>
      run(async (cli) => (await import('./reset.ts')).targetsReset(target, address, cli)),
    )
  targets
    .command('test [name]')
    .description('send a real test message, or what a route would deliver; the gateway need not run')
    .examples('targets test telegram --to 42 --yes', 'targets test --route pr-review --sample github/pull_request.opened')
    .completes('name', 'targets')
    .option('--route <name>', 'to the targets of this route, with its settings, filled in from an event')
    .option('--sample <name>', 'the event: a sample (samples list)')
    .option('--payload <json>', 'the event: JSON text, @file or - instead')
    .option('--event-id <id>', 'the event: a recorded one (events list)')
    .option('--to <id>', 'chat to send it to; default: the home channel')
    .option('--extra <key=value>', 'a setting of the target (repeatable)', collectRepeated)
    .option('--text <text>', 'what it says: text, @file or @-')
    .option('--profile <name>', 'by the settings of another profile than the default one')
    .option('-y, --yes', 'do not ask')
    .action((name: string | undefined, options: TargetsTestOptions) =>
      run(async (cli) => (await import('./test.ts')).targetsTest(name, options, cli)),
    )
}
