/**
 * Finds patterns that match no text at all, such as `/^main/` and `a$b`, so that a condition with one never holds, and a `not` around it
 * always does.
 */

import { compileRe2 } from './regex.ts'

/** An instruction of the engine's program, as re2js numbers them. */
type Instruction = { readonly op: number; readonly out: number; readonly arg: number; readonly runes: ArrayLike<number> }
const op = { alt: 1, altMatch: 2, emptyWidth: 4, fail: 5, match: 6, rune1: 9, anyRune: 10, anyButLine: 11 } as const
const asserts = { beginLine: 1, endLine: 2, beginText: 4, endText: 8 } as const

/** What stands before a place in the text, and what must stand after it. The boundary of a word (`\b`) is assumed to match everywhere. */
type PatternPlace = { readonly pc: number; readonly before: 'start' | 'newline' | 'sign'; readonly behind: 'any' | 'newline' | 'end' }

/** An anchor in a place where it may never match. Other anchors are not checked, because that takes the engine's program. */
const oddAnchor = /[^(|[\\]\^|\$[^)|]/

/** Whether no text matches a pattern, which must be a good one. */
export const matchesNothing = (pattern: string): boolean => {
  if (!oddAnchor.test(pattern.replace(/^\(\?[a-zA-Z]+\)/, ''))) return false
  const { inst, start } = compileRe2(pattern).re2().prog
  const open: PatternPlace[] = [
    { pc: start, before: 'start', behind: 'any' },
    { pc: start, before: 'newline', behind: 'any' },
    { pc: start, before: 'sign', behind: 'any' },
  ]
  const seen = new Set<string>()
  for (let place = open.pop(); place; place = open.pop()) {
    const key = `${place.pc} ${place.before} ${place.behind}`
    if (seen.has(key)) continue
    seen.add(key)
    const next: Instruction = inst[place.pc]
    if (next.op === op.match) return false
    open.push(...placesAfter(next, place))
  }
  return true
}

const placesAfter = (next: Instruction, { pc: _, ...place }: PatternPlace): readonly PatternPlace[] => {
  const { out: pc, arg } = next
  if (next.op === op.fail) return []
  if (next.op === op.alt || next.op === op.altMatch) return [pc, arg].map((each) => ({ pc: each, ...place }))
  if (next.op === op.emptyWidth) return isMet(arg, place.before) ? [{ pc, ...place, behind: behindAfter(arg, place.behind) }] : []
  if (next.op < op.match || next.op === op.match + 1) return [{ pc, ...place }]
  if (place.behind === 'end') return []
  const line: readonly PatternPlace[] = takesLineEnd(next) ? [{ pc, before: 'newline', behind: 'any' }] : []
  return place.behind === 'newline' ? line : [...line, ...(isOnlyLineEnd(next) ? [] : [{ pc, before: 'sign', behind: 'any' } as const])]
}

const isMet = (arg: number, before: PatternPlace['before']): boolean =>
  (!(arg & asserts.beginText) || before === 'start') && (!(arg & asserts.beginLine) || before !== 'sign')

const behindAfter = (arg: number, behind: PatternPlace['behind']): PatternPlace['behind'] => {
  if (arg & asserts.endText || behind === 'end') return 'end'
  return arg & asserts.endLine ? 'newline' : behind
}

const lineEnd = 10

const takesLineEnd = ({ op: kind, runes }: Instruction): boolean => {
  if (kind === op.anyRune) return true
  if (kind === op.anyButLine) return false
  if (kind === op.rune1 || runes.length === 1) return runes[0] === lineEnd
  return Array.from(runes).some((from, i) => i % 2 === 0 && from <= lineEnd && lineEnd <= (runes[i + 1] ?? from))
}

const isOnlyLineEnd = ({ op: kind, runes }: Instruction): boolean =>
  kind !== op.anyRune && kind !== op.anyButLine && Array.from(runes).every((rune) => rune === lineEnd)

/** Returns a pattern that is written as in JavaScript, between slashes, in the form that `regex` takes; `undefined` for any other. */
export const withoutSlashes = (pattern: string): string | undefined => {
  // Without flags, `^` or `$`, `/fix/` may be a path and no pattern.
  const inner = /^\/(.+)\/([gimsuy]+)$/.exec(pattern) ?? /^\/(\^.*|.*\$)\/()$/.exec(pattern)
  return inner ? `${inner[2]?.includes('i') ? '(?i)' : ''}${inner[1]}` : undefined
}
