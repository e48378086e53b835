/**
 * `__complete -- word...`, which the shell scripts of `completion` call: prints the candidates for the last word, one a line. A tab and a
 * description may follow a candidate. After any error, nothing is printed.
 */

import { join } from 'node:path'
import type { Command, Option } from 'commander'
import { printable } from '../../core/text.ts'
import { type Candidate, readNames } from '../../edit/completable-names.ts'
import { configFileOf, dataDirOf } from '../options/globals.ts'
import type { CompletedKind } from '../shell/cli-command.ts'
import { collectList } from '../shell/grammar-values.ts'
import type { Io } from '../shell/io.ts'
import { withServedFile } from '../shell/served-file.ts'
import { kindOfArgument, kindOfOption } from './name-kinds.ts'
import { shownCommands } from './suggest.ts'

/** The candidate that tells the script in the shell to complete the name of a file by itself. */
const filesCandidate: readonly Candidate[] = [{ value: ':files' }]

/** Prints the candidates. `program`: the grammar. `words`: the command line so far; its last word is completed, and may be empty. */
export const complete = async (program: Command, words: readonly string[], { stdout, env }: Pick<Io, 'stdout' | 'env'>): Promise<void> => {
  const found = await candidatesFor(program, words, env).catch(() => [])
  const lines = found.map(({ value, about }) => (about === undefined ? value : `${value}\t${printable(about, 100)}`))
  stdout(lines.map((line) => `${line}\n`).join(''))
}

const candidatesFor = async (program: Command, words: readonly string[], env: Io['env']): Promise<readonly Candidate[]> => {
  // bash splits words at "=" signs: `--format=json` comes as three words. So a "=" is left out, unless it is the last word.
  const folded = words.filter((word, i) => word !== '=' || i === words.length - 1)
  const last = folded.at(-1) ?? ''
  const current = last === '=' ? '' : last
  const line = readCommandLine(program, folded.slice(0, -1))
  const dataDir = dataDirOf(line.dataDir, env)
  const { configFile: config = join(dataDir, 'config.yaml') } = await withServedFile({
    dataDir,
    configFile: configFileOf(env),
    self: 'headgate',
  })
  const look = (kind: CompletedKind | undefined): Promise<readonly Candidate[]> =>
    kind === 'files' ? Promise.resolve(filesCandidate) : kind === undefined ? Promise.resolve([]) : readNames(kind, { dataDir, config })
  if (line.pending) return valuesStartingWith(line.pending, current, await optionValues(line.pending, look))
  const [, name, value] = /^(--[^=]+)=(.*)$/s.exec(current) ?? []
  if (name !== undefined && value !== undefined) {
    const option = line.options.find(({ long }) => long === name)
    const values = option ? valuesStartingWith(option, value, await optionValues(option, look)) : []
    return values.map((each) => (each.value.startsWith(':') ? each : { ...each, value: `${name}=${each.value}` }))
  }
  if (current.startsWith('-')) return startingWith(current, line.options.flatMap(asCandidate))
  const below = shownCommands(line.command).map((each) => ({ value: each.name(), about: each.description() }))
  const argument = line.command.registeredArguments[line.count] ?? line.command.registeredArguments.findLast(({ variadic }) => variadic)
  if (below.length > 0) return line.count === 0 ? startingWith(current, below) : []
  if (!argument) return []
  return startingWith(
    current,
    argument.argChoices?.map((choice) => ({ value: choice })) ?? (await look(kindOfArgument(line.command, argument))),
  )
}

const startingWith = (prefix: string, found: readonly Candidate[]): readonly Candidate[] =>
  found.filter(({ value }) => value.startsWith(prefix) || value === ':files')

/** Returns the candidates for the value of an option; of a list, for its last item, without the items that the list has already. */
const valuesStartingWith = (option: Option, current: string, found: readonly Candidate[]): readonly Candidate[] => {
  const [given = ''] = option.parseArg === collectList ? (/^(?:[^,]*,)*/.exec(current) ?? []) : []
  const before = given.split(',')
  return startingWith(current.slice(given.length), found)
    .filter(({ value }) => !before.includes(value))
    .map((each) => ({ ...each, value: `${given}${each.value}` }))
}

const optionValues = async (
  option: Option,
  look: (kind: CompletedKind | undefined) => Promise<readonly Candidate[]>,
): Promise<readonly Candidate[]> => option.argChoices?.map((value) => ({ value })) ?? look(kindOfOption(option))

const asCandidate = ({ long, description }: Option): Candidate[] => (long ? [{ value: long, about: description }] : [])

/** What the words before the last word mean. */
type CommandLine = {
  readonly command: Command
  /** The number of arguments that the command has already. */
  readonly count: number
  /** The option whose value is the last word; `undefined` where no option waits for a value. */
  readonly pending: Option | undefined
  /** The options that may follow. */
  readonly options: readonly Option[]
  readonly dataDir: string | undefined
}

const readCommandLine = (program: Command, words: readonly string[]): CommandLine => {
  let command = program
  let count = 0
  let pending: Option | undefined
  let dataDir: string | undefined
  for (const word of words) {
    if (pending) {
      if (pending.long === '--data-dir') dataDir = word
      pending = undefined
      continue
    }
    if (word.startsWith('-') && word !== '-') {
      const [flag = '', value] = word.split('=', 2)
      const option = optionsOf(command).find(({ long, short }) => long === flag || short === flag)
      if (value === undefined && option?.required) pending = option
      if (value !== undefined && flag === '--data-dir') dataDir = value
      continue
    }
    const child: Command | undefined = shownCommands(command).find((each) => each.name() === word || each.aliases().includes(word))
    if (child) command = child
    else count++
  }
  return { command, count, pending, options: optionsOf(command), dataDir }
}

const optionsOf = (command: Command): Option[] => [
  ...command.options.filter(({ hidden }) => !hidden),
  ...(command.parent ? optionsOf(command.parent) : []),
]
