/** What conditions compare with: values that the field can never have, and texts that an operator takes letter by letter. */

import type { Path } from '../../core/diagnostic.ts'
import { isObject, type Json } from '../../core/json.ts'
import { printable } from '../../core/text.ts'
import { type Leaf, leavesOf, sameField } from './fields.ts'
import { replacing, type Subject } from './subject.ts'

export const reviewOperands = (subject: Subject): void => {
  for (const leaf of leavesOf(subject.spec.filters)) {
    checkType(leaf, subject)
    checkText(leaf, subject)
  }
}

const isScalar = (value: Json): boolean => typeof value !== 'object' || value === null

const checkType = ({ field, operator, operand, path }: Leaf, subject: Subject): void => {
  const at = [...path, operator]
  if (operator === 'contains' && Array.isArray(operand) && operand.length > 0 && operand.every(isScalar)) {
    const help = 'for one of several, write a condition for each under `any`; for all of them, one below the other'
    subject.say('WH406', at, 'contains looks for this whole list as one item: no sender has lists of lists', { help })
    return
  }
  if (sameField(field) !== 'event_type' && !field.startsWith('headers.')) return
  const noun = field.startsWith('headers.') ? 'a header' : 'the type of an event'
  if (operator === 'in' && Array.isArray(operand)) {
    for (const [i, item] of operand.entries()) checkHeader(item, [...at, i], noun, subject)
  } else if (operator === 'equals' || operator === 'not_equals') checkHeader(operand, at, noun, subject)
}

/** Headers and types are texts. */
const checkHeader = (operand: Json, path: Path, noun: string, { say, placeOf }: Subject): void => {
  if (typeof operand === 'string') return
  const isPlain = typeof operand === 'number' || typeof operand === 'boolean'
  const text = isPlain ? JSON.stringify(String(operand)) : ''
  say('WH406', path, `${noun} is always a text, never ${printable(JSON.stringify(operand), 60)}`, {
    help: isPlain ? `put it in quotes: ${text}` : operand === null ? 'use `missing: true`' : 'compare with a text',
    ...(isPlain ? { suggest: [text], fix: replacing('put it in quotes', true, { place: placeOf(path), text }) } : {}),
  })
}

const checkText = ({ field, operator, operand, path }: Leaf, subject: Subject): void => {
  const at = [...path, operator]
  const texts = operator === 'in' && Array.isArray(operand) ? operand.map((item, i) => ({ item, at: [...at, i] })) : [{ item: operand, at }]
  for (const { item, at: place } of texts) {
    if (typeof item === 'string') checkLetters(operator, item, place, subject)
  }
  const isLongList =
    operator === 'equals' && Array.isArray(operand) && operand.length > 1 && operand.every((item) => typeof item === 'string')
  if (!isLongList || isObject(operand)) return
  const help = 'for one of several values, use `in`'
  const fix = replacing('use in', false, { place: subject.placeOf(at, 'key'), text: 'in' })
  subject.say('WH411', at, `equals wants ${printable(field, 60)} to be this whole list`, { help, of: 'key', suggest: ['in'], fix })
}

const pattern = /^\^.|[\w)\]]\$$|\.\*|\\[dwsb]/
const glob = /[/.-]\*$|^\*[./-]|\*\*/

const checkLetters = (operator: string, text: string, path: Path, { say }: Subject): void => {
  const shown = printable(JSON.stringify(text), 80)
  const [note, help, suggest] =
    operator === 'regex'
      ? noteOnRegex(text)
      : ['contains', 'equals', 'not_equals', 'in'].includes(operator)
        ? noteOnLiteral(operator, text)
        : []
  if (note === undefined || help === undefined) return
  say('WH411', path, `${operator} ${shown}: ${note}`, { help, ...(suggest === undefined ? {} : { suggest: [suggest] }) })
}

type Note = readonly [note: string, help: string, suggest?: string] | readonly []

const noteOnRegex = (text: string): Note => {
  const inner = /^\/(.+)\/([gimsuy]+)$/.exec(text) ?? /^\/(\^.*\$)\/()$/.exec(text)
  if (!inner) return []
  const instead = `${inner[2]?.includes('i') ? '(?i)' : ''}${inner[1]}`
  return ['the slashes belong to the pattern', `write ${instead}`, instead]
}

const noteOnLiteral = (operator: string, text: string): Note => {
  if (pattern.test(text)) return [`${operator} takes it letter by letter`, 'for a pattern, use `regex`']
  if (operator !== 'contains' && glob.test(text)) {
    const regex = `^${text.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/\*+/g, '.*')}`.replace(/\.\*$/, '')
    return ['the star stands for itself', `for a pattern, use regex: ${regex}`, regex]
  }
  return []
}
