/** The `webhook` commands that say what goes on, and why not: their arguments and options. */

import { type Command, Option } from 'commander'
import { each, list, type Run } from '../shell/grammar-values.ts'
import type { TailOptions } from './tail.ts'
import type { TraceOptions } from './trace.ts'
import type { VerifyOptions } from './verify.ts'

export const addDiagnosis = (webhook: Command, run: Run): void => {
  webhook
    .command('trace <name>')
    .description('show what would become of one event, stage by stage, without doing any of it')
    .option('--payload <json>', 'the body: JSON, @file or @- (standard input)')
    .option('--sample <name>', 'a sample instead (samples list)')
    .option('--event-id <id>', 'a recorded event instead (events list)')
    .option('--set <path=value>', 'put a value into the payload (repeatable)', each)
    .option('--unset <path>', 'take a value out of the payload (repeatable)', each)
    .option('--event <type>', "event type; default: the sample's, else the first the route accepts")
    .option('--scheme <name>', 'sign with this scheme, or none, or bad')
    .option('--run-scripts', "run the route's script: the one thing here that may touch the world")
    .action((name: string, options: TraceOptions) => run(async (cli) => (await import('./trace.ts')).webhookTrace(name, options, cli)))
  webhook
    .command('tail [route]')
    .description('show requests and attempts as they happen, each with its reason; Ctrl-C ends it')
    .option('--outcome <list>', 'answered so: accepted, ignored, ignored:filters, bad_signature, ...', list)
    .option('--since <time>', 'first what arrived since: 90s, 10m, 2h or an ISO 8601 time')
    .addOption(new Option('--format <format>', 'default: line').choices(['line', 'json']))
    .action((route: string | undefined, options: TailOptions) =>
      run(async (cli) => (await import('./tail.ts')).webhookTail(route, options, cli)),
    )
  webhook
    .command('verify <name>')
    .description('say whether a route would take a captured request, and why not; sends nothing')
    .option('--body <bytes>', 'the body as it came: @file, @- (standard input) or text')
    .option('--header <line>', "'Name: value', or @file with one a line (repeatable)", each)
    .option('--at <time>', 'when it came, as far as time-stamps go: ISO 8601, Unix seconds or 10m; default: now')
    .action((name: string, options: VerifyOptions) => run(async (cli) => (await import('./verify.ts')).webhookVerify(name, options, cli)))
}
