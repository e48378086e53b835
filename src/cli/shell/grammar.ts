/** The commands, their arguments and options. Each command's module is loaded when it runs, so that `--help` stays quick. */

import { type Command, Option } from 'commander'
import { addCron } from '../cron/grammar.ts'
import { addEvents } from '../events/grammar.ts'
import type { SetupOptions } from '../gateway/setup.ts'
import { addImport } from '../import/grammar.ts'
import { addSamples } from '../samples/grammar.ts'
import { addSchema } from '../schema/grammar.ts'
import { addTargets } from '../targets/grammar.ts'
import { addTest } from '../test/grammar.ts'
import { addExplain, addValidate } from '../validate/grammar.ts'
import { addDiagnosis } from '../webhook/grammar.ts'
import type { ListOptions } from '../webhook/list.ts'
import type { RemoveOptions } from '../webhook/remove.ts'
import type { SubscribeOptions } from '../webhook/subscribe-options.ts'
import type { TestOptions } from '../webhook/test.ts'
import { each, list, port, type Run, seconds } from './grammar-values.ts'

/** Adds all commands to the program. */
export const addCommands = (program: Command, run: Run): void => {
  addGateway(program.command('gateway').description('set up and run the gateway'), run)
  addWebhook(program.command('webhook').description('routes made at run time: subscribe, list, test, remove'), run)
  addEvents(program.command('events').description('what arrived and how it went: list, show, retry, replay, export'), run)
  addCron(program.command('cron').description('scheduled jobs: list, create, run, pause, resume, remove'), run)
  addTargets(program.command('targets').description('where messages can go: list (also alone), test'), run)
  addSamples(program.command('samples').description('what senders post: list, show, add'), run)
  addImport(program.command('import').description('routes of other programs: adnanh, hermes'), run)
  addValidate(program.command('validate [paths...]'), run)
  addTest(program, run)
  addExplain(program.command('explain [code]'), run)
  addSchema(program.command('schema').description('the JSON Schemas of the files: print, install in editors'), run)
}

type RunOptions = {
  readonly host?: string
  readonly port?: number
  readonly config?: string
  readonly logLevel?: 'debug' | 'info' | 'warn' | 'error'
  readonly logFormat?: 'json' | 'pretty'
  readonly watch?: boolean
  readonly logRequests?: boolean
}

const addGateway = (gateway: Command, run: Run): void => {
  gateway
    .command('setup')
    .description('enable the adapter: write .env and config.yaml')
    .option('-y, --yes', 'take the defaults for what no option says')
    .option('--enable', 'enable the adapter (setup always does)')
    .option('--host <address>', 'address to listen on')
    .option('--port <number>', 'port to listen on', port)
    .option('--secret-file <file>', 'read the global secret from a file')
    .option('--generate-secret', 'make a new global secret even if there is one')
    .action((options: SetupOptions) => run(async (cli) => (await import('../gateway/setup.ts')).gatewaySetup(options, cli)))
  gateway
    .command('run')
    .description('run the gateway in the foreground')
    .option('--host <address>', 'address to listen on')
    .option('--port <number>', 'port to listen on; 0: any free one', port)
    .option('--config <file>', 'another file than <data_dir>/config.yaml')
    .option('--log-requests', 'one line in and one line out for each request; default: on a terminal')
    .option('--watch', 'reload when config.yaml or .env changes (SIGHUP does too)')
    .addOption(new Option('--log-level <level>', 'least level that is logged').choices(['debug', 'info', 'warn', 'error']).default('info'))
    .addOption(new Option('--log-format <format>', 'default: pretty on a terminal, else json').choices(['json', 'pretty']))
    .action((options: RunOptions) =>
      run(async ({ io, workspace: { dataDir } }) => (await import('../gateway/run.ts')).gatewayRun({ ...options, dataDir }, io)),
    )
  gateway
    .command('reload')
    .description('make the running gateway read its files again')
    .action(() => run(async (cli) => (await import('../gateway/reload.ts')).gatewayReload(cli)))
  gateway
    .command('status')
    .description('ask the running gateway how it is')
    .action(() => run(async (cli) => (await import('../gateway/status.ts')).gatewayStatus(cli)))
}

const addWebhook = (webhook: Command, run: Run): void => {
  addSubscribe(webhook.command('subscribe <name>'), run)
  addDiagnosis(webhook, run)
  webhook
    .command('list')
    .description('list subscriptions')
    .option('--all', 'configured routes too')
    .option('--wide', 'more columns')
    .action((options: ListOptions) => run(async (cli) => (await import('../webhook/list.ts')).webhookList(options, cli)))
  webhook
    .command('show <name>')
    .description('show one route, its secrets masked')
    .action((name: string) => run(async (cli) => (await import('../webhook/show.ts')).webhookShow(name, cli)))
  webhook
    .command('remove <name>')
    .description('delete a subscription')
    .option('-y, --yes', 'do not ask')
    .action((name: string, options: RemoveOptions) =>
      run(async (cli) => (await import('../webhook/remove.ts')).webhookRemove(name, options, cli)),
    )
  for (const word of ['enable', 'disable']) {
    webhook
      .command(`${word} <name>`)
      .description(`switch a subscription ${word === 'enable' ? 'on' : 'off'}`)
      .action((name: string) => run(async (cli) => (await import('../webhook/enable.ts')).webhookEnable(name, word === 'enable', cli)))
  }
  webhook
    .command('test <name>')
    .description('send a signed test payload to the running gateway')
    .option('--payload <json>', 'the body: JSON, @file or @- (standard input)')
    .option('--sample <name>', 'a sample instead, with its headers: headgate samples list')
    .option('--set <path=value>', 'set a value of the body: JSON, else text (repeatable)', each)
    .option('--unset <path>', 'take a value out of the body (repeatable)', each)
    .option('--event <type>', "event type; default: the sample's, else the first the route accepts")
    .option('--id <id>', 'delivery id; default: a random one')
    .option('--scheme <name>', 'auto, v2, v1, github, gitlab, linear, standard, svix, none, bad, or that of a plugin', 'auto')
    .option('--url <url>', 'another address than the configured one')
    .option('--wait', 'wait until its run has ended')
    .option('--timeout <seconds>', 'how long --wait waits; default: 60', seconds)
    .option('--expect <outcome>', 'exit 0 only for this: accepted, delivered, ignored, ignored:filters, duplicate, done, dead ...')
    .option('--print-curl', 'print the request as a curl line instead of sending it')
    .action((name: string, options: TestOptions) =>
      run(async (cli) => (await import('../webhook/test.ts')).webhookTest(name, options, cli)),
    )
}

/** There is no option for toolsets (rules: Subscriptions 7). */
const addSubscribe = (subscribe: Command, run: Run): void => {
  subscribe
    .description('create or update a subscription; prints its URL and secret')
    .option('--events <list>', 'event types to accept (comma or repeated)', list)
    .option('--prompt <template>', 'prompt or message: text, @file or @-')
    .option('--deliver <target>', 'where the reply goes')
    .option('--deliver-chat-id <id>', 'chat to deliver to')
    .option('--deliver-only', 'no agent: the prompt is the message')
    .option('--no-deliver-only', 'run the agent again')
    .option('--deliver-extra <key=value>', 'a setting of the target (repeatable)', each)
    .option('--description <text>', 'a note for people')
    .option('--route-profile <profile>', 'bind to a profile; another one than before makes a new secret')
    .option('--cron-job <id-or-name>', 'start a scheduled job')
    .option('--mirror-to-session', "also append what is delivered to the chat's session")
    .option('--skills <list>', 'skills for the agent (comma or repeated)', list)
    .option('--filter <condition>', 'condition as JSON, YAML or @file (repeatable)', each)
    .option('--script <path>', 'filter script under scripts/')
    .option('--secret <value>', 'the secret, where the sender dictates it')
    .option('--secret-file <file>', 'read the secret from a file')
    .option('--secret-stdin', 'read the secret from standard input')
    .option('--rotate', 'make a new secret')
    .option('--replace', 'start clean instead of changing what is stored')
    .option('--dry-run', 'check and show, save nothing')
    .addOption(new Option('--print <what>', 'print only this').choices(['secret', 'url']))
    .action((name: string, options: SubscribeOptions) =>
      run(async (cli) => (await import('../webhook/subscribe.ts')).webhookSubscribe(name, options, cli)),
    )
}
