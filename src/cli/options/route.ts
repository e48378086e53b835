/** The options of a route that `new` and `webhook subscribe` share. */

import type { CliCommand } from '../shell/cli-command.ts'
import { collectList, collectRepeated } from '../shell/grammar-values.ts'

export type RouteOptions = {
  readonly events?: readonly string[]
  readonly filter?: readonly string[]
  readonly prompt?: string
  readonly deliver?: string
  readonly deliverExtra?: readonly string[]
  readonly deliverChatId?: string
  readonly deliverOnly?: boolean
  readonly description?: string
  readonly from?: string
  readonly like?: string
}

export const withRouteOptions = (command: CliCommand): CliCommand =>
  command
    .option('--like <sample|event>', 'begin with a route for such a request: the name of a sample, or the id of a recorded event')
    .option(
      '--from <sender|@file>',
      'a sender by its name, as stripe, or settings of a route as JSON or YAML; the other options go over them',
    )
    .option('--events <list>', 'event types to accept (comma or repeated)', collectList)
    .option('--filter <condition>', 'condition as JSON, YAML or @file (repeatable)', collectRepeated)
    .option('--prompt <template>', 'prompt or message: text, @file or @-')
    .option('--deliver <target>', 'where the reply goes: http, github_comment, telegram … (targets list)')
    .option('--deliver-extra <key=value>', 'a setting of the target (repeatable)', collectRepeated)
    .option('--deliver-chat-id <id>', 'chat to deliver to')
    .option('--deliver-only', 'no agent: the prompt is the message')
    .option('--description <text>', 'a note for people')
