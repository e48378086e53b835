/** Applies the fixes of findings to texts: the ranges of their edits are replaced, and every other byte stays. */

import { extname } from 'node:path'
import { Offsets } from '../../config/yaml/offsets.ts'
import { parseSource } from '../../config/yaml/source.ts'
import { inOrder, type Splice, spliced } from '../../config/yaml/splice.ts'
import type { Diagnostic, Place } from '../../core/diagnostic.ts'
import { blocksIn } from './blocks.ts'
import { isChosen } from './codes.ts'

export type FixedText = {
  readonly file: string
  readonly before: string
  readonly after: string
  /** In order, without overlap; offsets into `before`. */
  readonly splices: readonly Splice[]
}

export type Fixed = {
  readonly files: readonly FixedText[]
  /** Findings that would be mended. */
  readonly mended: readonly Diagnostic[]
  /** Findings with a fix that was asked for, but cannot be applied with the others, and why. */
  readonly refused: readonly { readonly finding: Diagnostic; readonly why: string }[]
}

const ofToolsets = /\/(?:platform_)?toolsets(?:\/|$)/

/** Toolsets are set by hand only (rules: Subscriptions 7). */
export const withoutToolsets = (each: Diagnostic): Diagnostic => {
  const isAbout = ofToolsets.test(each.pointer) || each.fix?.edits.some(({ text }) => text.includes('toolsets'))
  if (!each.fix || !isAbout) return each
  const { fix: _, ...others } = each
  return others
}

/** Whether somebody who names these codes, or none, wants this fix: without codes the safe ones are meant. */
export const isWanted = ({ fix, code }: Diagnostic, codes: readonly string[]): boolean =>
  fix !== undefined && (codes.length > 0 ? isChosen(code, { select: codes }) : fix.safe)

/** Works out what these fixes make of the texts; nothing is written. */
export const fixTexts = (wanted: readonly Diagnostic[], texts: ReadonlyMap<string, string>): Fixed => {
  const all = fixAll(wanted, texts, false)
  // Each is tried on its own only where one of them must be the culprit: a file is parsed each time.
  return all.files.every(({ file, before, after }) => !reads(file, before) || reads(file, after)) ? all : fixAll(wanted, texts, true)
}

const fixAll = (wanted: readonly Diagnostic[], texts: ReadonlyMap<string, string>, careful: boolean): Fixed => {
  const taken = new Map<string, Splice[]>()
  const offsets = new Offsets(texts)
  const mended: Diagnostic[] = []
  const refused: { finding: Diagnostic; why: string }[] = []
  for (const finding of wanted) {
    const why = take(finding, { texts, offsets, careful }, taken)
    if (why === undefined) mended.push(finding)
    else refused.push({ finding, why })
  }
  const files = [...taken].map(([file, splices]) => fixedText(file, texts.get(file) ?? '', splices))
  return { files, mended, refused }
}

/** Adds the edits of one finding, all of them or none; says why none. `careful`: only where the file can still be read. */
const take = (
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
    if (reads(file, before) && !reads(file, fixedText(file, before, splices).after)) return 'the file could not be read afterwards'
  }
  for (const [file, splices] of next) taken.set(file, splices)
  return undefined
}

/** Two insertions at one point overlap, too: nobody could say which comes first. */
const overlaps = (a: Splice, b: Splice): boolean => (a.from < b.to && b.from < a.to) || a.from === b.from

const fixedText = (file: string, before: string, splices: readonly Splice[]): FixedText => {
  const ordered = inOrder(splices)
  return { file, before, after: spliced(before, ordered), splices: ordered }
}

/** Whether a text can be read as what its file is. */
const reads = (file: string, text: string): boolean => {
  const extension = extname(file)
  if (extension === '.json') return isJson(text)
  if (extension === '.md' || extension === '.markdown') return blocksIn(text).blocks.every((block) => isSound(file, block))
  return file.endsWith('.env') || isSound(file, text)
}

const isSound = (file: string, text: string): boolean => parseSource(file, text).diagnostics.length === 0

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    // A key that stands twice is JSON, and nothing that a fix may make.
    return isSound('', text)
  } catch {
    return false
  }
}

const rangeOf = ({ file, line, column, endLine, endColumn }: Place, offsets: Offsets): [from: number, to: number] | undefined => {
  const from = offsets.at(file, line, column)
  const to = offsets.at(file, endLine, endColumn)
  return from === undefined || to === undefined || from > to ? undefined : [from, to]
}
