/** The texts of the files that were read: finds the text that stands at a place, and the place of a piece of a value. */

import type { SourceRange } from '../../core/diagnostic.ts'

/** A piece of a value: its text, and the offset in the value where it begins. */
export type TextPiece = { readonly text: string; readonly at: number }

/** Finds texts by places, and places by texts, in files that are given by their paths. */
export class FileTexts {
  readonly #texts: ReadonlyMap<string, string>
  readonly #lines = new Map<string, readonly number[]>()

  constructor(texts: ReadonlyMap<string, string>) {
    this.#texts = texts
  }

  /** Returns the text at a place, quotes included; `undefined` where the file was not read. */
  at({ file, line, column, endLine, endColumn }: SourceRange): string | undefined {
    const text = this.#texts.get(file)
    if (text === undefined) return undefined
    const starts = this.#startsOf(file, text)
    return text.slice((starts[line - 1] ?? 0) + column - 1, (starts[endLine - 1] ?? 0) + endColumn - 1)
  }

  /** Returns the place of everything behind a place on the line where the place ends. */
  behind({ file, endLine, endColumn }: SourceRange): SourceRange {
    const starts = this.#startsOf(file, this.#texts.get(file) ?? '')
    const length = (starts[endLine] ?? (this.#texts.get(file)?.length ?? 0) + 1) - 1 - (starts[endLine - 1] ?? 0)
    return { file, line: endLine, column: endColumn, endLine, endColumn: Math.max(endColumn, length + 1) }
  }

  /** Returns the place of a piece of the `value` at `place`; `undefined` where the file writes the piece in another way, with escapes. */
  inside(place: SourceRange, value: string, { text, at }: TextPiece): SourceRange | undefined {
    const raw = this.at(place)
    if (raw === undefined || text === '') return undefined
    const offsets = occurrences(raw, text)
    const wanted = occurrences(value, text)
    const found = offsets.length === wanted.length ? offsets[wanted.indexOf(at)] : undefined
    return found === undefined ? undefined : this.#part(place, found, text.length)
  }

  /** Returns the place of a part of the text at a place, from an offset on. */
  #part({ file, line, column }: SourceRange, from: number, length: number): SourceRange {
    const text = this.#texts.get(file) ?? ''
    const starts = this.#startsOf(file, text)
    const start = (starts[line - 1] ?? 0) + column - 1 + from
    const first = pointAt(starts, start)
    const last = pointAt(starts, start + length)
    return { file, ...first, endLine: last.line, endColumn: last.column }
  }

  #startsOf(file: string, text: string): readonly number[] {
    const known = this.#lines.get(file)
    if (known) return known
    const starts = [0]
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
    this.#lines.set(file, starts)
    return starts
  }
}

/** Returns the offsets where a text occurs in another text; occurrences may overlap. */
const occurrences = (whole: string, part: string): number[] => {
  const found: number[] = []
  for (let at = whole.indexOf(part); at >= 0; at = whole.indexOf(part, at + 1)) found.push(at)
  return found
}

const pointAt = (starts: readonly number[], offset: number): { readonly line: number; readonly column: number } => {
  let low = 0
  let high = starts.length
  while (high - low > 1) {
    const middle = (low + high) >>> 1
    if ((starts[middle] ?? 0) <= offset) low = middle
    else high = middle
  }
  return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 }
}
