/** The command line: arguments in, exit code out. Every failure is printed as one message, never as a stack. */

import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { Command, CommanderError, Option } from 'commander'
import { quoted } from '../../app/routes/curl.ts'
import { exit, Fault, messageOf } from '../../core/fault.ts'
import { addCommands } from './grammar.ts'
import type { Io } from './io.ts'
import { type Cli, printFault } from './output.ts'
import { version } from './version.ts'

type Globals = {
  readonly dataDir?: string
  readonly json?: boolean
  readonly color?: 'auto' | 'always' | 'never'
  readonly quiet?: boolean
}

const shortHelp = `headgate: a declarative pipeline engine for inbound webhooks

  headgate gateway setup --yes                              enable the adapter, make a secret
  headgate gateway run                                      run the gateway
  headgate webhook subscribe hello --prompt 'Hello {name}'  make a route, get its URL and secret
  headgate webhook test hello --payload '{"name":"Ada"}'    post a signed event to it

headgate --help lists all commands.
`

/** Runs one command line and gives its exit code. `argv` is without node and script. */
export const runCli = async (argv: readonly string[], io: Io): Promise<number> => {
  const said = { out: '', err: '' }
  let exitCode: number = exit.ok
  const program = newProgram(said)
  addCommands(program, async (action) => {
    exitCode = await action(contextOf(program.opts<Globals>(), io))
  })
  try {
    await program.parseAsync([...argv], { from: 'user' })
    return exitCode
  } catch (error) {
    const { color, json } = program.opts<Globals>()
    const shownIo = withColour(io, color)
    if (error instanceof CommanderError) return endOf(error, program, said, shownIo, json === true || argv.includes('--json'))
    if (io.env.HEADGATE_DEBUG === '1' && error instanceof Error) io.stderr(`${error.stack}\n`)
    const fault = error instanceof Fault ? error : new Fault('internal', messageOf(error).split('\n')[0] ?? '', { exitCode: exit.internal })
    printFault(fault, shownIo, json === true)
    return fault.exitCode
  }
}

const newProgram = (said: { out: string; err: string }): Command =>
  new Command('headgate')
    .description('a declarative pipeline engine for inbound webhooks')
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => {
        said.out += text
      },
      writeErr: (text) => {
        said.err += text
      },
    })
    .option('--data-dir <folder>', 'where files are; default: $HEADGATE_HOME, else ~/.headgate')
    .option('--json', 'one JSON document on stdout')
    .addOption(new Option('--color <when>', 'colour').choices(['auto', 'always', 'never']).default('auto'))
    .option('-q, --quiet', 'no talk besides the answer')

const withColour = (io: Io, color: Globals['color']): Io => ({ ...io, colour: color === 'always' || (color !== 'never' && io.colour) })

const contextOf = ({ dataDir, json = false, quiet = false, color }: Globals, io: Io): Cli => ({
  io: withColour(io, color),
  workspace: {
    dataDir: resolve(dataDir ?? (io.env.HEADGATE_HOME || join(io.env.HOME || homedir(), '.headgate'))),
    env: io.env,
    self: dataDir === undefined ? 'headgate' : `headgate --data-dir ${quoted(dataDir)}`,
  },
  asked: dataDir !== undefined || Boolean(io.env.HEADGATE_HOME),
  json,
  quiet,
})

/** Ends what Commander ended: help and version with exit 0, anything else as a mistake in the command line. */
const endOf = (error: CommanderError, program: Command, said: { out: string; err: string }, io: Io, json: boolean): number => {
  if (error.exitCode === 0) {
    io.stdout(said.out)
    return exit.ok
  }
  if (error.code === 'commander.help') {
    if (program.args.length === 0) io.stdout(shortHelp)
    else io.stderr(said.err)
    return program.args.length === 0 ? exit.ok : exit.usage
  }
  const [sentence = '', ...rest] = error.message.replace(/^error: /, '').split('\n')
  const suggest = /\(Did you mean (?:one of )?(.+)\?\)/.exec(rest.join(' '))?.[1]?.split(', ') ?? []
  printFault(new Fault('usage', sentence, { exitCode: exit.usage, suggest, hint: 'headgate --help' }), io, json)
  return exit.usage
}
