/** Reads codes of findings from options, and chooses findings by whole codes (`WH210`) or by beginnings of codes (`WH4`). */

import { type Code, codeCatalogue } from '../../core/diagnostic.ts'
import { exit, Fault } from '../../core/fault.ts'
import { nearest } from '../../core/text.ts'

/** Beginnings of codes. `select`: only findings with such a code; absent: all findings. `ignore`: no finding with such a code. */
export type CodeChoice = { readonly select?: readonly string[]; readonly ignore?: readonly string[] }

export const allCodes = Object.keys(codeCatalogue) as readonly Code[]

const hint = 'headgate explain lists all codes'

/** Returns the code that the user wrote, in any letter case. Throws a Fault that suggests the nearest codes. */
export const codeNamed = (written: string): Code => {
  const wanted = written.toUpperCase()
  const code = allCodes.find((known) => known === wanted)
  if (code) return code
  const near = nearest(wanted, allCodes)
  const suggest = near.length > 0 ? near : nextByNumber(wanted)
  throw new Fault('not_found', `no finding has the code "${written.slice(0, 80)}"`, { exitCode: exit.notFound, suggest, hint })
}

const numberOf = (code: string): number => Number(code.slice(2))

/** Returns the code with the nearest number; none for a text without a number. */
const nextByNumber = (wanted: string): readonly Code[] => {
  if (!/^WH\d{1,6}$/.test(wanted)) return []
  const away = (code: Code): number => Math.abs(numberOf(code) - numberOf(wanted))
  return [...allCodes].sort((a, b) => away(a) - away(b)).slice(0, 1)
}

/** Parses beginnings of codes, in any letter case. Throws a usage Fault for a text with which no code begins. */
export const parseCodes = (option: string, written: readonly string[]): readonly string[] =>
  written.map((text) => {
    const start = text.toUpperCase()
    if (/^WH\d{0,3}$/.test(start) && allCodes.some((code) => code.startsWith(start))) return start
    const message = `${option}: no finding has the code "${text.slice(0, 80)}"`
    throw new Fault('usage', message, { exitCode: exit.usage, suggest: nearest(start, allCodes), hint })
  })

/** Whether a choice takes findings with this code. `ignore` wins over `select`. */
export const isChosen = (code: Code, { select, ignore = [] }: CodeChoice): boolean =>
  (select === undefined || select.some((start) => code.startsWith(start))) && !ignore.some((start) => code.startsWith(start))
