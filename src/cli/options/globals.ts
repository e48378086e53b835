/** The options that every command has, before or after its name, and the `Cli` (what each command gets) that these options choose. */

import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { Option } from 'commander'
import { quoted } from '../../core/text.ts'
import type { CliCommand } from '../shell/cli-command.ts'
import type { Io } from '../shell/io.ts'
import type { Cli } from '../shell/output.ts'

export type Globals = {
  readonly dataDir?: string
  readonly json?: boolean
  readonly jsonata?: string
  readonly color?: 'auto' | 'always' | 'never'
  readonly quiet?: boolean
  readonly verbose?: boolean
  /** `false` for `--no-input`. */
  readonly input?: boolean
  readonly yes?: boolean
}

export const addGlobals = (program: CliCommand): CliCommand =>
  program
    .option('--data-dir <folder>', 'where files are; default: $HEADGATE_HOME, else ~/.headgate')
    .option('--json', 'one JSON document on stdout')
    .option('--jsonata <expression>', 'the result of this JSONata expression over the data of --json')
    .addOption(new Option('--color <when>', 'colour').choices(['auto', 'always', 'never']).default('auto'))
    .option('-q, --quiet', 'print nothing besides the answer')
    .option('-v, --verbose', 'print more: the data directory, the debug log, and where an unforeseen error comes from')
    .option('--no-input', 'ask nothing, as where there is no terminal')
    // `--yes` works before the name of any command. Help shows it only at the commands that ask, which declare `--yes` themselves.
    .addOption(new Option('-y, --yes', 'do not ask').hideHelp())
    .hook('preAction', (_, command) => {
      if (program.opts<Globals>().yes) command.setOptionValue('yes', true)
    })

/** Returns an Io whose colour is what `--color` says, and which can ask nothing with `--no-input`. */
export const wantedIo = (io: Io, { color, input }: Globals): Io => {
  const { ask, askSecret, edit, terminal, ...silent } = io
  const colour = color === 'always' || (color !== 'never' && io.colour)
  return {
    ...silent,
    colour,
    ...(input === false
      ? {}
      : { ...(ask ? { ask } : {}), ...(askSecret ? { askSecret } : {}), ...(edit ? { edit } : {}), ...(terminal ? { terminal } : {}) }),
  }
}

/** Returns the `Cli` that the values of the options mean. */
export const cliOf = (globals: Globals, io: Io): Cli => {
  const { dataDir, json = false, jsonata, quiet = false, verbose = false } = globals
  return {
    io: wantedIo(io, globals),
    workspace: {
      dataDir: dataDirOf(dataDir, io.env),
      env: io.env,
      configFile: configFileOf(io.env),
      self: dataDir === undefined ? 'headgate' : `headgate --data-dir ${quoted(dataDir)}`,
    },
    asked: dataDir !== undefined || Boolean(io.env.HEADGATE_HOME),
    json: json || jsonata !== undefined,
    quiet,
    verbose,
  }
}

/** Returns the absolute path of the file that HEADGATE_CONFIG names; `undefined` where it names none. */
export const configFileOf = ({ HEADGATE_CONFIG: file }: Io['env']): string | undefined => (file ? resolve(file) : undefined)

/** Returns the absolute path of the data directory: of `--data-dir` (`asked`), else of HEADGATE_HOME, else `~/.headgate`. */
export const dataDirOf = (asked: string | undefined, env: Io['env']): string =>
  resolve(asked ?? (env.HEADGATE_HOME || join(env.HOME || homedir(), '.headgate')))
