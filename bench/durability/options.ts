/**
 * Reads the options of a command line. Most are whole numbers, with a usual value and another for `--quick`. Some are one word of a list.
 */

import { parseArgs } from 'node:util'
import { NotPossible } from './lab.ts'

type Values = { readonly usual: number; readonly quick: number }

type Numbers<Name extends string> = { readonly [name in Name]: Values }
/** The words that each option may have as its value. */
type Words<Choice extends string, Word extends string> = { readonly [name in Choice]: readonly Word[] }

/** Reads the options. When the usage is asked for, prints it and ends the program. */
export const readOptions = <Name extends string, Choice extends string = never, Word extends string = never>(
  program: string,
  options: Numbers<Name>,
  choices: Words<Choice, Word> = {} as Words<Choice, Word>,
): Record<Name, number> & Partial<Record<Choice, Word>> => {
  const [names, choiceNames] = [Object.keys(options) as Name[], Object.keys(choices) as Choice[]]
  const { values } = parseArgs({
    options: {
      ...Object.fromEntries([...names, ...choiceNames].map((name) => [name, { type: 'string' } as const])),
      quick: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    const shown = [...names.map((name) => `[--${name} ${options[name].usual}]`), ...choiceNames.map((name) => `[--${name} WORD]`)]
    const quick = names.map((name) => `${options[name].quick} ${name}`)
    console.log(`npm run ${program} -- ${shown.join(' ')} [--quick (${quick.join(', ')})]`)
    for (const name of choiceNames) console.log(`  --${name}: ${choices[name].map((word) => `"${word}"`).join(', ')}`)
    process.exit(0)
  }
  const given: { readonly [name: string]: unknown } = values
  const numbers = names.map((name) => [name, numberOf(given[name], name) ?? options[name][values.quick ? 'quick' : 'usual']])
  const words = choiceNames.flatMap((name) => (given[name] === undefined ? [] : [[name, wordOf(given[name], name, choices[name])]]))
  return Object.fromEntries([...numbers, ...words])
}

const wordOf = <Word extends string>(text: unknown, name: string, words: readonly Word[]): Word => {
  const word = words.find((known) => known === text)
  if (word === undefined) throw new NotPossible(`--${name} takes one of ${words.join(', ')}; found ${text}`)
  return word
}

const numberOf = (text: unknown, name: string): number | undefined => {
  if (text === undefined) return undefined
  const number = Number(text)
  if (!Number.isSafeInteger(number) || number < 0) throw new NotPossible(`--${name} takes a whole number, found ${text}`)
  return number
}
