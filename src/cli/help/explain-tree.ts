/** Adds examples to the help of every command, and the second names `ls` and `rm` to the commands `list` and `remove`. */

import type { Command } from 'commander'
import { notesOf } from '../shell/cli-command.ts'
import { commandPath } from './suggest.ts'

const secondNames: { readonly [name: string]: string } = { list: 'ls', remove: 'rm' }

/** Adds examples and second names to a command and to all commands below it. Calls `each` with all these commands, `command` first. */
export const explainTree = (command: Command, each: (command: Command) => void): void => {
  each(command)
  const path = commandPath(command)
  const second = path.includes(' ') ? secondNames[command.name()] : undefined
  if (second !== undefined) command.alias(second)
  const lines = notesOf(command).examples
  if (lines.length > 0) command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  $ headgate ${line}\n`).join('')}`)
  for (const child of command.commands) explainTree(child, each)
}
