/** Writes the results of tests as commands for GitHub's runner, which shows each failure beside its test in the file. */

import type { SourceRange } from '../../../core/diagnostic.ts'
import { shownFile } from '../../../core/diagnostic.ts'
import { printable } from '../../../core/text.ts'
import type { TestRun } from '../../../dryrun/route-tests/run-tests.ts'
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
  const at = place ? `file=${escapeProperty(shownFile(place.file))},line=${place.line},col=${place.column},` : ''
  return `::error ${at}title=${escapeProperty(title)}::${escapeMessage(message)}\n`
}

/** Escapes a text for the message of a command. */
const escapeMessage = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
/** Escapes a text for a property of a command. */
const escapeProperty = (text: string): string => escapeMessage(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
