/** Reviews the templates of a route: other template languages, missing braces, and placeholders that samples do not fill in. */

import type { Path } from '../../core/diagnostic.ts'
import { isObject, type Json } from '../../core/json.ts'
import { printable } from '../../core/text.ts'
import { replyPlaceholder } from '../../parts/body-pieces.ts'
import { reasonPlaceholder } from '../../parts/respond/respond.ts'
import { writtenTargets } from '../../parts/written-targets.ts'
import { hasVariable } from '../../secrets/variables.ts'
import { type Surrounding, slipsIn, type TemplateSlip } from '../dialects.ts'
import { reviewRedacted } from './fields/redacted.ts'
import { reviewSchemaPaths } from './fields/schema-paths.ts'
import { reviewTransformKeys } from './fields/transform-keys.ts'
import { fieldNames } from './filters/fields.ts'
import { keysOf } from './keys.ts'
import { coversEvents, type Sampled } from './sampled.ts'
import { reviewFilled, reviewSlips, reviewWholePayload } from './samples/filled.ts'
import { knownPaths } from './samples/known-paths.ts'
import { fixOf, type Subject } from './subject.ts'

export const reviewTemplates = (subject: Subject): void => {
  const { spec } = subject
  const sampled = subject.samples?.get(subject.route)
  // A sender's sample does not show the payload that a script makes.
  const isAsked = sampled !== undefined && sampled.taken.length > 0
  const ofSender = spec.script === undefined && !isAsked ? subject.senderSamples?.get(subject.route) : undefined
  const mayHave = mayHaveIn(subject, sampled)
  const known = knownPaths(isAsked ? sampled : ofSender, 'textEvent')
  const texts: { readonly path: Path; readonly text: string }[] = []
  const check = (path: Path, text: string, kind: Surrounding['kind']): void => {
    texts.push({ path, text })
    const slips = slipsIn(text, { kind, mayHave, ...known })
    for (const slip of slips) reportSlip(subject, path, text, slip)
    // A placeholder within a slip, such as that in {{payload.title}}, is the same slip.
    const said = new Set(slips.flatMap(({ at, text: { length } }) => Array.from({ length }, (_, i) => at + i)))
    const at = { path, text, where: textLabel(path) }
    if (sampled) reviewFilled(subject, sampled, at, said)
    if (ofSender) reviewSlips(subject, ofSender, at, said)
  }
  if (spec.prompt !== undefined) check(['prompt'], spec.prompt, 'prose')
  if (sampled && !spec.prompt) reviewWholePayload(subject, sampled)
  const extras = new Map(writtenTargets(spec).map(({ extra, extraPath }) => [extraPath.join('.'), { extra, extraPath }]))
  for (const { extra, extraPath } of extras.values())
    visitTexts(extra, extraPath, (path, text) => {
      const key = path[extraPath.length]
      const isOfBody = key === 'body'
      // A reference to a secret in a body or an address is read when the text is sent.
      if (!(isOfBody || key === 'url') || !hasVariable(text)) check(path, isOfBody ? without(text, replyPlaceholder) : text, 'setting')
    })
  // A key without a placeholder is the name of a field.
  for (const { key, path, names } of keysOf(spec)) if (names.length > 0) check(path, key, 'setting')
  visitAnswers(spec.respond, (path, text) => check(path, text, 'prose'))
  reviewRedacted(subject, texts)
  reviewSchemaPaths(subject, texts)
  if (!isAsked) reviewTransformKeys(subject, texts)
}

/** Puts blanks in place of a placeholder that no payload fills in, so that what stands around it keeps its place. */
const without = (text: string, placeholder: string): string => text.replaceAll(placeholder, ' '.repeat(placeholder.length))

/** Visits the texts in the bodies of a route's answers, without the placeholders that no payload fills in. */
const visitAnswers = (respond: Subject['spec']['respond'], tell: (path: Path, text: string) => void): void => {
  const { body, wait_seconds: waits, outcomes = {} } = respond ?? {}
  const bodies = [
    { path: ['respond', 'body'], body, late: waits === undefined ? undefined : replyPlaceholder },
    ...Object.entries(outcomes).map(([name, answer]) => ({
      path: ['respond', 'outcomes', name, 'body'],
      body: answer.body,
      late: name === 'ignored' ? reasonPlaceholder : undefined,
    })),
  ]
  for (const { path, body, late } of bodies)
    if (body !== undefined) visitTexts(body as Json, path, (place, text) => tell(place, late === undefined ? text : without(text, late)))
}

/** Returns the name of the text at a path in `TakenSample.texts`. All texts in settings of targets share one name. */
const textLabel = ([key, below]: Path): string => (key === 'prompt' ? key : below === 'key' ? `${key}.${below}` : 'deliver_extra')

/** Visits all texts of a value, except under `secret` and `headers`: texts there are no templates, and may be secrets. */
const visitTexts = (value: Json, path: Path, tell: (path: Path, text: string) => void): void => {
  if (typeof value === 'string') tell(path, value)
  else if (Array.isArray(value)) for (const [i, item] of value.entries()) visitTexts(item, [...path, i], tell)
  else if (isObject(value))
    for (const [key, item] of Object.entries(value)) if (key !== 'secret' && key !== 'headers') visitTexts(item, [...path, key], tell)
}

/**
 * Returns a function that says whether a payload may have a key `payload` or `event`: by the samples, where there is one of each event
 * type and no script. Otherwise a script, a filter on the key or a sender that is known for such keys makes it possible.
 */
const mayHaveIn = ({ spec }: Subject, sampled: Sampled | undefined): Surrounding['mayHave'] => {
  const fields = fieldNames(spec.filters)
  const known = spec.script === undefined && sampled && sampled.taken.length > 0 && coversEvents(sampled, spec) ? sampled : undefined
  return (key) =>
    known?.paths('textEvent').includes(key) ??
    (spec.script !== undefined ||
      spec.transform !== undefined ||
      fields.some((field) => field === `payload.${key}` || field.startsWith(`payload.${key}.`)) ||
      // Vercel, Zoom and Calendly put the event's data into such a key.
      (spec.events ?? []).some((name) => /^(?:deployment|project|meeting|webinar|recording|invitee)\./.test(String(name))))
}

const reportSlip = (
  subject: Subject,
  path: Path,
  value: string,
  { code, at, text, message, help, instead, safe = false }: TemplateSlip,
): void => {
  const whole = subject.placeOf(path)
  const place = subject.texts.inside(whole, value, { text, at })
  const fix = place && instead !== undefined ? { fix: fixOf(help, safe, { place, text: instead }) } : {}
  subject.say(code, path, printable(message, 300), {
    help,
    place: place ?? whole,
    ...(instead === undefined || instead === '' ? {} : { suggest: [instead] }),
    ...fix,
  })
}
