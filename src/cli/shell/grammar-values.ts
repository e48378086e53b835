/** What the grammars of all commands share: how a command is run, and how the values of options are parsed. */

import { InvalidArgumentError } from 'commander'
import type { Cli } from './output.ts'

/** Runs one command's action with the `Cli` that its options describe. */
export type RunCommand = (action: (cli: Cli) => Promise<number>) => Promise<void>

/** The option `--profile` of commands on jobs, targets, sessions and in the editor. */
export type ProfileOption = { readonly profile?: string }

/**
 * Parses a value of an option that takes lists: adds the items of the value, which commas separate, to the items of the same option before
 * it.
 */
export const collectList = (value: string, before: readonly string[] = []): string[] => [
  ...before,
  ...value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
]

/**
 * Parses a value of an option that is given once for each item of a list: adds the whole value, even with commas, to the values of the same
 * option before it.
 */
export const collectRepeated = (value: string, before: readonly string[] = []): string[] => [...before, value]

export const parsePort = (value: string): number => {
  const number = Number(value)
  if (/^\d{1,5}$/.test(value) && number <= 65_535) return number
  throw new InvalidArgumentError('It must be a port from 0 to 65535.')
}

export const parseLimit = (value: string): number => {
  const number = Number(value)
  if (/^\d{1,5}$/.test(value) && number >= 1) return number
  throw new InvalidArgumentError('It must be a number from 1 to 99999.')
}

const unitMs: { readonly [unit: string]: number } = { m: 60_000, h: 3_600_000, d: 86_400_000 }
const longestMs = 365 * 86_400_000

/** Parses a span of time. Returns milliseconds. */
export const parseSpan = (value: string): number => {
  const [, number, unit = ''] = /^(\d{1,5})([mhd])$/.exec(value) ?? []
  const ms = Number(number) * (unitMs[unit] ?? 0)
  if (ms > 0 && ms <= longestMs) return ms
  throw new InvalidArgumentError('It must be a time such as 30m, 2h or 1d, at most 365d.')
}

export const parseSeconds = (value: string): number => {
  const number = Number(value)
  if (/^\d{1,4}$/.test(value) && number >= 1 && number <= 3_600) return number
  throw new InvalidArgumentError('It must be a number of seconds from 1 to 3600.')
}
