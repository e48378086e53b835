/** Writes commands for GitHub's runner, which shows each failure beside its test in the changed file. */

import type { TestRun } from '../../../app/route-tests/run-tests.ts'
import type { SourceRange } from '../../../core/diagnostic.ts'
import { shownFile } from '../../../core/shown-place.ts'
import { printable } from '../../../core/text.ts'
import { failureLines, testTitle } from './failure.ts'

export const github = ({ suites, passed, failed, skipped }: TestRun): string => {
  const lines = suites.flatMap(({ results, diagnostics }) => [
    ...diagnostics.map(({ code, message, place }) => command(place, code, printable(message))),
    ...results.flatMap((result) =>
      result.failure ? command(result.test.place, testTitle(result), failureLines(result.failure).join('\n')) : [],
    ),
  ])
  return `${lines.join('')}${passed} passed, ${failed} failed, ${skipped} skipped\n`
}

const command = (place: SourceRange | undefined, title: string, message: string): string => {
  const at = place ? `file=${property(shownFile(place.file))},line=${place.line},col=${place.column},` : ''
  return `::error ${at}title=${property(title)}::${data(message)}\n`
}

const data = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
