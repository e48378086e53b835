/**
 * Reviews how samples fill in the texts of a route: placeholders without a value in any sample (WH501), expressions, and values that are cut (WH504).
 */

import type { Path } from '../../../core/diagnostic.ts'
import { printable } from '../../../core/text.ts'
import { hasFallback } from '../../../expr/template.ts'
import { templatePieces } from '../../dialects.ts'
import { coversEvents, inNoneOf, type Sampled } from '../sampled.ts'
import { fixOf, isOfLookup, type Subject } from '../subject.ts'
import { reviewExpression } from './expressions.ts'
import { type NearPaths, namesFurtherItem, nearPathHelp, nearPaths } from './near-paths.ts'

/** A text of the route. `where`: the name of the text in `TakenSample.texts`. */
export type TextAt = { readonly path: Path; readonly text: string; readonly where: string }

/** Reviews the placeholders of a text by samples that the user chose. `said`: the offsets of all characters in which a finding was reported already. */
export const reviewFilled = (subject: Subject, sampled: Sampled, at: TextAt, said: ReadonlySet<number>): void => {
  for (const { piece, from } of templatePieces(at.text)) {
    if (piece.kind === 'text' || said.has(from)) continue
    const written = piece.kind === 'raw' ? '{__raw__}' : piece.written
    reportCut(subject, sampled, at, { text: written, at: from })
    if (piece.kind === 'expression') reviewInText(subject, sampled, at, { ...piece, from })
    // A missing key of `coalesce` is reported by `checkKey` of samples.ts.
    if (piece.kind === 'path' && at.where !== 'coalesce.key')
      reportMissing(subject, sampled, at, { text: written, path: piece.path, at: from })
  }
}

const reviewInText = (
  subject: Subject,
  sampled: Sampled,
  { path, text, where }: TextAt,
  { written, source, from }: { readonly written: string; readonly source: string; readonly from: number },
): void => {
  const fillings = fillingsOf(sampled, where, written)
  const isSure = coversEvents(sampled, subject.spec) && fillings.some(({ passes }) => passes)
  const results = fillings.map(({ filled }) => filled)
  const at = from + '{='.length
  reviewExpression({ path, text, at, source, written, code: 'WH501', taken: fillings, results, isSure, of: 'textEvent' }, sampled, subject)
}

/**
 * Reviews a text by the built-in samples of the sender. A real event may have more keys than these samples. So a placeholder is reported
 * only where a sample has a path that differs by a slip.
 */
export const reviewSlips = (subject: Subject, sampled: Sampled, at: TextAt, said: ReadonlySet<number>): void => {
  const known = new Set(sampled.paths('event'))
  for (const { piece, from } of templatePieces(at.text)) {
    if (piece.kind !== 'path' || said.has(from) || hasFallback(piece.path)) continue
    if (known.has(piece.path) || namesFurtherItem(piece.path, [...known])) continue
    const near = nearPaths(piece.path, [...known])
    if (near.slips.length > 0) sayMissing(subject, sampled, at, { text: piece.written, at: from }, near)
  }
}

/** Reviews a route without a prompt, whose text is the whole payload. */
export const reviewWholePayload = (subject: Subject, sampled: Sampled): void =>
  reportCut(subject, sampled, { path: [], text: '', where: 'prompt' }, { text: 'the whole payload', at: 0 })

type TextPart = { readonly text: string; readonly at: number }

/** Returns how each sample filled in the placeholder `written` of the text `where`. */
const fillingsOf = ({ taken }: Sampled, where: string, written: string) =>
  taken.flatMap(({ texts = [], ...sample }) =>
    texts.filter((each) => each.where === where && each.written === written).map((filled) => ({ ...sample, filled })),
  )

const reportMissing = (subject: Subject, sampled: Sampled, at: TextAt, piece: TextPart & { readonly path: string }): void => {
  const fillings = fillingsOf(sampled, at.where, piece.text)
  if (isOfLookup(piece.path, subject) || fillings.length === 0 || fillings.some(({ filled }) => !filled.missing)) return
  if (namesFurtherItem(piece.path, sampled.paths('textEvent'))) return
  const near = nearPaths(piece.path, sampled.paths('textEvent'))
  const isSure = coversEvents(sampled, subject.spec) && fillings.some(({ passes }) => passes)
  if (isSure || near.slips.length > 0) sayMissing(subject, sampled, at, piece, near)
}

const sayMissing = (subject: Subject, sampled: Sampled, { path, text }: TextAt, piece: TextPart, near: NearPaths): void => {
  const whole = subject.placeOf(path)
  const place = subject.texts.inside(whole, text, piece)
  subject.say('WH501', path, `"${printable(piece.text, 80)}" is ${inNoneOf(sampled.taken)}: it stays as it is`, {
    help: nearPathHelp(near),
    suggest: near.all,
    place: place ?? whole,
    ...(place && near.same !== undefined ? { fix: fixOf(`write {${near.same}}`, false, { place, text: `{${near.same}}` }) } : {}),
  })
}

/** Reports a cut of a value: of the longest value that a sample which passes the filters gives. */
const reportCut = (subject: Subject, sampled: Sampled, { path, text, where }: TextAt, piece: TextPart): void => {
  const cuts = fillingsOf(sampled, where, piece.text).flatMap(({ name, passes, filled: { cut } }) =>
    cut && passes ? [{ name, ...cut }] : [],
  )
  const [longest] = cuts.sort((a, b) => b.from - a.from)
  if (!longest) return
  const whole = subject.placeOf(path, path.length === 0 ? 'key' : 'value')
  const what = piece.text.startsWith('{') ? `"${printable(piece.text, 80)}"` : piece.text
  const help = 'name the values that are needed: {dotted.path}, or an expression {= … }'
  const message = `${what} is cut: ${longest.from} → ${longest.to} characters of sample ${longest.name}`
  subject.say('WH504', path, message, { help, place: subject.texts.inside(whole, text, piece) ?? whole })
}
