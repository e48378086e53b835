/** The `gateway` commands: their arguments and options. */

import { Option } from 'commander'
import type { ReloadAsked } from '../../operate/gateway/reload.ts'
import { type CliCommand, unlessDry } from '../shell/cli-command.ts'
import { collectRepeated, parsePort, parseSeconds, type RunCommand } from '../shell/grammar-values.ts'
import type { SetupOptions } from './setup/options.ts'
import type { UnitOptions } from './unit.ts'

type RunOptions = {
  readonly host?: string
  readonly port?: number
  readonly config?: string
  readonly logLevel?: 'debug' | 'info' | 'warn' | 'error'
  readonly logFormat?: 'json' | 'pretty'
  readonly watch?: boolean
  readonly logRequests?: boolean
  readonly once?: boolean
  readonly takeover?: boolean
}

export const addGateway = (gateway: CliCommand, run: RunCommand): void => {
  addSetup(gateway, run)
  addRun(gateway, run)
  gateway
    .command('reload')
    .description('make the running gateway read its files again')
    .examples('gateway reload --dry-run', 'gateway reload', 'gateway reload --all')
    .changes('reload', unlessDry)
    .option('--force', 'also when that removes most of the routes')
    .option('--dry-run', 'only say what a reload would change')
    .addOption(new Option('--all', 'all gateways on a shared store').conflicts('dryRun'))
    .action(({ all, ...options }: ReloadAsked & { readonly all?: boolean }) =>
      run(async (cli) =>
        all ? (await import('./reload-all.ts')).gatewayReloadAll(options, cli) : (await import('./reload.ts')).gatewayReload(options, cli),
      ),
    )
  gateway
    .command('stop')
    .description('stop the running gateway when its running work is finished, and wait for that')
    .examples('gateway stop', 'gateway stop --timeout 600')
    .changes('stop')
    .option('--timeout <seconds>', 'how long to wait; default: 60', parseSeconds)
    .action((options: { readonly timeout?: number }) => run(async (cli) => (await import('./stop.ts')).gatewayStop(options, cli)))
  gateway
    .command('status')
    .description('show the state of the running gateway, and all gateways on a shared store')
    .examples('gateway status', 'gateway status --jsonata backlog')
    .action(() => run(async (cli) => (await import('./status.ts')).gatewayStatus(cli)))
  gateway
    .command('backlog')
    .description('show what waits in the running gateway and why: runs, groups, lanes, and what is used of the budgets of the day')
    .examples('gateway backlog', 'gateway backlog --jsonata oldest_at')
    .action(() => run(async (cli) => (await import('./backlog.ts')).gatewayBacklog(cli)))
  gateway
    .command('health')
    .description('ask the running gateway for /health, as a container does; exit 1 when the gateway is not healthy')
    .examples('gateway health')
    .action(() => run(async (cli) => (await import('./health.ts')).gatewayHealth(cli)))
  gateway
    .command('unit')
    .description('print a unit for systemd that runs the gateway')
    .examples(
      'gateway unit > ~/.config/systemd/user/headgate.service',
      'gateway unit --socket > ~/.config/systemd/user/headgate.socket',
      'gateway unit --strict --data-dir /var/lib/headgate',
      'gateway unit --strict --user hooks --data-dir /var/lib/headgate',
    )
    .option('--strict', 'with the narrowest rights, under a user that systemd makes')
    .option('--user <name>', 'under this user')
    .option('--socket', 'the unit of the socket, with which a restart refuses no request')
    .action((options: UnitOptions) => run(async (cli) => (await import('./unit.ts')).gatewayUnit(options, cli)))
}

const addSetup = (gateway: CliCommand, run: RunCommand): void => {
  gateway
    .command('setup')
    .description('ask what to set up, or take it from options: adapter, first route, agent, first target')
    .examples(
      'gateway setup',
      'gateway setup --yes --port 8700 --secret-file ./secret',
      'gateway setup --yes --route github --runner anthropic --model claude-sonnet-4-5 --api-key-file ./key',
      'gateway setup --yes --target telegram --target-secret-file token=./token --target-setting home_channel=-100123',
    )
    .changes('setup')
    .option('-y, --yes', 'ask nothing: take the defaults where no option gives an answer')
    .option('--screen-reader', 'ask in plain lines, with numbers for choices')
    .option('--enable', 'enable the adapter (the default)')
    .option('--host <address>', 'address to listen on')
    .option('--port <number>', 'port to listen on', parsePort)
    .option('--secret-file <file>', 'read the global secret from a file')
    .option('--generate-secret', 'make a new global secret even if there is one')
    .option('--route <provider[=name]>', 'make a route for a sender: github, gitlab, linear, stripe, or any other name in docs/senders.md')
    .option('--route-public-key <key>', 'the public key that the sender shows, where it signs with one')
    .option('--route-secret-file <file>', 'read the signing secret that the sender made; - for standard input')
    .option('--runner <name>', 'the agent: echo, openai, anthropic, command')
    .option('--command <line>', 'program and arguments of the command runner')
    .option('--base-url <address>', "address of the model's API")
    .option('--model <name>', 'model name')
    .option('--api-key-file <file>', "read the key of the model's API; - for standard input")
    .option('--test-agent', 'ask the agent one short prompt before anything is written')
    .option('--target <name>', 'connect a delivery target')
    .option('--target-setting <key=value>', 'a setting of the target (repeatable)', collectRepeated)
    .option('--target-secret-file <key=file>', 'read a secret setting of the target (repeatable)', collectRepeated)
    .option('--test-target', 'send a real message to the target before anything is written')
    .option('--start', 'run the gateway when all is written')
    .option('--send-first', 'send it a first event')
    .action((options: SetupOptions) => run(async (cli) => (await import('./setup/setup.ts')).gatewaySetup(options, cli)))
}

const addRun = (gateway: CliCommand, run: RunCommand): void => {
  gateway
    .command('run')
    .description('run the gateway in the foreground')
    .examples('gateway run', 'gateway run --watch --log-format json', 'gateway run --once', 'gateway run --takeover')
    .option('--host <address>', 'address to listen on')
    .option('--port <number>', 'port to listen on; 0: any free one', parsePort)
    .option('--config <file>', 'another file than <data_dir>/config.yaml; default: $HEADGATE_CONFIG')
    .option('--log-requests', 'one line in and one line out for each request; default: on a terminal')
    .option('--once', 'stop after one event, when its run has ended')
    .option('--takeover', 'take the place of the running gateway, and refuse no request meanwhile')
    .option('--watch', 'reload when config.yaml or .env changes (SIGHUP does too)')
    .addOption(
      new Option('--log-level <level>', 'least level that is logged; default: info, with -v debug').choices([
        'debug',
        'info',
        'warn',
        'error',
      ]),
    )
    .addOption(new Option('--log-format <format>', 'default: pretty on a terminal, else json').choices(['json', 'pretty']))
    .action((options: RunOptions) =>
      run(async ({ io, json, verbose, workspace }) => {
        const { gatewayRun } = await import('./run.ts')
        const defaults = { ...(verbose ? { logLevel: 'debug' as const } : {}), ...(json ? { logFormat: 'json' as const } : {}) }
        return gatewayRun({ ...defaults, ...options, json, workspace }, io)
      }),
    )
}
