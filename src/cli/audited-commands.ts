/** The commands that change something, and their lines in the audit. */

import { existsSync } from 'node:fs'
import { userInfo } from 'node:os'
import type { Command } from 'commander'
import { systemClock } from '../core/clock.ts'
import { exit } from '../core/fault.ts'
import { isObject, type Json, type JsonObject } from '../core/json.ts'
import type { Audit } from '../features/audit/audit.ts'
import { commandPath } from './help/suggest.ts'
import { type Cli, warn } from './shell/output.ts'

type Options = { readonly [name: string]: unknown }

/**
 * `action`: the name of the change in the audit. `when`: whether the command changes something with these options; absent where the command
 * always does.
 */
type Change = { readonly action: string; readonly when?: (options: Options) => boolean }

const unlessDry = ({ dryRun }: Options): boolean => dryRun !== true

/** Every command that changes files, the store or the running gateway. Commands that only send a message or an event are not among them. */
const changes: { readonly [path: string]: Change } = {
  'gateway setup': { action: 'setup' },
  'gateway reload': { action: 'reload', when: unlessDry },
  'gateway stop': { action: 'stop' },
  'webhook subscribe': { action: 'subscribe', when: unlessDry },
  'webhook edit': { action: 'edit_subscription' },
  'webhook secret': { action: 'rotate_secret', when: ({ rotate }) => rotate === true },
  'webhook remove': { action: 'remove_subscription' },
  'webhook enable': { action: 'enable_subscription' },
  'webhook disable': { action: 'disable_subscription' },
  'webhook pause': { action: 'pause_route' },
  'webhook resume': { action: 'resume_route' },
  'events cancel': { action: 'cancel' },
  'events retry': { action: 'retry', when: unlessDry },
  'events replay': { action: 'replay', when: unlessDry },
  'events catch-up': { action: 'catch_up', when: unlessDry },
  'events erase': { action: 'erase', when: unlessDry },
  'cron create': { action: 'create_job' },
  'cron run': { action: 'start_job' },
  'cron pause': { action: 'pause_job' },
  'cron resume': { action: 'resume_job' },
  'cron remove': { action: 'remove_job' },
  'targets reset': { action: 'reset_breaker' },
  'alerts silence': { action: 'silence' },
  'samples add': { action: 'add_sample' },
  'schema install': { action: 'install_schema' },
  backup: { action: 'backup' },
  restore: { action: 'restore', when: unlessDry },
  'storage move': { action: 'move_storage', when: unlessDry },
  'import adnanh': { action: 'import_routes', when: ({ into }) => into === true },
  'import hermes': { action: 'import_routes', when: ({ into }) => into === true },
  new: { action: 'new_route', when: unlessDry },
  validate: {
    action: 'fix_files',
    when: ({ fix, diff, writeBaseline }) => (fix !== undefined && diff !== true) || writeBaseline === true,
  },
}

/**
 * The options whose values name the subject of a command. Of all other options the audit has only the names, because the values may be
 * secrets or prompts.
 */
const noted: ReadonlySet<string> = new Set([
  ...['route', 'fromRoute', 'job', 'profile', 'since', 'until', 'outcome', 'state', 'deliveryId', 'limit', 'dead'],
  ...['force', 'all', 'for', 'end', 'to', 'sameId', 'edit', 'rotate', 'replace'],
])

const maxIds = 100

/** Runs the action of a command. Where the command changes something, the audit gets its lines. */
export const auditedCommand = async (command: Command, cli: Cli, action: (cli: Cli) => Promise<number>): Promise<number> => {
  const change = Object.hasOwn(changes, commandPath(command)) ? changes[commandPath(command)] : undefined
  const options = command.opts<Options>()
  if (!change || change.when?.(options) === false) return action(cli)
  let summary: Json | undefined
  const told = (data: Json): void => {
    if (isObject(data)) summary = data.summary
  }
  const about = { by: commandUser(cli.io.env), action: change.action, on: { ...argumentsOf(command), ...optionsOf(options) } }
  const audited = async (work: () => Promise<number>): Promise<number> =>
    (await openCommandAudit(cli)).of(about, work, (code) => ({
      ...(code === exit.ok ? {} : { result: 'failed', exit_code: code }),
      ...(isObject(summary) ? summary : {}),
    }))
  const { dataDir } = cli.workspace
  if (existsSync(dataDir)) return audited(() => action({ ...cli, told }))
  const code = await action({ ...cli, told })
  // The folder of the audit is in the data directory, which the command may have made.
  return existsSync(dataDir) ? audited(async () => code) : code
}

/**
 * Opens the audit for a command. A line that cannot be written leads to a warning, and the command goes on: a user who may run the command
 * can also change the files by hand, and a full disk must not keep a gateway from being stopped.
 */
export const openCommandAudit = async ({ workspace, io, json }: Cli): Promise<Audit> => {
  const { openAudit } = await import('../features/audit/audit.ts')
  let isTold = false
  return openAudit(workspace.dataDir, systemClock, (why) => {
    if (!isTold && !json) warn({ io }, { code: 'audit', message: `the audit has no line of this: ${why}` })
    isTold = true
  })
}

/** Returns the audit's name for the user of the system who runs a command. With `sudo`, the name includes the user who called `sudo`. */
export const commandUser = ({ SUDO_USER: caller }: Cli['io']['env']): string =>
  `command:${userName()}${process.getuid?.() === 0 && caller ? ` (for ${caller})` : ''}`

const userName = (): string => {
  try {
    return userInfo().username
  } catch {
    // A container may run under an id that has no name.
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}

const argumentsOf = (command: Command): JsonObject =>
  Object.fromEntries(
    command.registeredArguments.flatMap((argument, i): [string, Json][] => {
      const value: unknown = command.processedArgs[i]
      if (Array.isArray(value))
        return value.length > 0
          ? [
              [argument.name(), value.slice(0, maxIds)],
              ['count', value.length],
            ]
          : []
      return typeof value === 'string' ? [[argument.name(), value]] : []
    }),
  )

const optionsOf = (options: Options): JsonObject => {
  const given = Object.entries(options).filter(([, value]) => value !== undefined && value !== false)
  const others = given.flatMap(([name]) => (noted.has(name) || name === 'yes' ? [] : [name]))
  const known = given.filter(([name]) => noted.has(name))
  return { ...(Object.fromEntries(known) as JsonObject), ...(others.length > 0 ? { options: others } : {}) }
}
