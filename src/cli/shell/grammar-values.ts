/** Shared by all command grammars: how a command is run, and how option values are parsed. */

import { InvalidArgumentError } from 'commander'
import type { Cli } from './output.ts'

/** Runs one command's action with the `Cli` that its options describe. */
export type Run = (action: (cli: Cli) => Promise<number>) => Promise<void>

/** The option that all commands on jobs and targets have. */
export type ProfileOption = { readonly profile?: string }

/** Collects a list from the commas in an option's value and from repetitions of the option. */
export const list = (value: string, before: readonly string[] = []): string[] => [
  ...before,
  ...value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
]

/** Collects a list from repetitions of an option. */
export const each = (value: string, before: readonly string[] = []): string[] => [...before, value]

export const port = (value: string): number => {
  const number = Number(value)
  if (/^\d{1,5}$/.test(value) && number <= 65_535) return number
  throw new InvalidArgumentError('It must be a port from 0 to 65535.')
}

export const limit = (value: string): number => {
  const number = Number(value)
  if (/^\d{1,5}$/.test(value) && number >= 1) return number
  throw new InvalidArgumentError('It must be a number from 1 to 99999.')
}

export const seconds = (value: string): number => {
  const number = Number(value)
  if (/^\d{1,4}$/.test(value) && number >= 1 && number <= 3_600) return number
  throw new InvalidArgumentError('It must be a number of seconds from 1 to 3600.')
}
