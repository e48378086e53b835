/** Writes findings as TAP 14: a test point for each route, and a test point for each file itself. */

import { type Diagnostic, shownPlace } from '../../core/diagnostic.ts'
import { type Case, suitesOf } from './kit/cases.ts'
import { findingSentence } from './kit/sentence.ts'
import type { Render } from './report.ts'

export const tap: Render = (report) => {
  const points = suitesOf(report).flatMap(({ name, cases }) => cases.map((each) => ({ title: `${name} ${each.name}`, each })))
  return `TAP version 14\n1..${points.length}\n${points.map(({ title, each }, i) => point(i + 1, title, each)).join('')}`
}

const point = (number: number, title: string, { failures, others }: Case): string => {
  const details = failures.length + others.length === 0 ? '' : diagnosticsOf([...failures, ...others])
  return `${failures.length > 0 ? 'not ok' : 'ok'} ${number} - ${escaped(title)}\n${details}`
}

/** Escapes a title, because a `#` in it would begin a directive. */
const escaped = (title: string): string => title.replace(/[\\#]/g, '\\$&').replaceAll('\n', ' ')

const diagnosticsOf = (found: readonly Diagnostic[]): string => {
  const lines = found.flatMap((each) => [
    `    - code: ${each.code}`,
    `      severity: ${each.severity}`,
    `      stops_startup: ${each.stopsStart}`,
    `      message: ${JSON.stringify(findingSentence(each))}`,
    ...(each.place ? [`      at: ${JSON.stringify(shownPlace(each.place))}`] : []),
  ])
  return `  ---\n  findings:\n${lines.join('\n')}\n  ...\n`
}
