/** The `events` commands: their arguments and options. */

import { Option } from 'commander'
import { type CliCommand, unlessDry } from '../shell/cli-command.ts'
import { collectList, collectRepeated, parseLimit, type RunCommand } from '../shell/grammar-values.ts'
import type { EventsCatchUpOptions } from './catch-up.ts'
import type { EraseOptions } from './erase.ts'
import type { ExportOptions } from './export.ts'
import type { EventsListOptions } from './list.ts'
import type { EventsReplayOptions } from './replay.ts'
import type { RetryOptions } from './retry.ts'
import type { EventsShowOptions } from './show.ts'

export const addEvents = (events: CliCommand, run: RunCommand): void => {
  withSelection(events.command('list'), '--route <name>')
    .description('list events, newest first')
    .examples(
      'events list --route hello --since 2h',
      'events list --outcome ignored',
      'events list --text "disk full"',
      'events list --field payload.action=opened',
      'events list --state dead --wide',
    )
    .option('--limit <number>', 'how many at most; default: 50', parseLimit)
    .option('--cursor <id>', 'go on after the event where the page before ended')
    .option('--wide', 'more columns, whole ids and errors')
    .option('--follow', 'go on with new events, and with the ends of their runs; Ctrl-C ends it')
    .action((options: EventsListOptions) => run(async (cli) => (await import('./list.ts')).eventsList(options, cli)))
  events
    .command('show <id>')
    .description('show one event: its error, its prompt, its reply, and the headers that it came with')
    .examples('events show <id>', 'events show <id> --body', 'events show <id> --raw > body.json')
    .option('--body', 'its body too, laid out where it is JSON')
    .option('--raw', 'write the bytes of the body and nothing else')
    .action((id: string, options: EventsShowOptions) => run(async (cli) => (await import('./show.ts')).eventsShow(id, options, cli)))
  withBulk(withTimes(events.command('retry [ids...]').option('--route <name>', 'events of this route')))
    .description('start dead runs again: the same stored work')
    .examples('events retry <id>', 'events retry --dead --dry-run')
    .changes('retry', unlessDry)
    .option('--dead', 'all dead runs')
    .action((ids: string[], options: RetryOptions) => run(async (cli) => (await import('./retry.ts')).eventsRetry(ids, options, cli)))
  events
    .command('cancel <ids...>')
    .description('end runs that wait or are under way: their agents are stopped, and nothing is delivered')
    .examples('events cancel <id>')
    .changes('cancel')
    .action((ids: string[]) => run(async (cli) => (await import('./cancel.ts')).eventsCancel(ids, cli)))
  withBulk(withSelection(events.command('replay [ids...]'), '--from-route <name>'))
    .description('send stored requests through the present configuration, as new events')
    .examples('events replay <id>', 'events replay <id> --edit', 'events replay --from-route hello --since 1d --dry-run')
    .changes('replay', unlessDry)
    .option('--route <name>', 'send them through this route instead of their own')
    .option('--same-id', 'keep the delivery id: targets that had the event within the hour do not get it again')
    .option('--edit', 'open the payload of one event in $VISUAL or $EDITOR before it is sent')
    .action((ids: string[], options: EventsReplayOptions) =>
      run(async (cli) => (await import('./replay.ts')).eventsReplay(ids, options, cli)),
    )
  events
    .command('catch-up [route]')
    .description('let senders send again what did not come, by their own logs: of one route, or of all with catch_up')
    .examples('events catch-up --dry-run', 'events catch-up hello --since 2d')
    .changes('catch_up', unlessDry)
    .option('--since <time>', 'how far to look back: 90s, 10m, 2h, 3d or an ISO 8601 time; default: to where the last one began')
    .option('--dry-run', 'say what would be asked for, and ask for nothing')
    .action((route: string | undefined, options: EventsCatchUpOptions) =>
      run(async (cli) => (await import('./catch-up.ts')).eventsCatchUp(route, options, cli)),
    )
  addErase(events, run)
  addExport(events, run)
}

const addErase = (events: CliCommand, run: RunCommand): void => {
  events
    .command('erase [ids...]')
    .description('erase events wherever the gateway keeps them: runs, records, requests, prompts, replies, messages of sessions')
    .examples('events erase --field payload.user.email=ada@example.org --dry-run', 'events erase <id> --yes')
    .changes('erase', unlessDry)
    .option(
      '--field <path=value>',
      'events with this value in the payload or a header: payload.user.email=a@b (repeatable)',
      collectRepeated,
    )
    .option('--route <name>', 'of this route')
    .option('--profile <name>', 'of this profile')
    .option('--since <time>', 'not older: 90s, 10m, 2h, 3d or an ISO 8601 time')
    .option('--until <time>', 'older than this')
    .option('--dry-run', 'count them, and erase nothing')
    .option('-y, --yes', 'do not ask')
    .action((ids: string[], options: EraseOptions) => run(async (cli) => (await import('./erase.ts')).eventsErase(ids, options, cli)))
}

const addExport = (events: CliCommand, run: RunCommand): void => {
  withSelection(events.command('export [ids...]'), '--route <name>')
    .description('write stored events to stdout')
    .examples('events export <id> --as curl', 'events export --route hello --as jsonl')
    .addOption(new Option('--as <form>', 'default: sample').choices(['sample', 'test', 'curl', 'jsonl']))
    .option('--limit <number>', 'how many at most; default: 1000', parseLimit)
    .action((ids: string[], options: ExportOptions) => run(async (cli) => (await import('./export.ts')).eventsExport(ids, options, cli)))
}

const withSelection = (command: CliCommand, route: string): CliCommand =>
  withTimes(
    command
      .option(route, 'events of this route')
      .option('--outcome <list>', 'answered so: accepted, ignored, ignored:filters, duplicate, ...', collectList)
      .option('--delivery-id <id>', 'with this delivery id')
      .option('--text <words>', 'with these words in the record, the request, a prompt or a reply, in any case')
      .option('--field <path=value>', 'with this value in the payload or a header: payload.action=opened (repeatable)', collectRepeated)
      .option('--state <list>', 'final, waiting, running, done, dead, cancelled, expired, stale, merged or unknown', collectList),
  )

const withTimes = (command: CliCommand): CliCommand =>
  command
    .option('--since <time>', 'not older: 90s, 10m, 2h, 3d or an ISO 8601 time')
    .option('--until <time>', 'older than this')
    .option('--job <id>', 'of this scheduled job')
    .option('--profile <name>', 'of this profile')

const withBulk = (command: CliCommand): CliCommand =>
  command
    .option('--limit <number>', 'how many at most, the newest; default: 1000', parseLimit)
    .option('--dry-run', 'say what would start, and start nothing')
    .option('-y, --yes', 'do not ask')
