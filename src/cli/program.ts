/**
 * Runs a command line: arguments in, exit code out. Every failure is printed as one message. The stack of a mistake of this program is
 * printed besides only with `--verbose` or HEADGATE_DEBUG=1.
 */

import { type Command, CommanderError, Help } from 'commander'
import { exit, Fault, messageOf, StoreFault } from '../core/fault.ts'
import { version } from '../datadir/version.ts'
import { auditedCommand } from './audited-commands.ts'
import { addCommands } from './grammar.ts'
import { explainTree } from './help/explain-tree.ts'
import { commandPath, rewordChoiceError, suggestCommands, suggestOptions } from './help/suggest.ts'
import { addGlobals, cliOf, type Globals, wantedIo } from './options/globals.ts'
import { openQuery } from './options/query.ts'
import { CliCommand } from './shell/cli-command.ts'
import type { RunCommand } from './shell/grammar-values.ts'
import type { Io } from './shell/io.ts'
import { type Cli, hiderOf, note, printFault } from './shell/output.ts'
import { withServedFile } from './shell/served-file.ts'

const shortHelp = `headgate: a declarative pipeline engine for inbound webhooks

  headgate gateway setup --yes                              enable the adapter, make a secret
  headgate gateway run                                      run the gateway
  headgate webhook subscribe hello --prompt 'Hello {name}'  make a route, get its URL and secret
  headgate webhook test hello --payload '{"name":"Ada"}'    post a signed event to it

headgate --help lists all commands, headgate doctor says what is amiss.
`

/** Runs one command line and returns its exit code. `argv` does not contain node and the script. */
export const runCli = async (argv: readonly string[], io: Io): Promise<number> => {
  if (argv[0] === '__complete') return printCandidates(argv.slice(argv[1] === '--' ? 2 : 1), io)
  const written: CommanderOutput = { out: '', err: '' }
  let exitCode: number = exit.ok
  let running: Command | undefined
  let begun: Cli | undefined
  const program = newProgram(written, async (action) => {
    const globals = program.opts<Globals>()
    const asked = cliOf(globals, io)
    const cli = { ...asked, workspace: await withServedFile(asked.workspace) }
    begun = cli
    if (cli.verbose) note(cli, `data directory: ${cli.workspace.dataDir}`)
    const query = globals.jsonata === undefined ? undefined : await openQuery(globals.jsonata, cli.io)
    const used = query ? { ...cli, io: query.io } : cli
    exitCode = running ? await auditedCommand(running, used, action) : await action(used)
    await query?.finish()
  }).hook('preAction', (_, command) => {
    running = command
  })
  try {
    await program.parseAsync([...argv], { from: 'user' })
    return exitCode
  } catch (error) {
    const globals = program.opts<Globals>()
    const shownIo = wantedIo(io, globals)
    const json = globals.json === true || globals.jsonata !== undefined || argv.includes('--json')
    if (error instanceof CommanderError) return printCommanderEnd(error, written, shownIo, json)
    const wantsStack = globals.verbose === true || io.env.HEADGATE_DEBUG === '1'
    // A Fault with the exit code for internal errors may wrap a mistake of this program. The stack of that mistake is the one to print.
    const mistake = error instanceof Fault && error.exitCode === exit.internal ? error.cause : error
    const fault = asFault(error)
    // A message about a mistake in the command line quotes only the command line. So no configuration has to be read to hide its secrets.
    const hide = begun && fault.exitCode !== exit.usage ? await hiderOf(begun) : (text: string) => text
    if (wantsStack && mistake instanceof Error && !(mistake instanceof Fault)) io.stderr(`${hide(mistake.stack ?? '')}\n`)
    printFault(fault.reworded(hide), shownIo, json)
    return fault.exitCode
  }
}

const asFault = (error: unknown): Fault => {
  if (error instanceof Fault) return error
  const [message = ''] = messageOf(error).split('\n')
  return error instanceof StoreFault
    ? new Fault('store_unreachable', message, { exitCode: exit.unreachable })
    : new Fault('internal', message, { exitCode: exit.internal })
}

/**
 * Answers the shell scripts that `completion` prints. The words are the command line that the user types, and no arguments of this call.
 */
const printCandidates = async (words: readonly string[], io: Io): Promise<number> => {
  const { complete } = await import('./help/complete.ts')
  await complete(grammarOnly(), words, io)
  return exit.ok
}

/** Returns the whole grammar for reading: its commands do nothing. */
export const grammarOnly = (): Command => newProgram({ out: '', err: '' }, async () => {})

/** The texts that Commander (the parser) would write. `failed`: the command at which it found a mistake. */
type CommanderOutput = { out: string; err: string; failed?: Command }

/** Puts the commands of a group before its options: who asks for the help of a group looks for a command. */
const commandsFirst = (help: string): string => {
  const sections = help.split(/\n\n(?=[A-Z][A-Za-z ]*:\n)/)
  const isCommands = (section: string): boolean => section.startsWith('Commands:')
  const [usage = '', ...rest] = sections.map((section) => section.trimEnd())
  return `${[usage, ...rest.filter(isCommands), ...rest.filter((section) => !isCommands(section))].join('\n\n')}\n`
}

const newProgram = (written: CommanderOutput, run: RunCommand): CliCommand => {
  const program = addGlobals(new CliCommand('headgate'))
    .description('a declarative pipeline engine for inbound webhooks')
    .version(version)
    .showSuggestionAfterError(false)
    .configureHelp({ showGlobalOptions: true, formatHelp: (command, helper) => commandsFirst(new Help().formatHelp(command, helper)) })
    .configureOutput({
      writeOut: (text) => {
        written.out += text
      },
      writeErr: (text) => {
        written.err += text
      },
    })
  addCommands(program, run)
  explainTree(program, (command) =>
    command.exitOverride((error) => {
      written.failed ??= command
      throw error
    }),
  )
  return program
}

/**
 * Prints what Commander wanted to say when it ended the call, and returns the exit code: 0 after help, after the version, and without
 * `--json` where no command and no noun was given; 2 after a mistake in the command line, such as a noun without a command.
 */
const printCommanderEnd = (error: CommanderError, written: CommanderOutput, io: Io, json: boolean): number => {
  if (error.exitCode === 0) {
    io.stdout(written.out)
    return exit.ok
  }
  const { failed } = written
  if (error.code === 'commander.help' && !json) {
    if (failed?.parent) io.stderr(written.err)
    else io.stdout(shortHelp)
    return failed?.parent ? exit.usage : exit.ok
  }
  printFault(mistakeFault(error, failed), io, json)
  return exit.usage
}

/** Returns a mistake in the command line as a Fault, with the commands, options or values that may have been meant. */
const mistakeFault = (error: CommanderError, failed: Command | undefined): Fault => {
  const path = failed ? commandPath(failed) : ''
  const hint = ['headgate', ...(path === '' ? [] : [path]), '--help'].join(' ')
  if (error.code === 'commander.help') return new Fault('usage', 'which command?', { exitCode: exit.usage, hint })
  const [sentence = ''] = error.message.replace(/^error: /, '').split('\n')
  const choice = rewordChoiceError(sentence)
  if (choice) return new Fault('usage', choice.message, { exitCode: exit.usage, suggest: choice.suggest, hint })
  const [, word = ''] = /'(.*)'/s.exec(sentence) ?? []
  const suggest =
    failed && error.code === 'commander.unknownCommand'
      ? suggestCommands(word, failed)
      : failed && error.code === 'commander.unknownOption'
        ? suggestOptions(word, failed)
        : []
  return new Fault('usage', sentence, { exitCode: exit.usage, suggest, hint })
}
