/** Finds texts without quotes that YAML cuts at a `#`, where the author most likely meant no comment (WH011). */

import type { Path } from '../../core/diagnostic.ts'
import { isObject, type Json, type JsonObject } from '../../core/json.ts'
import { printable } from '../../core/text.ts'
import { fixOf, type Subject } from './subject.ts'

/** A route or a job, with its texts. */
type TextOwner = Pick<Subject, 'texts' | 'placeOf' | 'say'> & { readonly spec: object }

/**
 * Keys whose texts may well contain a `#`. The values of other keys are mostly names and numbers, behind which a `#` begins a comment.
 */
const textKeys = [
  'description',
  'prompt',
  'filters',
  'schedule',
  'deliver_extra',
  'respond',
  'coalesce',
  'concurrency',
  'rate_limit',
  'session',
] as const

/**
 * Matches a comment that looks like text: no blank follows its `#`, or it has a placeholder. Without a placeholder, a comment such as
 * `#----` or `#====` does not match, because it is a ruled line.
 */
const looksLikeText = /^[ \t]+#(?:[^\s#!=*-]|.*\{[A-Za-z_=])/

/** Matches an ignore comment of `validate`. Its reason may be any text. */
const isDirective = /^\s*#+\s*webhook-ignore\b/

export const reviewComments = (author: TextOwner): void => {
  const spec = author.spec as JsonObject
  for (const key of textKeys) if (spec[key] !== undefined) checkTexts(spec[key], [key], author)
  if (Array.isArray(spec.deliver))
    for (const [i, item] of spec.deliver.entries())
      if (isObject(item) && item.deliver_extra !== undefined) checkTexts(item.deliver_extra, ['deliver', i, 'deliver_extra'], author)
}

/** Checks all texts of a value, except under `field`, which is a name, and under `secret` and `headers`: texts there may be secrets, and a message would quote them. */
const checkTexts = (value: Json, path: Path, author: TextOwner): void => {
  if (typeof value === 'string') checkText(value, path, author)
  else if (Array.isArray(value)) for (const [i, item] of value.entries()) checkTexts(item, [...path, i], author)
  else if (isObject(value))
    for (const [key, item] of Object.entries(value))
      if (key !== 'secret' && key !== 'headers' && key !== 'field') checkTexts(item, [...path, key], author)
}

const checkText = (value: string, path: Path, { texts, placeOf, say }: TextOwner): void => {
  const place = placeOf(path)
  const written = texts.at(place)
  // Only a text that is written in the file exactly as it is read is checked. Quotes, blocks, several lines, aliases and references make
  // the two differ.
  if (written === undefined || written !== value) return
  const behind = texts.behind(place)
  const comment = texts.at(behind)?.trimEnd() ?? ''
  if (!looksLikeText.test(comment) || isDirective.test(comment)) return
  const sign = { ...behind, column: behind.column + comment.indexOf('#'), endColumn: behind.column + comment.length }
  const whole = JSON.stringify(`${written}${comment}`)
  const fix = fixOf('put the whole text in quotes', false, { place: { ...place, endColumn: sign.endColumn }, text: whole })
  const help = 'put the whole text in quotes; where a comment is meant, write a blank behind its # and no placeholder'
  say('WH011', path, `YAML takes "${printable(comment.trim(), 60)}" for a comment: the text ends before it`, { help, place: sign, fix })
}
