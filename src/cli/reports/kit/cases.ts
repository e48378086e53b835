/** Arranges findings as test suites: a suite for each file, with a case for each route and a case for the file itself. */

import { type Diagnostic, shownFile } from '../../../core/diagnostic.ts'
import type { FindingsReport } from '../report.ts'

/** The findings about one route, or about the file itself. `failures` make the case fail, and `others` do not. */
export type Case = { readonly name: string; readonly failures: readonly Diagnostic[]; readonly others: readonly Diagnostic[] }
export type ReportSuite = { readonly name: string; readonly cases: readonly Case[] }

/** The name of the suite for findings that are about no file. */
const noFile = 'configuration'
/** The name of the case for findings that are about no route. */
const fileCase = 'the file'

/** Returns the suites. There is always at least one, whose cases pass where nothing is wrong. */
export const suitesOf = ({ diagnostics, routes, texts, denyWarnings }: FindingsReport): readonly ReportSuite[] => {
  const suites = new Map<string, Map<string, Diagnostic[]>>()
  const caseAt = (file: string | undefined, name: string): Diagnostic[] => {
    const suite = file === undefined ? noFile : shownFile(file)
    const cases = suites.get(suite) ?? new Map<string, Diagnostic[]>([[fileCase, []]])
    suites.set(suite, cases)
    const found = cases.get(name) ?? []
    cases.set(name, found)
    return found
  }
  for (const file of texts.keys()) caseAt(file, fileCase)
  for (const { name, file } of routes) caseAt(file, `route ${name}`)
  for (const each of diagnostics) caseAt(each.place?.file, each.route === undefined ? fileCase : `route ${each.route}`).push(each)
  if (suites.size === 0) caseAt(undefined, fileCase)
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
