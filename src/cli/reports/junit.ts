/** Writes findings as JUnit's XML: a suite for each file, and in it a case for each route and a case for the file itself. */

import { type Diagnostic, shownPlace } from '../../core/diagnostic.ts'
import { printable } from '../../core/text.ts'
import { type Case, type ReportSuite, suitesOf } from './kit/cases.ts'
import { findingSentence } from './kit/sentence.ts'
import type { Render } from './report.ts'

const entities: { readonly [char: string]: string } = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\n': '&#10;' }
// Characters that XML 1.0 cannot express.
const unwritable = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu

/** Escapes a text for attributes and contents. */
export const xml = (text: string): string => text.replace(unwritable, '\ufffd').replace(/[&<>"\n]/g, (char) => entities[char] ?? char)

export const junit: Render = (report) => {
  const suites = suitesOf(report)
  const total = sum(suites.map(countsOf))
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="headgate validate"${attributesOf(total)}>\n${suites.map(suite).join('')}</testsuites>\n`
}

type Counts = { readonly tests: number; readonly failures: number }

const countsOf = ({ cases }: ReportSuite): Counts => ({
  tests: cases.length,
  failures: cases.filter(({ failures }) => failures.length > 0).length,
})

const sum = (all: readonly Counts[]): Counts => ({
  tests: all.reduce((total, { tests }) => total + tests, 0),
  failures: all.reduce((total, { failures }) => total + failures, 0),
})

const attributesOf = ({ tests, failures }: Counts): string => ` tests="${tests}" failures="${failures}" errors="0" skipped="0"`

const suite = (one: ReportSuite): string =>
  `  <testsuite name="${xml(one.name)}"${attributesOf(countsOf(one))}>\n${one.cases.map((each) => testcase(each, one.name)).join('')}  </testsuite>\n`

const testcase = ({ name, failures, others }: Case, file: string): string => {
  const head = `    <testcase name="${xml(name)}" classname="${xml(file)}" file="${xml(file)}"`
  if (failures.length + others.length === 0) return `${head}/>\n`
  const [first] = failures
  const failed = first
    ? `      <failure type="${first.code}" message="${xml(printable(first.message))}">${xml(failures.map(findingLine).join('\n'))}</failure>\n`
    : ''
  const said = others.length > 0 ? `      <system-out>${xml(others.map(findingLine).join('\n'))}</system-out>\n` : ''
  return `${head}>\n${failed}${said}    </testcase>\n`
}

const findingLine = (each: Diagnostic): string =>
  `${each.place ? `${shownPlace(each.place)}: ` : ''}${each.code} ${each.severity}: ${findingSentence(each)}`
