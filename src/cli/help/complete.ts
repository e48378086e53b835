/** `__complete -- word...`: the candidates for the last word, one a line, each followed by a tab and its description. It never fails. */

import type { Command, Option } from 'commander'
import { type Candidate, readNames } from '../../app/completable-names.ts'
import { printable } from '../../core/text.ts'
import { dataDirOf } from '../options/globals.ts'
import { list } from '../shell/grammar-values.ts'
import type { Io } from '../shell/io.ts'
import { type Kind, kindOfArgument, kindOfOption } from './name-kinds.ts'
import { shownCommands } from './suggest.ts'

/** The candidate that makes the shell complete a file name by itself. */
const files: readonly Candidate[] = [{ value: ':files' }]

export const complete = async (program: Command, words: readonly string[], { stdout, env }: Pick<Io, 'stdout' | 'env'>): Promise<void> => {
  const found = await candidatesFor(program, words, env).catch(() => [])
  const lines = found.map(({ value, about }) => (about === undefined ? value : `${value}\t${printable(about, 100)}`))
  stdout(lines.map((line) => `${line}\n`).join(''))
}

const candidatesFor = async (program: Command, words: readonly string[], env: Io['env']): Promise<readonly Candidate[]> => {
  // bash splits words at "=" signs: `--format = json`.
  const folded = words.filter((word, i) => word !== '=' || i === words.length - 1)
  const last = folded.at(-1) ?? ''
  const current = last === '=' ? '' : last
  const line = readLine(program, folded.slice(0, -1))
  const dataDir = dataDirOf(line.dataDir, env)
  const look = (kind: Kind | undefined): Promise<readonly Candidate[]> =>
    kind === 'files' ? Promise.resolve(files) : kind === undefined ? Promise.resolve([]) : readNames(kind, dataDir)
  if (line.pending) return startingIn(line.pending, current, await optionValues(line.pending, look))
  const [, name, value] = /^(--[^=]+)=(.*)$/s.exec(current) ?? []
  if (name !== undefined && value !== undefined) {
    const option = line.options.find(({ long }) => long === name)
    const values = option ? startingIn(option, value, await optionValues(option, look)) : []
    return values.map((each) => (each.value.startsWith(':') ? each : { ...each, value: `${name}=${each.value}` }))
  }
  if (current.startsWith('-')) return starting(current, line.options.flatMap(asCandidate))
  const below = shownCommands(line.command).map((each) => ({ value: each.name(), about: each.description() }))
  const argument = line.command.registeredArguments[line.count] ?? line.command.registeredArguments.findLast(({ variadic }) => variadic)
  if (below.length > 0) return line.count === 0 ? starting(current, below) : []
  if (!argument) return []
  return starting(
    current,
    argument.argChoices?.map((choice) => ({ value: choice })) ?? (await look(kindOfArgument(line.command, argument))),
  )
}

const starting = (prefix: string, found: readonly Candidate[]): readonly Candidate[] =>
  found.filter(({ value }) => value.startsWith(prefix) || value === ':files')

/** Returns the candidates for the last item of a list. Items that the list has already are not offered again. */
const startingIn = (option: Option, current: string, found: readonly Candidate[]): readonly Candidate[] => {
  const [given = ''] = option.parseArg === list ? (/^(?:[^,]*,)*/.exec(current) ?? []) : []
  const before = given.split(',')
  return starting(current.slice(given.length), found)
    .filter(({ value }) => !before.includes(value))
    .map((each) => ({ ...each, value: `${given}${each.value}` }))
}

const optionValues = async (
  option: Option,
  look: (kind: Kind | undefined) => Promise<readonly Candidate[]>,
): Promise<readonly Candidate[]> => option.argChoices?.map((value) => ({ value })) ?? look(kindOfOption(option))

const asCandidate = ({ long, description }: Option): Candidate[] => (long ? [{ value: long, about: description }] : [])

type CommandLine = {
  /** The command that the words before the last one name. */
  readonly command: Command
  /** The number of arguments that the command has already. */
  readonly count: number
  /** The option whose value comes next; `undefined` where none is open. */
  readonly pending: Option | undefined
  /** The options that may follow. */
  readonly options: readonly Option[]
  readonly dataDir: string | undefined
}

const readLine = (program: Command, words: readonly string[]): CommandLine => {
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
