/**
 * Reviews a route by sample payloads: fields and keys that no sample has, conditions on another kind of value, and a script that ignores
 * every sample.
 */

import { isObject } from '../../../core/json.ts'
import { printable } from '../../../core/text.ts'
import { compileField } from '../../../expr/path.ts'
import { partsOf, pathOfParts } from '../../../expr/path-parts.ts'
import { isRequestField } from '../../../expr/request-field.ts'
import { verifyNames } from '../../../parts/written-names.ts'
import { domainOf, type Leaf, leavesOf } from '../filters/fields.ts'
import { coversEvents, inNoneOf, reaches, type Sampled, type TakenSample } from '../sampled.ts'
import { fixOf, isOfLookup, type Subject } from '../subject.ts'
import { reviewConditionExpressions, reviewTransform } from './expressions.ts'
import { reviewKinds } from './kinds.ts'
import { type NearPaths, namesFurtherItem, nearFields, nearPathHelp } from './near-paths.ts'

export const reviewSamples = (subject: Subject): void => {
  const asked = subject.samples?.get(subject.route)
  const isAsked = asked !== undefined && asked.taken.length > 0
  const known = isAsked ? asked : subject.senderSamples?.get(subject.route)
  if (known) reviewKinds(subject, known)
  if (known && !isAsked) for (const leaf of leavesOf(subject.spec.filters)) checkSenderField(leaf, known, subject)
  if (isAsked) reviewAsked(subject, asked)
}

/** Reviews a route by samples that the user chose. Such samples are taken to have all keys that matter. */
const reviewAsked = (subject: Subject, sampled: Sampled): void => {
  for (const leaf of leavesOf(subject.spec.filters)) checkField(leaf, sampled, subject)
  reviewConditionExpressions(sampled, subject)
  reviewTransform(sampled, subject)
  checkScript(sampled, subject)
  checkAddresses(sampled, subject)
}

/** Whether a condition only asks if an event has the field, and for no value of it. */
const asksWhether = (leaf: Leaf, { catalogue }: Subject): boolean => {
  const kind = domainOf(leaf, catalogue.operators)?.kind
  return kind === 'present' || kind === 'absent'
}

/** Whether no sample has the field of a condition. A further item of a list does not count: an event may have more items than a sample. */
const isMissing = (leaf: Leaf, sampled: Sampled, subject: Subject): boolean => {
  const { field } = leaf
  if (isOfLookup(field, subject) || asksWhether(leaf, subject) || field === 'event' || field === 'event_type' || isRequestField(field))
    return false
  const get = compileField(field)
  if (sampled.taken.some(({ event }) => get(event) !== undefined)) return false
  return !namesFurtherItem(field.replace(/^payload\./, ''), sampled.paths('event'))
}

/**
 * Checks the field of a condition by the built-in samples of the sender. A real event may have more keys than these samples. So only a slip
 * is a likely mistake (WH409); another missing field gets a note at most (WH415).
 */
const checkSenderField = (leaf: Leaf, sampled: Sampled, subject: Subject): void => {
  if (!isMissing(leaf, sampled, subject)) return
  const near = nearFields(leaf.field, sampled)
  if (near.slips.length > 0) sayMissing(leaf, near, sampled, subject)
  // Without `verify`, a sender of one's own may post events of this name.
  else if (
    verifyNames(subject.spec).length > 0 &&
    isUnlikely(leaf.field, sampled) &&
    (subject.spec.events ?? []).length > 0 &&
    coversEvents(sampled, subject.spec)
  ) {
    const message = `no sample of its sender has the field "${printable(leaf.field, 80)}": it is ${inNoneOf(sampled.taken)}`
    const help =
      near.all.length > 0
        ? nearPathHelp(near)
        : 'look whether events have it: headgate samples show <name>, headgate events show <id> --body'
    subject.say('WH415', [...leaf.path, 'field'], message, { help, suggest: near.all })
  }
}

/**
 * Whether every sample has the map around a field, and the map lacks the field's key. Where a sample has `null` or a list in place of the
 * map, an event may have the field.
 */
const isUnlikely = (field: string, { taken }: Sampled): boolean => {
  if (field.startsWith('headers.')) return false
  const parts = partsOf(field)
  return taken.every(({ event }) => {
    for (let length = parts.length - 1; length > 0; length--) {
      const around = compileField(pathOfParts(parts.slice(0, length)))(event)
      if (around !== undefined) return isObject(around)
    }
    return isObject(event.payload)
  })
}

const checkField = (leaf: Leaf, sampled: Sampled, subject: Subject): void => {
  if (!isMissing(leaf, sampled, subject)) return
  const { field, path } = leaf
  const near = nearFields(field, sampled)
  // A sample does not hold every header that a sender and the proxies on the way bring.
  const isSure = !field.startsWith('headers.') && coversEvents(sampled, subject.spec) && sampled.taken.some((taken) => reaches(taken, path))
  if (isSure || near.slips.length > 0) sayMissing(leaf, near, sampled, subject)
}

const sayMissing = ({ field, path }: Leaf, near: NearPaths, sampled: Sampled, subject: Subject): void => {
  const at = [...path, 'field']
  const { same } = near
  const place = subject.placeOf(at)
  const isQuoted = /^["']/.test(subject.texts.at(place) ?? '')
  subject.say('WH409', at, `the field "${printable(field, 80)}" is ${inNoneOf(sampled.taken)}`, {
    help: nearPathHelp(near),
    suggest: near.all,
    ...(same === undefined ? {} : { fix: fixOf(`write ${same}`, false, { place, text: isQuoted ? JSON.stringify(same) : same }) }),
  })
}

const checkScript = ({ taken }: Sampled, { spec, say }: Subject): void => {
  const ran = taken.flatMap(({ script }) => script ?? [])
  const [first] = ran
  if (first?.silent === undefined || ran.some(({ silent }) => silent === undefined)) return
  const count = ran.length === 1 ? 'the one sample that reaches it' : `all ${ran.length} samples that reach it`
  say('WH605', ['script'], `the script ${JSON.stringify(spec.script)} ignores ${count}: ${printable(first.silent, 300)}`, {
    help: 'try it: headgate webhook trace <route> --sample <name> --run-scripts',
  })
}

/**
 * Reports samples whose values make no address of a target. Where no sample has a value for a placeholder of the address, WH501 says so;
 * and settings without a placeholder are the same for each event, so they are reviewed without samples (WH713). On a route that lists no
 * events, some samples may be of events that its sender never sends.
 */
const checkAddresses = ({ taken }: Sampled, { spec, say }: Subject): void => {
  const rendered = taken.filter(({ passes, texts }) => passes && texts !== undefined)
  const isMissing = ({ texts = [] }: TakenSample, placeholder: string): boolean =>
    texts.some(({ where, written, missing }) => where.startsWith('deliver_extra') && written === placeholder && missing)
  const isOfAll = (placeholder: string): boolean => rendered.every((sample) => isMissing(sample, placeholder))
  const lost = rendered.filter(({ texts = [], undeliverable }) => {
    const inAddress = texts.filter(({ where }) => where.startsWith('deliver_extra'))
    return undeliverable !== undefined && inAddress.length > 0 && !inAddress.some(({ written }) => isOfAll(written))
  })
  const [first] = lost
  if (!first || ((spec.events ?? []).length === 0 && lost.length < rendered.length)) return
  const more = lost.length > 1 ? ` and ${lost.length - 1} more` : ''
  say(
    'WH336',
    ['deliver_extra'],
    `with the sample ${first.name}${more}, nothing can be delivered: ${printable(first.undeliverable ?? '', 300)}`,
    {
      help: 'let a filter keep such events out, or name a path that they have; their runs end dead before an agent is asked',
      of: 'key',
    },
  )
}
