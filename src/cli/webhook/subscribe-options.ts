/**
 * Turns the options of `webhook subscribe` and `new` into the input for a route. `readTargetSettings` serves every command whose options
 * give settings of a target.
 */

import { isOfKind, type KindOfData } from '../../config/file-kind.ts'
import { definition } from '../../config/schema-walk.ts'
import { usage } from '../../core/fault.ts'
import { isObject, type Json, type JsonObject } from '../../core/json.ts'
import type { SubscriptionInput } from '../../datadir/subscription-record.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import { routeOfSender } from '../../dryrun/requests/sender-route.ts'
import { routeLike } from '../../edit/route-like.ts'
import type { RouteOptions } from '../options/route.ts'
import { parseData, readSecret, readTextOption } from '../shell/input.ts'
import type { Io } from '../shell/io.ts'
import type { Cli } from '../shell/output.ts'

export type SubscribeOptions = RouteOptions & {
  readonly routeProfile?: string
  readonly cronJob?: string
  readonly mirrorToSession?: boolean
  readonly agent?: string
  readonly skills?: readonly string[]
  readonly script?: string
  readonly coalesceKey?: string
  readonly secret?: string
  readonly secretFile?: string
  readonly secretStdin?: boolean
  readonly rotate?: boolean
  readonly replace?: boolean
  readonly dryRun?: boolean
  readonly print?: 'secret' | 'url' | 'curl' | 'yaml'
}

/**
 * Returns what the options say about a subscription. Reads the files and the standard input that options name. Throws a usage Fault for
 * options that contradict each other or cannot be read.
 */
export const readSubscriptionInput = async (
  options: SubscribeOptions,
  { io, workspace }: Pick<Cli, 'io' | 'workspace'>,
): Promise<SubscriptionInput> => {
  const secret = await readSecret(options, io)
  if (secret !== undefined && options.rotate) throw usage('--rotate makes a secret: do not give one')
  if (options.from !== undefined && options.like !== undefined)
    throw usage('--from and --like both say what to begin with: give one of them')
  if (options.dryRun && options.print === 'secret') throw usage('--dry-run makes no secret to print')
  return {
    secret,
    rotate: options.rotate === true,
    replace: options.replace === true,
    from: await initialSettings(options, io, workspace),
    fields: {
      description: options.description,
      events: options.events,
      prompt: options.prompt === undefined ? undefined : await readTextOption('--prompt', options.prompt, io),
      agent: options.agent,
      skills: options.skills,
      deliver: options.deliver,
      profile: options.routeProfile,
      deliver_only: options.deliverOnly,
      mirror_to_session: options.mirrorToSession,
      cron_job: options.cronJob,
      script: options.script,
      filters: options.filter && (await readFilters(options.filter, io)),
      deliver_extra: readTargetSettings(options),
      coalesce: options.coalesceKey === undefined ? undefined : { key: options.coalesceKey },
    },
  }
}

/**
 * Returns the settings that the subscription begins with: the settings of `--from`, or settings that fit a sample or an event (`--like`);
 * `undefined` without these options.
 */
const initialSettings = async ({ from, like }: SubscribeOptions, io: Io, workspace: Workspace): Promise<JsonObject | undefined> => {
  if (like !== undefined) return routeLike(workspace, like)
  return from === undefined ? undefined : readFrom(from, io)
}

const routeKind: KindOfData = { called: 'route', schema: definition('Route') }
const { 'x-operators': operators, 'x-on-items': onItems, 'x-groups': groups } = definition('Condition')
const conditionKind: KindOfData = {
  called: 'condition',
  schema: definition('Condition'),
  others: ['field', ...(operators as string[]), ...(onItems as string[]), ...(groups as string[])],
}

/** Returns the settings that `--from` means: the settings for a sender with this name, or settings as JSON or YAML. */
const readFrom = async (text: string, io: Io): Promise<JsonObject> => {
  const sender = routeOfSender(text)
  if (sender) return sender
  const data = parseData('--from', await readTextOption('--from', text, io), { value: text, of: routeKind })
  if (isObject(data)) return data
  throw usage('--from: not a map of settings', 'name a sender (docs/senders.md), or a file with an @ before it: --from @route.yaml')
}

/** Returns the conditions of the texts. Each text is one condition or a list of conditions. Throws a usage Fault for any other text. */
const readFilters = async (texts: readonly string[], io: Io): Promise<Json[]> => {
  const filters: Json[] = []
  for (const text of texts) {
    const given = [parseData('--filter', await readTextOption('--filter', text, io))].flat()
    if (text.startsWith('@') && !given.every((each) => isOfKind(conditionKind, each)))
      throw usage(`--filter: ${text.slice(1)} is no condition: nothing of it is shown`)
    filters.push(...given)
  }
  if (filters.every(isObject)) return filters
  throw usage('--filter: not a condition', "write it as a map: --filter '{ field: action, equals: opened }'")
}

/** Returns the settings of the target (`deliver_extra`) that the options give; `undefined` when they give none. */
export const readTargetSettings = (
  { deliverExtra = [], deliverChatId }: Pick<SubscribeOptions, 'deliverExtra' | 'deliverChatId'>,
  option = '--deliver-extra',
): JsonObject | undefined => {
  const pairs = deliverExtra.map((pair): [string, Json] => {
    const at = pair.indexOf('=')
    if (at < 1) throw usage(`${option} ${pair}: not of the form key=value`)
    return [pair.slice(0, at), pair.slice(at + 1)]
  })
  if (deliverChatId !== undefined) pairs.push(['chat_id', deliverChatId])
  return pairs.length > 0 ? Object.fromEntries(pairs) : undefined
}
