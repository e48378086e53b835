/** The `alerts` commands: their arguments and options. */

import type { CliCommand } from '../shell/cli-command.ts'
import { parseSpan, type RunCommand } from '../shell/grammar-values.ts'
import type { AlertsSilenceOptions } from './silence.ts'
import type { AlertsTestOptions } from './test.ts'

export const addAlerts = (alerts: CliCommand, run: RunCommand): void => {
  alerts
    .command('list')
    .description('list the rules of alerts, and what fires now')
    .examples('alerts list')
    .action(() => run(async (cli) => (await import('./list.ts')).alertsList(cli)))
  alerts
    .command('test [rule]')
    .description('let the gateway send a test message to the targets of one rule (its number), or of all')
    .examples('alerts test --yes', 'alerts test 2 --yes')
    .option('-y, --yes', 'do not ask')
    .action((rule: string | undefined, options: AlertsTestOptions) =>
      run(async (cli) => (await import('./test.ts')).alertsTest(rule, options, cli)),
    )
  alerts
    .command('silence <name>')
    .description('tell nothing of an alert, of a kind, or of all for a time: silence dead_run:orders --for 2h')
    .examples('alerts silence dead_run --for 2h', 'alerts silence silence:orders --end')
    .changes('silence')
    .completes('name', 'alerts')
    .option('--for <time>', 'how long: 30m, 2h, 1d; default: 1h', parseSpan)
    .option('--end', 'tell it again from now on')
    .action((name: string, options: AlertsSilenceOptions) =>
      run(async (cli) => (await import('./silence.ts')).alertsSilence(name, options, cli)),
    )
}
