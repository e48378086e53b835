/** A choice of findings by their codes, whole (`WH210`) or by their beginning (`WH4`). */

import { type Code, catalogue } from '../../core/diagnostic.ts'
import { exit, Fault } from '../../core/fault.ts'
import { nearest } from '../../core/text.ts'

export type CodeChoice = { readonly select?: readonly string[]; readonly ignore?: readonly string[] }

export const allCodes = Object.keys(catalogue) as readonly Code[]

/** The code that somebody wrote, in any letter case. Throws a usage Fault that knows the nearest ones. */
export const codeNamed = (written: string): Code => {
  const wanted = written.toUpperCase()
  const code = allCodes.find((known) => known === wanted)
  if (code) return code
  throw noCode(`no finding has the code "${written.slice(0, 80)}"`, wanted)
}

const noCode = (message: string, near: string): Fault =>
  new Fault('usage', message, {
    exitCode: exit.usage,
    suggest: nearest(near, allCodes),
    hint: 'headgate explain lists all codes',
  })

/** The beginnings of codes that somebody wrote, in any letter case. Throws a usage Fault for one that no code has. */
export const parseCodes = (option: string, written: readonly string[]): readonly string[] =>
  written.map((text) => {
    const start = text.toUpperCase()
    if (/^WH\d{0,3}$/.test(start) && allCodes.some((code) => code.startsWith(start))) return start
    throw noCode(`${option}: no finding has the code "${text.slice(0, 80)}"`, start)
  })

export const isChosen = (code: Code, { select, ignore = [] }: CodeChoice): boolean =>
  (select === undefined || select.some((start) => code.startsWith(start))) && !ignore.some((start) => code.startsWith(start))
