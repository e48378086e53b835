/**
 * Applies ignore comments, such as `# webhook-ignore WH210: reason`. An ignore comment takes out the findings with its codes on its own
 * line. A comment that stands alone takes out those on the next line that is neither blank nor a comment.
 */

import { eventsOf, type Range, scalarsOf } from '../../config/yaml/yaml-tree.ts'
import { type Code, codeCatalogue, type Diagnostic, diagnostic, type SourceRange } from '../../core/diagnostic.ts'
import { nearest, printable } from '../../core/text.ts'
import { allCodes } from './codes.ts'

type Ignore = {
  readonly codes: readonly string[]
  readonly reason: string
  readonly place: SourceRange
  /** The line whose findings are taken out. */
  readonly line: number
}

const ignoreForm = /(?:^|[ \t])(#[ \t]*webhook-ignore(?![\w-])[ \t]*([^:\n]*?)[ \t]*(?::[ \t]*(.*?))?)[ \t\r]*$/gm

/**
 * Takes out the findings that ignore comments name, and returns the other findings (`kept`) and the number of findings taken out
 * (`suppressed`). A finding that stops the start stays. `texts`: the texts of the files by their paths. A wrong ignore comment becomes a
 * finding itself, and with `reportUnused` also a comment that took out nothing.
 */
export const applyIgnores = (
  diagnostics: readonly Diagnostic[],
  texts: ReadonlyMap<string, string>,
  { reportUnused }: { readonly reportUnused: boolean },
): { readonly kept: readonly Diagnostic[]; readonly suppressed: number } => {
  const ignores = [...texts].flatMap(([file, text]) => ignoresIn(file, text))
  if (ignores.length === 0) return { kept: diagnostics, suppressed: 0 }
  const targets = new Map<string, Ignore[]>()
  for (const one of ignores) {
    if (one.reason === '') continue
    for (const code of one.codes) {
      const key = lineKey(one.place.file, one.line, code)
      targets.set(key, [...(targets.get(key) ?? []), one])
    }
  }
  const used = new Set<string>()
  const kept = diagnostics.filter(({ place, code, stopsStart }) => {
    const hits = (place && targets.get(lineKey(place.file, place.line, code))) ?? []
    for (const hit of hits) used.add(ignoreKey(hit, code))
    return hits.length === 0 || stopsStart
  })
  const stopping = new Set(
    kept.flatMap(({ place, code, stopsStart }) => (place && stopsStart ? [lineKey(place.file, place.line, code)] : [])),
  )
  // A route with an error is not reviewed fully. A finding that is missing now may come once the error is mended.
  const unsure = new Set(diagnostics.flatMap(({ place, severity }) => (place && severity === 'error' ? [place.file] : [])))
  const idle = ignores.flatMap((one) => problemsOf(one, used, stopping, reportUnused && !unsure.has(one.place.file)))
  return { kept: [...kept, ...idle], suppressed: diagnostics.length - kept.length }
}

const lineKey = (file: string, line: number, code: string): string => `${file}\n${line}\n${code}`
const ignoreKey = ({ place: { file, line, column } }: Ignore, code: string): string => `${lineKey(file, line, code)}\n${column}`

/**
 * Returns the findings about an ignore comment itself. `used`: the comments and codes that took out a finding. `stopping`: the lines and
 * codes of findings that stop the start.
 */
const problemsOf = (ignore: Ignore, used: ReadonlySet<string>, stopping: ReadonlySet<string>, reportUnused: boolean): Diagnostic[] => {
  const say = (message: string, help: string, suggest: readonly string[] = []): Diagnostic =>
    diagnostic('WH010', message, { place: ignore.place, help, ...(suggest.length > 0 ? { suggest } : {}) })
  if (ignore.codes.length === 0) return [say('this comment names no finding', 'write # webhook-ignore WH210: why it is right here')]
  if (ignore.reason === '') return [say('this comment gives no reason, so it hides nothing', 'write the reason after a colon')]
  return ignore.codes.flatMap((code) => {
    const isKnown = Object.hasOwn(codeCatalogue, code)
    const near = isKnown ? [] : nearest(code, allCodes)
    if (!isKnown) {
      const help = near.length > 0 ? `did you mean ${near.join(' or ')}?` : 'headgate explain lists all codes'
      return [say(`no finding has the code "${printable(code, 40)}"`, help, near)]
    }
    if (stopping.has(lineKey(ignore.place.file, ignore.line, code)))
      return [say(`${code} stops the start here: it cannot be hidden`, 'mend what it is about, and remove the comment')]
    if (!reportUnused || used.has(ignoreKey(ignore, code)) || isOnDemand(code)) return []
    return [say(`${code} is not found on this line or the next`, 'remove the comment')]
  })
}

/**
 * Whether findings with this code come only from checks that are asked for. Then a missing finding does not show that the comment is
 * useless.
 */
const isOnDemand = (code: string): boolean => 'onDemand' in codeCatalogue[code as Code]

/** Returns the ignore comments of a file's text. A text inside a YAML value that looks like an ignore comment does not count. */
const ignoresIn = (file: string, text: string): Ignore[] => {
  if (!text.includes('webhook-ignore')) return []
  const scalars = scalarRanges(text)
  const lines = text.split('\n')
  return [...text.matchAll(ignoreForm)].flatMap(({ index, 0: all, 1: comment = '', 2: codes = '', 3: reason = '' }) => {
    const at = index + all.indexOf(comment)
    if (scalars.some(([from, to]) => at >= from && at < to)) return []
    const line = text.slice(0, at).split('\n').length
    const column = at - text.lastIndexOf('\n', at - 1)
    const place = { file, line, column, endLine: line, endColumn: column + comment.length }
    return {
      codes: codes
        .toUpperCase()
        .split(/[\s,]+/)
        .filter((code) => code !== ''),
      reason,
      place,
      line: meantLine(lines, line, column),
    }
  })
}

/**
 * Returns the line that a comment is about: its own line, or for a comment that stands alone the next line that is neither blank nor a
 * comment.
 */
const meantLine = (lines: readonly string[], line: number, column: number): number => {
  if ((lines[line - 1] ?? '').slice(0, column - 1).trim() !== '') return line
  const below = lines.slice(line).findIndex((text) => !/^\s*(?:#|$)/.test(text))
  return below < 0 ? line : line + 1 + below
}

/** Returns the ranges of the scalars of a file; none for a text that is no YAML. */
const scalarRanges = (text: string): readonly Range[] => {
  try {
    return scalarsOf(eventsOf(text))
  } catch {
    return []
  }
}
