/** Sorts Diagnostics by file and line, and counts them. */

import type { Diagnostic } from './diagnostic.ts'

export type Findings = {
  /** The findings, sorted by file, then line; findings without a place come first. */
  readonly diagnostics: readonly Diagnostic[]
  readonly errors: number
  readonly warnings: number
  readonly infos: number
  /** The number of findings with a safe fix, which `--fix` applies even when the user names no code. */
  readonly fixable: number
}

export const findingsOf = (found: readonly Diagnostic[]): Findings => {
  const count = (counts: (each: Diagnostic) => boolean): number => found.filter(counts).length
  return {
    diagnostics: [...found].sort(byPlace),
    errors: count(({ severity }) => severity === 'error'),
    warnings: count(({ severity }) => severity === 'warning'),
    infos: count(({ severity }) => severity === 'info'),
    fixable: count(({ fix }) => fix?.safe === true),
  }
}

const byPlace = ({ place: a }: Diagnostic, { place: b }: Diagnostic): number => {
  if (!a || !b) return Number(Boolean(a)) - Number(Boolean(b))
  return a.file === b.file ? a.line - b.line || a.column - b.column : a.file < b.file ? -1 : 1
}
