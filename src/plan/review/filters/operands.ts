/**
 * Reviews the operands of conditions: values that the field can never have (WH406), and operands that are likely meant otherwise (WH411),
 * such as a text that only looks like a pattern.
 */

import type { Path } from '../../../core/diagnostic.ts'
import type { Json } from '../../../core/json.ts'
import { printable } from '../../../core/text.ts'
import { compileField } from '../../../expr/path.ts'
import { isTemplate, parseTemplate } from '../../../expr/placeholder.ts'
import { matchesNothing, withoutSlashes } from '../../../expr/regex/no-match.ts'
import { queryParameter } from '../../../expr/request-field.ts'
import { oneOf } from '../../../parts/operators/in.ts'
import type { Domain } from '../../../parts/operators/operator.ts'
import { samplesOf } from '../sampled.ts'
import { fixOf, type Subject } from '../subject.ts'
import { type ComparedValue, comparedIn, comparesWhole, domainOf, type Leaf, leavesOf, textNoun } from './fields.ts'

export const reviewOperands = (subject: Subject): void => {
  for (const leaf of leavesOf(subject.spec.filters)) {
    const domain = domainOf(leaf, subject.catalogue.operators)
    if (!domain) continue
    checkType(leaf, domain, subject)
    checkText(leaf, domain, subject)
  }
}

const isScalar = (value: Json): boolean => typeof value !== 'object' || value === null

const checkType = (leaf: Leaf, domain: Domain, subject: Subject): void => {
  const { field, operator, path } = leaf
  if (domain.kind === 'part') {
    const { value } = domain
    if (!Array.isArray(value) || value.length === 0 || !value.every(isScalar)) return
    const help = 'for one of several, write a condition for each under `any`; for all of them, one below the other'
    subject.say('WH406', [...path, operator], `${operator} looks for this whole list as one item: no sender has lists of lists`, { help })
    return
  }
  const noun = textNoun(field)
  if (noun !== undefined && domain.kind === 'range' && domain.of === 'number') {
    const help = 'compare the number in it with an expression: jsonata: $number(headers."X-Name") > 5'
    subject.say('WH406', [...path, operator], `${noun} is always a text, never a number`, { help })
  }
  // The value of a query parameter is a list only where the parameter is repeated. So an operand that is a list may be right there.
  const isOther = ({ value }: ComparedValue): boolean => queryParameter(field) === undefined || !Array.isArray(value)
  if (noun !== undefined) for (const each of comparedIn(leaf, domain).filter(isOther)) checkIsText(each, noun, subject)
}

/** Reports an operand that is no text, for a field whose values are always texts. */
const checkIsText = ({ value: operand, path }: ComparedValue, noun: string, { say, placeOf }: Subject): void => {
  if (typeof operand === 'string') return
  const isPlain = typeof operand === 'number' || typeof operand === 'boolean'
  const text = isPlain ? JSON.stringify(String(operand)) : ''
  say('WH406', path, `${noun} is always a text, never ${printable(JSON.stringify(operand), 60)}`, {
    help: isPlain ? `put it in quotes: ${text}` : operand === null ? 'use `missing: true`' : 'compare with a text',
    ...(isPlain ? { suggest: [text], fix: fixOf('put it in quotes', true, { place: placeOf(path), text }) } : {}),
  })
}

const checkText = (leaf: Leaf, domain: Domain, subject: Subject): void => {
  const { field, operator, operand, path } = leaf
  const at = [...path, operator]
  if (domain.kind === 'pattern') sayNote(noteOnPattern(domain.source), operator, domain.source, at, subject)
  // Only samples show whether a text is meant as it stands, and that a field is no list.
  const values = samplesOf(subject)?.taken.flatMap(({ event }) => compileField(field)(event) ?? []) ?? []
  for (const { value, path: place } of comparedIn(leaf, domain)) {
    if (typeof value !== 'string' || values.some((each) => typeof each === 'string' && each.includes(value))) continue
    sayNote(noteOnLiteral(leaf, value, comparesWhole(domain)), operator, value, place, subject)
  }
  if (domain.kind !== 'one_of' || domain.values[0] !== operand || !isLongList(operand)) return
  const isText = values.length > 0 && values.every((value) => typeof value === 'string')
  sayIsList(leaf, isText, subject)
}

const sayIsList = ({ field, operator, path }: Leaf, isText: boolean, { say, placeOf }: Subject): void => {
  const at = [...path, operator]
  const fix = isText ? { fix: fixOf(`use ${oneOf.name}`, true, { place: placeOf(at, 'key'), text: oneOf.name }) } : {}
  const message = `${operator} wants ${printable(field, 60)} to be this whole list`
  say('WH411', at, message, { help: `for one of several values, use \`${oneOf.name}\``, of: 'key', suggest: [oneOf.name], ...fix })
}

const isLongList = (operand: Json): boolean =>
  Array.isArray(operand) && operand.length > 1 && operand.every((item) => typeof item === 'string')

const sayNote = ([note, help, suggest]: Note, operator: string, text: string, path: Path, { say }: Subject): void => {
  if (note === undefined || help === undefined) return
  const shown = printable(JSON.stringify(text), 80)
  say('WH411', path, `${operator} ${shown}: ${note}`, { help, ...(suggest === undefined ? {} : { suggest: [suggest] }) })
}

/** What is likely wrong with a text, the way out, and the text to write instead; empty where nothing is wrong. */
type Note = readonly [note: string, help: string, suggest?: string] | readonly []

/** Returns a note on a pattern that is likely meant otherwise. One that matches nothing is an error of the operator. */
const noteOnPattern = (text: string): Note => {
  const inner = withoutSlashes(text)
  if (inner !== undefined) return matchesNothing(text) ? [] : ['the slashes belong to the pattern', `write ${inner}`, inner]
  return noteOnSigns(text)
}

/** Words in brackets that people write into titles and messages. In a pattern they are a set of single letters. */
const bracketedWord =
  /(?<!\\)\[((?:skip|no|ci)[ -](?:ci|skip|actions|deploy|build)|bot|wip|draft|security|release|[a-z]+ [a-z ]*[a-z])\](?![*+?{])/i

/** Returns a note on a pattern with doubled backslashes, a glob or a word in brackets, and on ends of lines where a line may end with CR LF. */
const noteOnSigns = (text: string): Note => {
  if (/\\\\[dDwWsSbB.]/.test(text)) {
    const instead = text.replace(/\\\\(?=[dDwWsSbB.])/g, '\\')
    return ['a doubled backslash is a backslash in the text', `write ${instead}`, instead]
  }
  if (/^[\w:-]+(?:[/.][\w-]+)*\/\*{1,2}$/.test(text)) {
    const instead = `^${text.replace(/\*+$/, '').replaceAll('.', '\\.')}`
    return ['a star repeats the sign before it, and is no wildcard here', `write ${instead}, or use \`matches_glob\``, instead]
  }
  const word = bracketedWord.exec(text)?.[1]
  if (word !== undefined) {
    const instead = text.replace(bracketedWord, '\\[$1\\]')
    return [`[${word}] is one of these letters, not the word in brackets`, `write ${instead}`, instead]
  }
  if (/^\(\?[a-z]*m[a-z]*\)/.test(text) && /(?<!\\r\??|\\s[*+]?|\\)\$$/.test(text)) {
    const instead = `${text.slice(0, -1)}\\r?$`
    return ['a line that ends with CR LF has a CR before its end, and browsers send such lines', `write ${instead}`, instead]
  }
  return []
}

const patternForm = /^\^.|[\w)\]]\$$|\.\*|\\[dwsb]/
const globForm = /[/.-]\*$|^\*[./-]|\*\*/

/** Returns the way to compare a field with what a text names in braces. */
const insteadOfTemplate = (field: string, text: string): string => {
  const [piece, ...more] = parseTemplate(text)
  const isPlain = piece?.kind === 'path' && more.length === 0 && /^[A-Za-z_][\w.]*$/.test(piece.path)
  const [one, other] = isPlain ? [field, piece.path] : ['one.path', 'other.path']
  return `compare two fields with equals_field: { field: ${one}, equals_field: ${other} }`
}

/** Returns a note on a text that looks like a template or a pattern. `isWhole`: the operator compares the text with the whole field. */
const noteOnLiteral = ({ field, operator }: Leaf, text: string, isWhole: boolean): Note => {
  if (isTemplate(text)) return ['an operand is no template: the braces stand for themselves', insteadOfTemplate(field, text)]
  if (patternForm.test(text)) return [`${operator} takes it letter by letter`, 'for a pattern, use `regex`']
  return isWhole && globForm.test(text) ? ['the star stands for itself', 'for a pattern, use `matches_glob`'] : []
}
