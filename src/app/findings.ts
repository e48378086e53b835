/** Sorts Diagnostics by file and line, and counts them. */

import type { Diagnostic } from '../core/diagnostic.ts'

export type Findings = {
  /** By file, then line; those without a place come first. */
  readonly diagnostics: readonly Diagnostic[]
  readonly errors: number
  readonly warnings: number
}

export const findingsOf = (found: readonly Diagnostic[]): Findings => ({
  diagnostics: [...found].sort(byPlace),
  errors: found.filter(({ severity }) => severity === 'error').length,
  warnings: found.filter(({ severity }) => severity === 'warning').length,
})

const byPlace = ({ place: a }: Diagnostic, { place: b }: Diagnostic): number => {
  if (!a || !b) return Number(Boolean(a)) - Number(Boolean(b))
  return a.file === b.file ? a.line - b.line || a.column - b.column : a.file < b.file ? -1 : 1
}
