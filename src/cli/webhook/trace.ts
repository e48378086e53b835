/**
 * `webhook trace <name>`: takes one event through the stages of a route, and prints what each stage decides. Nothing is stored or sent;
 * only with `--run-scripts` the route's script runs, and only with `--ask` its lookups are asked and its lists fetched.
 */

import { exit, usage } from '../../core/fault.ts'
import { isObject, type JsonObject } from '../../core/json.ts'
import { isTakenOutcome } from '../../core/outcome-table.ts'
import { describeTrace } from '../../dryrun/trace/describe-trace.ts'
import { traceRoute } from '../../dryrun/trace/trace-route.ts'
import { parseData, readTextOption } from '../shell/input.ts'
import { answer, type Cli } from '../shell/output.ts'
import { paintWith } from '../shell/paint.ts'
import { traceText } from './trace-tree.ts'
import { type ContentOptions, tracedContent } from './traced-content.ts'

export type WebhookTraceOptions = ContentOptions & {
  readonly set?: readonly string[]
  readonly unset?: readonly string[]
  readonly scheme?: string
  readonly event?: string
  readonly query?: string
  readonly method?: string
  readonly runScripts?: boolean
  readonly lookups?: string
  readonly lists?: string
  readonly ask?: boolean
}

export const webhookTrace = async (name: string, options: WebhookTraceOptions, cli: Cli): Promise<number> => {
  const { event, query, method, scheme, set = [], unset = [], runScripts = false, ask = false } = options
  const isChanged = [event, query, method, scheme, options.set, options.unset].some((given) => given !== undefined)
  if (options.eventId !== undefined && isChanged) throw usage('--event-id stands alone: the event is taken as it was')
  if (ask && options.lookups !== undefined) throw usage('give one of --lookups and --ask')
  const lookups = ask ? 'ask' : await givenMap('--lookups', options.lookups, '{"pr":{"state":"open"}}', cli)
  const lists = await givenMap('--lists', options.lists, '{"maintainers":["ann"]}', cli)
  const { of, ...source } = await tracedContent(options, cli)
  const traced = await traceRoute(cli.workspace, name, { of, event, query, method, scheme, set, unset, runScripts, lookups, lists })
  return answer(cli, {
    kind: 'webhook.trace',
    data: { ...describeTrace(traced), payload: { from: source.from, name: source.name ?? null } },
    text: traceText(traced, source, paintWith(cli.io.colour)),
    exitCode: isTakenOutcome(traced.outcome) ? exit.ok : exit.no,
  })
}

/** Reads the map of an option; `undefined` where the option is not given. `example`: a value that the option takes. */
const givenMap = async (option: string, value: string | undefined, example: string, { io }: Cli): Promise<JsonObject | undefined> => {
  if (value === undefined) return undefined
  const given = parseData(option, await readTextOption(option, value, io))
  if (!isObject(given)) throw usage(`${option} is no map by names`, `for example ${option} '${example}'`)
  return given
}
