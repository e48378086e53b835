/** Finds texts that YAML cuts at a `#`, because their author put no quotes around them. */

import type { Path } from '../../core/diagnostic.ts'
import { isObject, type Json, type JsonObject } from '../../core/json.ts'
import { printable } from '../../core/text.ts'
import { fixOf, type Subject } from './subject.ts'

/** A route or a job, with its texts. */
type TextOwner = Pick<Subject, 'texts' | 'placeOf' | 'say'> & { readonly spec: object }

/** Keys with texts for people, agents and targets. Behind names and numbers a comment of any spelling is meant as a comment. */
const textKeys = ['description', 'prompt', 'schedule', 'deliver_extra', 'respond', 'coalesce', 'concurrency', 'session'] as const

/** Matches a comment that looks like text: no blank follows its sign, or a placeholder follows. A line of signs underlines a heading. */
const looksLikeText = /^[ \t]+#(?:[^\s#!=*-]|.*\{[A-Za-z_=])/

/** Matches an ignore comment of `validate`, which may quote anything. */
const isDirective = /^\s*#+\s*webhook-ignore\b/

export const reviewComments = (author: TextOwner): void => {
  const spec = author.spec as JsonObject
  for (const key of textKeys) if (spec[key] !== undefined) checkTexts(spec[key], [key], author)
  if (Array.isArray(spec.deliver))
    for (const [i, item] of spec.deliver.entries())
      if (isObject(item) && item.deliver_extra !== undefined) checkTexts(item.deliver_extra, ['deliver', i, 'deliver_extra'], author)
}

/** Checks all texts of a value, except under `secret` and `headers`: they may be secrets, and a message would quote them. */
const checkTexts = (value: Json, path: Path, author: TextOwner): void => {
  if (typeof value === 'string') checkText(value, path, author)
  else if (Array.isArray(value)) for (const [i, item] of value.entries()) checkTexts(item, [...path, i], author)
  else if (isObject(value))
    for (const [key, item] of Object.entries(value)) if (key !== 'secret' && key !== 'headers') checkTexts(item, [...path, key], author)
}

const checkText = (value: string, path: Path, { texts, placeOf, say }: TextOwner): void => {
  const place = placeOf(path)
  const written = texts.at(place)
  // A text in quotes, a block, a text of several lines, an alias and a resolved reference are not written as they read: not checked.
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
