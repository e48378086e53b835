/** The `relay` commands: their arguments and options. */

import { Option } from 'commander'
import type { CliCommand } from '../shell/cli-command.ts'
import type { RunCommand } from '../shell/grammar-values.ts'
import type { RelayRunOptions } from './run.ts'

export const addRelay = (relay: CliCommand, run: RunCommand): void => {
  relay
    .command('run')
    .description('keep requests for gateways without a public address, in the foreground; reads <data_dir>/relay.yaml')
    .examples('relay run', 'relay run --log-format json')
    .addOption(new Option('--log-format <format>', 'default: pretty on a terminal, else json').choices(['json', 'pretty']))
    .action((options: RelayRunOptions) => run(async (cli) => (await import('./run.ts')).relayRun(options, cli)))
  relay
    .command('status')
    .description('show what the running relay keeps for each gateway and route, how old it is, and what expired')
    .examples('relay status', 'relay status --json')
    .action(() => run(async (cli) => (await import('./status.ts')).relayStatus(cli)))
  relay
    .command('validate')
    .description('check <data_dir>/relay.yaml; a running relay reads it again at SIGHUP')
    .examples('relay validate', 'relay validate --data-dir /var/lib/headgate-relay')
    .action(() => run(async (cli) => (await import('./validate.ts')).relayValidate(cli)))
}
