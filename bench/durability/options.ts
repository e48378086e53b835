/** Whole numbers from the command line: each option has a usual value, and one for `--quick`. */

import { parseArgs } from 'node:util'
import { NotPossible } from './lab.ts'

type Values = { readonly usual: number; readonly quick: number }

/** When the usage is asked for, prints it and ends the program. */
export const readOptions = <Name extends string>(program: string, options: { readonly [name in Name]: Values }): Record<Name, number> => {
  const names = Object.keys(options) as Name[]
  const { values } = parseArgs({
    options: {
      ...Object.fromEntries(names.map((name) => [name, { type: 'string' } as const])),
      quick: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    const shown = names.map((name) => `[--${name} ${options[name].usual}]`)
    const quick = names.map((name) => `${options[name].quick} ${name}`)
    console.log(`npm run ${program} -- ${shown.join(' ')} [--quick (${quick.join(', ')})]`)
    process.exit(0)
  }
  const given: { readonly [name: string]: unknown } = values
  const entries = names.map((name) => [name, numberOf(given[name], name) ?? options[name][values.quick ? 'quick' : 'usual']])
  return Object.fromEntries(entries) as Record<Name, number>
}

const numberOf = (text: unknown, name: string): number | undefined => {
  if (text === undefined) return undefined
  const number = Number(text)
  if (!Number.isSafeInteger(number) || number < 0) throw new NotPossible(`--${name} takes a whole number, found ${text}`)
  return number
}
