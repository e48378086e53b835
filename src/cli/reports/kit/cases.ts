/** Findings as tests have them: a suite for each file, in it a case for each route and one for the file itself. */

import type { Diagnostic } from '../../../core/diagnostic.ts'
import { shownFile } from '../../../core/shown-place.ts'
import type { Report } from '../report.ts'

export type Case = { readonly name: string; readonly failures: readonly Diagnostic[]; readonly others: readonly Diagnostic[] }
export type Suite = { readonly name: string; readonly cases: readonly Case[] }

/** What is about no file stands in a suite of this name. */
const noFile = 'configuration'
/** What is about no route stands in a case of this name. */
const whole = 'the file'

/** Never empty: what is clean passes. */
export const suitesOf = ({ diagnostics, routes, texts, denyWarnings }: Report): readonly Suite[] => {
  const suites = new Map<string, Map<string, Diagnostic[]>>()
  const caseAt = (file: string | undefined, name: string): Diagnostic[] => {
    const suite = file === undefined ? noFile : shownFile(file)
    const cases = suites.get(suite) ?? new Map<string, Diagnostic[]>([[whole, []]])
    suites.set(suite, cases)
    const found = cases.get(name) ?? []
    cases.set(name, found)
    return found
  }
  for (const file of texts.keys()) caseAt(file, whole)
  for (const { name, file } of routes) caseAt(file, `route ${name}`)
  for (const each of diagnostics) caseAt(each.place?.file, each.route === undefined ? whole : `route ${each.route}`).push(each)
  if (suites.size === 0) caseAt(undefined, whole)
  const fails = ({ severity }: Diagnostic): boolean => severity === 'error' || (denyWarnings && severity === 'warning')
  return [...suites].map(([name, cases]) => ({
    name,
    cases: [...cases].map(([caseName, found]) => ({
      name: caseName,
      failures: found.filter(fails),
      others: found.filter((each) => !fails(each)),
    })),
  }))
}
