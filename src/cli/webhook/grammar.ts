/** The `webhook` commands: their arguments and options. */

import { Option } from 'commander'
import { withRouteOptions } from '../options/route.ts'
import { type CliCommand, unlessDry } from '../shell/cli-command.ts'
import { collectList, collectRepeated, parseSeconds, parseSpan, type RunCommand } from '../shell/grammar-values.ts'
import type { WebhookListOptions } from './list.ts'
import type { RemoveOptions } from './remove.ts'
import type { SecretOptions } from './secret.ts'
import type { SubscribeOptions } from './subscribe-options.ts'
import type { PauseOptions } from './switches/pause.ts'
import type { TailOptions } from './tail.ts'
import type { WebhookTestOptions } from './test.ts'
import type { WebhookTraceOptions } from './trace.ts'
import type { VerifyOptions } from './verify.ts'

export const addWebhook = (webhook: CliCommand, run: RunCommand): void => {
  addSubscribe(webhook.command('subscribe <name>'), run)
  addDiagnosis(webhook, run)
  webhook
    .command('list')
    .description('list subscriptions')
    .examples('webhook list --all --wide', "webhook list --jsonata 'routes.name'")
    .option('--all', 'configured routes too')
    .option('--wide', 'more columns')
    .action((options: WebhookListOptions) => run(async (cli) => (await import('./list.ts')).webhookList(options, cli)))
  webhook
    .command('show <name>')
    .description('show one route, its secrets masked')
    .examples('webhook show hello')
    .action((name: string) => run(async (cli) => (await import('./show.ts')).webhookShow(name, cli)))
  webhook
    .command('edit <name>')
    .description('open a subscription in $VISUAL or $EDITOR; a configured route in config.yaml. It is checked before it replaces')
    .examples('webhook edit hello', 'EDITOR=nano headgate webhook edit hello')
    .changes('edit_subscription')
    .action((name: string) => run(async (cli) => (await import('./edit.ts')).webhookEdit(name, cli)))
  webhook
    .command('secret <name>')
    .description("show the fingerprint of a route's secret")
    .examples('webhook secret hello', 'webhook secret hello --reveal', 'webhook secret hello --rotate --overlap 24h')
    .changes('rotate_secret', ({ rotate }) => rotate === true)
    .option('--reveal', 'print the secret itself')
    .option('--rotate', 'make a new secret and print it')
    .option('--overlap <time>', 'with --rotate: the old secret verifies for so long, too: 30m, 24h, 7d', parseSpan)
    .action((name: string, options: SecretOptions) => run(async (cli) => (await import('./secret.ts')).webhookSecret(name, options, cli)))
  webhook
    .command('remove <name>')
    .description('delete a subscription')
    .examples('webhook remove hello --yes')
    .changes('remove_subscription')
    .completes('name', 'subscriptions')
    .option('-y, --yes', 'do not ask')
    .action((name: string, options: RemoveOptions) => run(async (cli) => (await import('./remove.ts')).webhookRemove(name, options, cli)))
  for (const word of ['enable', 'disable']) {
    webhook
      .command(`${word} <name>`)
      .description(`switch a subscription ${word === 'enable' ? 'on' : 'off'}`)
      .examples(`webhook ${word} hello`)
      .changes(`${word}_subscription`)
      .completes('name', 'subscriptions')
      .action((name: string) => run(async (cli) => (await import('./switches/enable.ts')).webhookEnable(name, word === 'enable', cli)))
  }
  addPause(webhook, run)
  addTest(webhook, run)
}

const addTest = (webhook: CliCommand, run: RunCommand): void => {
  webhook
    .command('test <name>')
    .description('send a signed test payload to the running gateway')
    .examples(
      `webhook test hello --payload '{"name":"Ada"}'`,
      'webhook test pr-review --sample github/pull_request.opened --set number=7 --wait',
    )
    .option('--payload <json>', 'the body: JSON, @file or - (standard input)')
    .option('--sample <name>', 'a sample instead, with its headers: headgate samples list')
    .option('--set <path=value>', 'set a value of the body: JSON, else text (repeatable)', collectRepeated)
    .option('--unset <path>', 'take a value out of the body (repeatable)', collectRepeated)
    .option('--edit', 'open the body in $VISUAL or $EDITOR before it is sent')
    .option('--event <type>', 'event type; default: what headers and payload name, else the first the route accepts')
    .option('--id <id>', 'delivery id; default: a random one')
    .option('--query <text>', 'the query of the address: team=core&n=1')
    .addOption(new Option('--method <method>', 'default: POST where the route takes it').choices(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']))
    .addOption(new Option('--encoding <coding>', 'compress the body').choices(['gzip', 'deflate', 'br']))
    .option('--scheme <name>', 'auto, none, bad, or any name that "verify" takes', 'auto')
    .option('--private-key <file>', 'a private key in PEM, for schemes that sign with one: put its public key in the route')
    .option('--url <url>', 'another address than where the gateway listens')
    .option('--wait', 'wait until its run has ended')
    .option('--timeout <seconds>', 'how long --wait waits; default: 60', parseSeconds)
    .option('--expect <outcome>', 'exit 0 only for this: accepted, delivered, ignored, ignored:filters, duplicate, done, dead ...')
    .option('--print-curl', 'print the request as a curl line instead of sending it')
    .action((name: string, options: WebhookTestOptions) => run(async (cli) => (await import('./test.ts')).webhookTest(name, options, cli)))
}

const addPause = (webhook: CliCommand, run: RunCommand): void => {
  webhook
    .command('pause <name>')
    .description('let a route begin no runs, configured ones too: its senders get 503, or with --hold its events are kept')
    .examples('webhook pause hello --hold')
    .changes('pause_route')
    .option('--hold', 'take and keep its events, and begin their runs when the route is resumed')
    .action((name: string, options: PauseOptions) =>
      run(async (cli) => (await import('./switches/pause.ts')).webhookPause(name, options, cli)),
    )
  webhook
    .command('resume <name>')
    .description('let a paused route go on')
    .examples('webhook resume hello')
    .changes('resume_route')
    .action((name: string) => run(async (cli) => (await import('./switches/pause.ts')).webhookResume(name, cli)))
}

/** Adds `webhook subscribe`. The command has no option for toolsets (docs/rules.md: Subscriptions 7). */
const addSubscribe = (subscribe: CliCommand, run: RunCommand): void => {
  withRouteOptions(subscribe)
    .description('create or update a subscription; prints its URL and secret')
    .examples(
      "webhook subscribe hello --prompt 'Hello {name}'",
      "webhook subscribe alerts --deliver telegram --deliver-chat-id 42 --deliver-only --prompt '{title}'",
      'webhook subscribe hello --rotate --print secret',
      'webhook subscribe copy --from @hello.yaml',
      'webhook subscribe issues --like github/issues.opened --deliver slack',
    )
    .changes('subscribe', unlessDry)
    .completes('name', 'subscriptions')
    .option('--no-deliver-only', 'run the agent again')
    .option('--route-profile <profile>', 'bind to a profile; another one than before makes a new secret')
    .option('--cron-job <id-or-name>', 'start a scheduled job')
    .option('--mirror-to-session', "also append what is delivered to the chat's session")
    .option('--no-mirror-to-session', 'no longer append it')
    .option('--agent <name>', 'an agent under agents; default: that of the section agent')
    .option('--skills <list>', 'skills for the agent (comma or repeated)', collectList)
    .option('--script <path>', 'filter script under scripts/')
    .option('--coalesce-key <template>', 'events of one key within a window become one run')
    .option('--secret <value>', 'the secret, where the sender dictates it')
    .option('--secret-file <file>', 'read the secret from a file')
    .option('--secret-stdin', 'read the secret from standard input')
    .option('--rotate', 'make a new secret')
    .option('--replace', 'start clean instead of changing what is stored')
    .option('--dry-run', 'check and show, save nothing')
    .addOption(new Option('--print <what>', 'print only this').choices(['secret', 'url', 'curl', 'yaml']))
    .action((name: string, options: SubscribeOptions) =>
      run(async (cli) => (await import('./subscribe.ts')).webhookSubscribe(name, options, cli)),
    )
}

const addDiagnosis = (webhook: CliCommand, run: RunCommand): void => {
  webhook
    .command('trace <name>')
    .description('show what would become of one event, stage by stage, without doing any of it')
    .examples('webhook trace hello --payload @event.json', 'webhook trace hello --event-id <id>')
    .option('--payload <json>', 'the body: JSON, @file or - (standard input)')
    .option('--sample <name>', 'a sample instead (samples list)')
    .option('--event-id <id>', 'a recorded event instead (events list)')
    .option('--set <path=value>', 'put a value into the payload (repeatable)', collectRepeated)
    .option('--unset <path>', 'take a value out of the payload (repeatable)', collectRepeated)
    .option('--event <type>', 'event type; default: what headers and payload name, else the first the route accepts')
    .option('--query <text>', 'the query of the address: team=core&n=1')
    .addOption(new Option('--method <method>', 'default: POST where the route takes it').choices(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']))
    .option('--scheme <name>', 'sign with this scheme, or none, or bad')
    .option('--lookups <json>', "the answers to the route's lookups, by their names: JSON, @file or @-; nothing is asked")
    .option('--lists <json>', 'lists that conditions ask, by their names or addresses: JSON, @file or @-')
    .option('--ask', "ask the route's lookups and fetch its lists, over the network")
    .option('--run-scripts', "run the route's script: it may touch the world")
    .action((name: string, options: WebhookTraceOptions) =>
      run(async (cli) => (await import('./trace.ts')).webhookTrace(name, options, cli)),
    )
  webhook
    .command('tail [route]')
    .description('show requests and attempts as they happen, each with its reason; Ctrl-C ends it')
    .examples('webhook tail', 'webhook tail hello --since 10m --format json')
    .option('--outcome <list>', 'answered so: accepted, ignored, ignored:filters, bad_signature, ...', collectList)
    .option('--since <time>', 'first show what arrived since: 90s, 10m, 2h or an ISO 8601 time')
    .addOption(new Option('--format <format>', 'default: line').choices(['line', 'json']))
    .action((route: string | undefined, options: TailOptions) =>
      run(async (cli) => (await import('./tail.ts')).webhookTail(route, options, cli)),
    )
  webhook
    .command('verify <name>')
    .description('say whether a route would take a captured request, and why not; sends nothing')
    .examples("webhook verify hello --body @body.json --header 'X-Hub-Signature-256: sha256=...'")
    .option('--body <bytes>', 'the body as it came: @file, @- (standard input) or text')
    .option('--header <line>', "'Name: value', or @file with one a line (repeatable)", collectRepeated)
    .option('--url <address>', 'the address that the sender posted to, for schemes that sign it')
    .option('--at <time>', 'the time of arrival, for checks of time-stamps: ISO 8601, Unix seconds or 10m; default: now')
    .action((name: string, options: VerifyOptions) => run(async (cli) => (await import('./verify.ts')).webhookVerify(name, options, cli)))
}
