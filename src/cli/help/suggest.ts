/** Suggests the command or option that a mistyped word may have meant. Also lists and names commands for help and completion. */

import type { Command } from 'commander'
import { nearest } from '../../core/text.ts'

/** Words that other programs use, each with the commands that do the same here. After a noun (`cron add`), only its commands count. */
const wordsOfOthers: { readonly [word: string]: readonly string[] } = {
  add: ['webhook subscribe', 'cron create', 'samples add'],
  create: ['webhook subscribe', 'cron create', 'samples add'],
  new: ['webhook subscribe', 'cron create'],
  update: ['webhook subscribe', 'webhook edit'],
  set: ['webhook subscribe', 'webhook edit'],
  delete: ['webhook remove', 'cron remove'],
  del: ['webhook remove', 'cron remove'],
  unsubscribe: ['webhook remove'],
  get: ['webhook show', 'events show', 'cron show'],
  info: ['webhook show', 'events show', 'cron show', 'gateway status'],
  describe: ['webhook show', 'events show', 'cron show'],
  send: ['webhook test', 'targets test'],
  trigger: ['webhook test', 'cron run'],
  start: ['gateway run', 'cron run', 'webhook enable', 'cron resume'],
  serve: ['gateway run'],
  listen: ['gateway run'],
  up: ['gateway run'],
  stop: ['gateway stop', 'webhook disable', 'cron pause'],
  restart: ['gateway reload'],
  init: ['gateway setup'],
  config: ['gateway setup', 'paths', 'validate'],
  install: ['gateway setup'],
  lint: ['validate'],
  routes: ['webhook list'],
  hooks: ['webhook list'],
  subscriptions: ['webhook list'],
  jobs: ['cron list'],
  logs: ['events list'],
  log: ['events list'],
  history: ['events list'],
  resend: ['events replay'],
  redeliver: ['events replay'],
  where: ['paths'],
  diagnose: ['doctor'],
  rotate: ['webhook secret'],
}

const maxSuggestions = 3

/**
 * Returns at most three commands for an unknown word after `parent`, the best first: commands that begin with the word, commands of any
 * noun with this word as their verb, commands for words of other programs, and commands with a similar spelling.
 */
export const suggestCommands = (word: string, parent: Command): string[] => {
  const lower = word.toLowerCase()
  const here = namesOf(parent)
  const path = commandPath(parent)
  const isTop = path === ''
  const all = isTop ? leafCommands(parent).map(commandPath) : []
  const begun = lower.length > 1 ? here.filter((name) => name.startsWith(lower)) : []
  const elsewhere = all.filter((command) => command.split(' ')[1] === lower)
  const others = (wordsOfOthers[lower] ?? []).flatMap((command) => {
    if (isTop) return all.includes(command) ? [command] : []
    const [noun, verb = ''] = command.split(' ')
    return noun === path && here.includes(verb) ? [verb] : []
  })
  // A word that is a verb of another noun is not mistyped.
  const near = elsewhere.length > 0 ? [] : nearest(lower, here)
  const found = [...begun, ...elsewhere, ...others, ...near]
  // If nothing is found, the word may be a mistyped verb whose noun was left out.
  const verbs = new Set(all.flatMap((command) => command.split(' ')[1] ?? []))
  const mistypedVerbs =
    found.length > 0 ? [] : nearest(lower, verbs).flatMap((verb) => all.filter((command) => command.endsWith(` ${verb}`)))
  return [...new Set([...found, ...mistypedVerbs])].slice(0, maxSuggestions)
}

/**
 * Returns options of `command` for an unknown option. Options with the same letters come first and alone, whatever their dashes and case.
 * Without such options, returns at most three: options that begin with the word, options with a similar spelling, and options with the word
 * as a part.
 */
export const suggestOptions = (flag: string, command: Command): string[] => {
  const known = longOptionsOf(command)
  const word = optionLetters(flag)
  if (word === '') return []
  const same = known.filter((option) => optionLetters(option) === word)
  if (same.length > 0) return same
  const begun = word.length > 1 ? known.filter((option) => optionLetters(option).startsWith(word)) : []
  const parts = known.filter((option) => option.slice(2).split('-').includes(word))
  const near = nearest(word, known.map(optionLetters)).flatMap((each) => known.filter((option) => optionLetters(option) === each))
  return [...new Set([...begun, ...near, ...parts])].slice(0, maxSuggestions)
}

/** Returns the letters of an option: `--Deliver_Only`, `-deliver-only` → `deliveronly`. */
const optionLetters = (flag: string): string => flag.replace(/^-+/, '').replace(/=.*$/s, '').replace(/[-_]/g, '').toLowerCase()

/**
 * Rewords the sentence of Commander about a value that is none of the choices: `option '--color <when>' argument 'x' is invalid. …`.
 * Returns the new sentence and similar choices; `undefined` for any other sentence.
 */
export const rewordChoiceError = (sentence: string): { readonly message: string; readonly suggest: readonly string[] } | undefined => {
  const found =
    /^(?:option '(.*?)' argument|command-argument value) '(.*)' is invalid(?: for argument '(.*)')?\. Allowed choices are (.*)\.$/s.exec(
      sentence,
    )
  if (!found) return undefined
  const [, option, value = '', argument = '', choices = ''] = found
  return { message: `${option ?? `<${argument}>`}: "${value}" is none of ${choices}`, suggest: nearest(value, choices.split(', ')) }
}

/** Returns the long names of all options that may be given to a command. */
const longOptionsOf = (command: Command): string[] => [
  ...command.options.filter(({ hidden }) => !hidden).flatMap(({ long }) => long ?? []),
  '--help',
  ...(command.parent ? longOptionsOf(command.parent) : []),
]

/** Returns the names and second names of the commands below a command, without second names of two letters. */
const namesOf = (command: Command): string[] =>
  shownCommands(command).flatMap((each) => [each.name(), ...each.aliases().filter((alias) => alias.length > 2)])

/** Returns the commands right below a command that its help shows, without the `help` that Commander adds. */
export const shownCommands = (command: Command): readonly Command[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .filter((each) => command.commands.includes(each))

/** Returns the commands below a command that do something: the ones that have no further commands below them. */
export const leafCommands = (command: Command): Command[] =>
  shownCommands(command).flatMap((each) => (each.commands.length > 0 ? leafCommands(each) : [each]))

/** Returns the names that lead to a command, without the program's name: `webhook list`. */
export const commandPath = (command: Command): string => (command.parent ? `${commandPath(command.parent)} ${command.name()}`.trim() : '')
