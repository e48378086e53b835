/** Writes the lines of the audit about the commands that change something. */

import { existsSync } from 'node:fs'
import { userInfo } from 'node:os'
import type { Command } from 'commander'
import { systemClock } from '../core/clock.ts'
import { exit } from '../core/fault.ts'
import { isObject, type Json, type JsonObject } from '../core/json.ts'
import type { Audit } from '../features/audit/audit.ts'
import { notesOf, type OptionValues } from './shell/cli-command.ts'
import { type Cli, warn } from './shell/output.ts'

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
  const { change } = notesOf(command)
  const options = command.opts<OptionValues>()
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
  let hasWarned = false
  return openAudit(workspace.dataDir, systemClock, (why) => {
    if (!hasWarned && !json) warn({ io }, { code: 'audit', message: `the audit has no line of this: ${why}` })
    hasWarned = true
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

const optionsOf = (options: OptionValues): JsonObject => {
  const given = Object.entries(options).filter(([, value]) => value !== undefined && value !== false)
  const others = given.flatMap(([name]) => (noted.has(name) || name === 'yes' ? [] : [name]))
  const known = given.filter(([name]) => noted.has(name))
  return { ...(Object.fromEntries(known) as JsonObject), ...(others.length > 0 ? { options: others } : {}) }
}
