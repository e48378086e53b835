/** Applies the fixes of findings to texts: the ranges of their edits are replaced, and every other byte stays. */

import { extname } from 'node:path'
import { Offsets } from '../../config/yaml/offsets.ts'
import { parseSource } from '../../config/yaml/source.ts'
import { inOrder, type Splice, spliced } from '../../config/yaml/splice.ts'
import type { Diagnostic, SourceRange } from '../../core/diagnostic.ts'
import { blocksIn } from './blocks.ts'
import { isChosen } from './codes.ts'

export type FixedText = {
  readonly file: string
  readonly before: string
  readonly after: string
  /** The replaced ranges of `before`, in order and without overlap. */
  readonly splices: readonly Splice[]
}

export type Fixed = {
  readonly files: readonly FixedText[]
  readonly mended: readonly Diagnostic[]
  /** The findings whose fix cannot be applied together with the other fixes, each with the reason. */
  readonly refused: readonly { readonly finding: Diagnostic; readonly why: string }[]
}

const toolsetsPointer = /\/(?:platform_)?toolsets(?:\/|$)/

/** Returns the finding without its fix where the fix changes toolsets, because toolsets are only set by hand (rules: Subscriptions 7). */
export const withoutToolsets = (each: Diagnostic): Diagnostic => {
  const isAbout = toolsetsPointer.test(each.pointer) || each.fix?.edits.some(({ text }) => text.includes('toolsets'))
  if (!each.fix || !isAbout) return each
  const { fix: _, ...others } = each
  return others
}

/** Whether the fix of a finding is wanted. `codes`: beginnings of codes; where the list is empty, every safe fix is wanted. */
export const isWanted = ({ fix, code }: Diagnostic, codes: readonly string[]): boolean =>
  fix !== undefined && (codes.length > 0 ? isChosen(code, { select: codes }) : fix.safe)

/** Applies the fixes of the findings to the texts of their files, and returns the new texts. No file is written. */
export const fixTexts = (wanted: readonly Diagnostic[], texts: ReadonlyMap<string, string>): Fixed => {
  const all = fixAll(wanted, texts, false)
  // Where a file could not be read any more after all fixes, the fixes are applied one by one, and a fix after which the file cannot be
  // read is refused. This second way parses the file for each fix, so it is the exception.
  return all.files.every(({ file, before, after }) => !canBeRead(file, before) || canBeRead(file, after))
    ? all
    : fixAll(wanted, texts, true)
}

const fixAll = (wanted: readonly Diagnostic[], texts: ReadonlyMap<string, string>, careful: boolean): Fixed => {
  const taken = new Map<string, Splice[]>()
  const offsets = new Offsets(texts)
  const mended: Diagnostic[] = []
  const refused: { finding: Diagnostic; why: string }[] = []
  for (const finding of wanted) {
    const why = takeEdits(finding, { texts, offsets, careful }, taken)
    if (why === undefined) mended.push(finding)
    else refused.push({ finding, why })
  }
  const files = [...taken].map(([file, splices]) => fixedText(file, texts.get(file) ?? '', splices))
  return { files, mended, refused }
}

/**
 * Adds all edits of a finding to `taken`, or adds no edit and returns the reason. `careful`: a fix is refused where the file could not be
 * read after it.
 */
const takeEdits = (
  { fix }: Diagnostic,
  { texts, offsets, careful }: { readonly texts: ReadonlyMap<string, string>; readonly offsets: Offsets; readonly careful: boolean },
  taken: Map<string, Splice[]>,
): string | undefined => {
  const next = new Map<string, Splice[]>()
  for (const { place, text } of fix?.edits ?? []) {
    const { file } = place
    const before = texts.get(file)
    const range = rangeOf(place, offsets)
    if (before === undefined || !range) return 'its place is not in the text'
    if (before.slice(...range).includes('toolsets')) return 'toolsets are changed by hand'
    const splice = { from: range[0], to: range[1], text }
    const others = next.get(file) ?? taken.get(file) ?? []
    if (others.some((other) => overlaps(splice, other))) return 'another fix changes the same place: call --fix again'
    next.set(file, [...others, splice])
  }
  for (const [file, splices] of careful ? next : []) {
    const before = texts.get(file) ?? ''
    if (canBeRead(file, before) && !canBeRead(file, fixedText(file, before, splices).after)) return 'the file could not be read afterwards'
  }
  for (const [file, splices] of next) taken.set(file, splices)
  return undefined
}

/** Whether two edits overlap. Two insertions at the same offset overlap, because their order is not defined. */
const overlaps = (a: Splice, b: Splice): boolean => (a.from < b.to && b.from < a.to) || a.from === b.from

const fixedText = (file: string, before: string, splices: readonly Splice[]): FixedText => {
  const ordered = inOrder(splices)
  return { file, before, after: spliced(before, ordered), splices: ordered }
}

/** Whether the text can be read as the kind of file that the name of the file says. */
const canBeRead = (file: string, text: string): boolean => {
  const extension = extname(file)
  if (extension === '.json') return isSoundJson(text)
  if (extension === '.md' || extension === '.markdown') return blocksIn(text).blocks.every((block) => isSound(file, block))
  return file.endsWith('.env') || isSound(file, text)
}

const isSound = (file: string, text: string): boolean => parseSource(file, text).diagnostics.length === 0

const isSoundJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    // JSON allows the same key twice in a map, but a fix must not write a key a second time.
    return isSound('', text)
  } catch {
    return false
  }
}

const rangeOf = ({ file, line, column, endLine, endColumn }: SourceRange, offsets: Offsets): [from: number, to: number] | undefined => {
  const from = offsets.at(file, line, column)
  const to = offsets.at(file, endLine, endColumn)
  return from === undefined || to === undefined || from > to ? undefined : [from, to]
}
