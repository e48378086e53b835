/** Event types: names that nobody sends, and conditions on a type that `events` keeps out. */

import type { Path } from '../../core/diagnostic.ts'
import type { Json } from '../../core/json.ts'
import { isOneSlip, nearest, printable } from '../../core/text.ts'
import { knownEvents } from '../../parts/known-events.ts'
import { comparedIn, domainOf, type Leaf, leavesOf, sameField } from './filters/fields.ts'
import { anyOf, replacing, type Subject } from './subject.ts'

export const reviewEvents = (subject: Subject): void => {
  const { spec, placeOf, say } = subject
  for (const [i, name] of (spec.events ?? []).entries()) {
    const path = ['events', i]
    // Of a list that is not whole an item may be none.
    const near = typeof name === 'string' ? knownNear(name) : undefined
    if (!near) continue
    const fix = replacing(`write ${near.name}`, near.isPlain, { place: placeOf(path), text: quoted(near.name) })
    const help = `did you mean "${near.name}"?`
    say('WH226', path, `events[${i}]: no known sender has an event "${printable(name, 60)}"`, { help, suggest: [near.name], fix })
  }
  reviewConditions(subject)
}

/** As YAML and JSON both read it. */
const quoted = (name: string): string => (/^[\w.]+$/.test(name) ? name : JSON.stringify(name))

/** Without letter case, hyphens and an `s` at the end. */
const plain = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[\s_-]+/g, '')
    .replace(/s$/, '')

/** The known name that a word is almost; none for a word that is known, or far from all. */
const knownNear = (name: string): { readonly name: string; readonly isPlain: boolean } | undefined => {
  if (knownEvents.has(name)) return undefined
  const same = [...knownEvents].find((known) => plain(known) === plain(name))
  if (same !== undefined) return { name: same, isPlain: true }
  // "created" beside "create" is a word of its own.
  if (name.length < 5 || knownEvents.has(name.replace(/(?:e?d|ing)$/, '')) || knownEvents.has(name.replace(/d$/, ''))) return undefined
  const [near] = nearest(
    name,
    [...knownEvents].filter((known) => Math.abs(known.length - name.length) <= 1 && known.length >= 5),
  )
  return near !== undefined && isOneSlip(name.toLowerCase(), near.toLowerCase()) ? { name: near, isPlain: false } : undefined
}

/** Conditions that ask for a type that never gets as far. */
const reviewConditions = (subject: Subject): void => {
  const { spec } = subject
  if ((spec.events ?? []).length === 0) return
  const asks = (leaf: Leaf): boolean => sameField(leaf.field) === 'event_type' && !leaf.path.includes('not')
  for (const leaf of leavesOf(spec.filters).filter(asks)) {
    const domain = domainOf(leaf, subject.catalogue.operators)
    if (domain?.kind !== 'one_of') continue
    for (const { value, path } of comparedIn(leaf, domain)) checkWanted(value, path, subject)
  }
}

const checkWanted = (name: Json, path: Path, { spec, say, placeOf }: Subject): void => {
  const events = (spec.events ?? []).filter((each) => typeof each === 'string')
  // A title as "Push Hook" passes `events` by its short form.
  if (typeof name !== 'string' || events.includes(name) || / hook$/i.test(name)) return
  const near = nearest(name, events)
  say('WH408', path, `"${printable(name, 60)}" is not in "events": this never holds for it`, {
    help: near.length > 0 ? `did you mean ${anyOf(near)}?` : 'add it to "events", or take it out here',
    suggest: near,
    related: [{ place: placeOf(['events']), message: 'only these get as far as the filters' }],
  })
}
