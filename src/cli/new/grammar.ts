/** The `new` command: its argument and options. */

import type { Command } from 'commander'
import { each, list, type Run } from '../shell/grammar-values.ts'
import type { NewOptions } from './new.ts'

export const addNew = (command: Command, run: Run): void => {
  command
    .description('write a new route into config.yaml')
    .option('--like <sample|event>', 'begin with what such a request needs: the name of a sample, or the id of a recorded event')
    .option('--from <sender|@file>', 'a sender by its name, as stripe, or settings of a route as JSON or YAML')
    .option('--events <list>', 'event types to accept (comma or repeated)', list)
    .option('--filter <condition>', 'condition as JSON, YAML or @file (repeatable)', each)
    .option('--prompt <template>', 'prompt or message: text, @file or @-')
    .option('--deliver <target>', 'where the reply goes: http, github_comment, telegram … (targets list)')
    .option('--deliver-extra <key=value>', 'a setting of the target (repeatable)', each)
    .option('--deliver-chat-id <id>', 'chat to deliver to')
    .option('--deliver-only', 'no agent: the prompt is the message')
    .option('--description <text>', 'a note for people')
    .option('--profile <name>', 'bind it to a profile')
    .option('--dry-run', 'show what would be written, write nothing')
    .action((name: string, options: NewOptions) => run(async (cli) => (await import('./new.ts')).newRoute(name, options, cli)))
}
