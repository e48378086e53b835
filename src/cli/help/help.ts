/**
 * `help [command...]`: prints the arguments and options of a command. With `--json`, prints the grammar of the command and of all commands
 * below it as data.
 */

import type { Argument, Command, Option } from 'commander'
import { exit, Fault } from '../../core/fault.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { notesOf } from '../shell/cli-command.ts'
import { answer, type Cli } from '../shell/output.ts'
import { exitCodes } from './exit-codes.ts'
import { commandPath, shownCommands, suggestCommands } from './suggest.ts'

/** Prints the help of the command that the words name; of the program, if there are none. Throws a Fault for an unknown command. */
export const help = async (program: Command, words: readonly string[], cli: Cli): Promise<number> => {
  const command = words.reduce(childOf, program)
  if (!cli.json) return command.help()
  return answer(cli, { kind: 'help', data: { ...grammarOf(command), exit_codes: exitCodes.map((each) => ({ ...each })) }, text: '' })
}

const childOf = (parent: Command, word: string): Command => {
  const child = shownCommands(parent).find((each) => each.name() === word || each.aliases().includes(word))
  if (child) return child
  const more = { exitCode: exit.notFound, suggest: suggestCommands(word, parent), hint: 'headgate --help' }
  throw new Fault('not_found', `no command '${`${commandPath(parent)} ${word}`.trim()}'`, more)
}

const grammarOf = (command: Command): JsonObject => ({
  name: command.name(),
  path: commandPath(command),
  aliases: [...command.aliases()],
  description: command.description(),
  arguments: command.registeredArguments.map(argumentOf),
  options: command.options.filter(({ hidden }) => !hidden).map(optionOf),
  examples: notesOf(command).examples.map((line) => `headgate ${line}`),
  commands: shownCommands(command).map(grammarOf),
})

const argumentOf = (argument: Argument): JsonObject => ({
  name: argument.name(),
  description: argument.description,
  required: argument.required,
  variadic: argument.variadic,
  choices: argument.argChoices ? [...argument.argChoices] : null,
  default: (argument.defaultValue as Json | undefined) ?? null,
})

/** Returns an option as data. `value`: whether the option takes a value. `mandatory`: whether the command needs the option. */
const optionOf = (option: Option): JsonObject => ({
  long: option.long ?? null,
  short: option.short ?? null,
  description: option.description,
  value: option.required ? 'required' : option.optional ? 'optional' : 'none',
  value_name: /[<[](.+?)[>\]]/.exec(option.flags)?.[1] ?? null,
  mandatory: option.mandatory,
  choices: option.argChoices ? [...option.argChoices] : null,
  default: (option.defaultValue as Json | undefined) ?? null,
})
