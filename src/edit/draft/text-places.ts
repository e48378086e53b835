/** Finds where findings stand in the text of a route that a person edits. */

import { mapTextAt } from '../../config/yaml/edit/map-text.ts'
import { isRefused } from '../../config/yaml/edit/yaml-edit.ts'
import type { ParsedYaml } from '../../config/yaml/source.ts'
import type { Diagnostic } from '../../core/diagnostic.ts'
import type { DraftText } from './draft-text.ts'
import type { OpenedRoute } from './route-draft.ts'

/** A place in the text of a route: lines and columns from 1, the end not included. */
export type TextRange = { readonly line: number; readonly column: number; readonly endLine: number; readonly endColumn: number }

/**
 * Returns a place for each finding; `null` for a finding that is about no place in the text. Below a secret of several lines, which the
 * text shows on one line, a place is too far down.
 */
export const textPlaces = (
  findings: readonly Diagnostic[],
  { base, source, file, name }: OpenedRoute,
  made: DraftText,
  parsed: ParsedYaml,
): readonly (TextRange | null)[] => {
  const start = (made.ok ? made.start : undefined) ?? mapTextAt(parsed, base)
  if (isRefused(start)) return findings.map(() => null)
  const ours = source === 'config' ? file : name
  return findings.map(({ place }) => {
    if (!place || place.file !== ours || place.line < start.line) return null
    const column = (before: number): number => Math.max(before - start.indent, 1)
    return {
      line: place.line - start.line + 1,
      column: column(place.column),
      endLine: place.endLine - start.line + 1,
      endColumn: column(place.endColumn),
    }
  })
}
