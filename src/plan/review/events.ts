/** Event types: names that nobody sends, and conditions on a type that `events` keeps out. */

import type { Fix, Path, Place } from '../../core/diagnostic.ts'
import type { Json } from '../../core/json.ts'
import { isOneSlip, nearest, printable } from '../../core/text.ts'
import { knownEvents } from '../../parts/known-events.ts'
import { verifyNames } from '../../parts/verify-names.ts'
import { checkedWith } from '../compile.ts'
import { comparedIn, domainOf, type Leaf, leavesOf, sameField } from './filters/fields.ts'
import { anyOf, replacing, type Subject } from './subject.ts'

export const reviewEvents = (subject: Subject): void => {
  const events = subject.spec.events ?? []
  const known = events.length > 0 ? knownOf(subject) : ofAnySender
  for (const [i, name] of events.entries()) {
    // Of a list that is not whole an item may be none.
    if (typeof name === 'string' && !known.names.has(name)) checkName(name, i, known, subject)
  }
  reviewConditions(subject)
}

/** The types that the senders of a route are known to send. */
type KnownEvents = {
  readonly names: ReadonlySet<string>
  /** Says before a name that it is none of them. */
  readonly sentence: string
  /** They send nothing else. */
  readonly isWhole?: boolean
  readonly actionField?: string | undefined
  readonly noActions?: readonly string[] | undefined
}

const ofAnySender: KnownEvents = { names: knownEvents, sentence: 'no known sender has an event' }

/** Of a route that names no sender, or a scheme that anybody may sign with, those of all senders. */
const knownOf = ({ route, spec, catalogue }: Subject): KnownEvents => {
  if (verifyNames(spec).length === 0) return ofAnySender
  const schemes = checkedWith(route, catalogue)
  const lists = schemes.flatMap(({ events }) => events ?? [])
  if (lists.length === 0 || lists.length < schemes.length) return ofAnySender
  const who = schemes.map(({ title }) => title).join(' or ')
  const isWhole = lists.every((each) => each.isWhole)
  const [only] = lists.length === 1 ? lists : []
  return {
    names: new Set(lists.flatMap(({ names }) => names)),
    sentence: isWhole ? `${who} has no event` : `${who} is not known to have an event`,
    isWhole,
    actionField: only?.actionField,
    noActions: only?.noActions,
  }
}

const checkName = (name: string, i: number, known: KnownEvents, subject: Subject): void => {
  const { placeOf, say } = subject
  const path = ['events', i]
  const { isWhole, actionField } = known
  const message = `events[${i}]: ${known.sentence} "${printable(name, 60)}"`
  const [, type = '', action = ''] = /^([^.]+)\.(\w+)$/.exec(name) ?? []
  const isOfType = actionField !== undefined && known.names.has(type)
  if (isOfType && !known.noActions?.includes(type)) {
    sayAction({ type, action, actionField }, message, path, subject)
    return
  }
  const near = isOfType ? { name: type, isPlain: false } : knownNear(name, known.names)
  if (near) {
    const place = placeOf(path)
    // What an alias stands for is written elsewhere.
    const fix = bare(subject.texts.at(place)) === name && replacing(`write ${near.name}`, near.isPlain, { place, text: quoted(near.name) })
    say('WH226', path, message, { help: `did you mean "${near.name}"?`, suggest: [near.name], ...(fix ? { fix } : {}) })
  } else if (isWhole) {
    const suggest = nearest(name, known.names)
    const help = suggest.length > 0 ? `did you mean ${anyOf(suggest)}?` : `write one that it has: ${firstOf(known.names)} …`
    say('WH226', path, message, { help, suggest })
  }
}

const firstOf = (names: ReadonlySet<string>): string => common.filter((name) => names.has(name)).join(', ')
const common = ['push', 'pull_request', 'merge_request', 'issues', 'issue', 'release']

type EventAction = { readonly type: string; readonly action: string; readonly actionField: string }

/** `pull_request.opened`: what was done stands in the payload, and a filter asks for it. */
const sayAction = ({ type, action, actionField }: EventAction, message: string, path: Path, subject: Subject): void => {
  const help = `list "${type}", and ask for what was done in a filter: { field: ${actionField}, equals: ${action} }`
  // The fix changes the whole list, so that the first of its items has it.
  const fix = path.at(-1) === 0 ? actionFix(type, actionField, subject) : undefined
  subject.say('WH226', path, message, { help, suggest: [type], ...(fix ? { fix } : {}) })
}

/** Where all that is listed is of one type, and no filter stands there yet: `events` get the type, and a filter its actions. */
const actionFix = (type: string, field: string, { spec, route, placeOf, texts }: Subject): Fix | undefined => {
  const events = spec.events ?? []
  const actions = events.flatMap((each) => (String(each).startsWith(`${type}.`) ? String(each).slice(type.length + 1) : []))
  if (actions.length < events.length || spec.filters !== undefined || !actions.every((each) => /^\w+$/.test(each))) return undefined
  const first = placeOf(['events', 0])
  const last = placeOf(['events', events.length - 1])
  const listed: Place = { ...first, endLine: last.endLine, endColumn: last.endColumn }
  if (bare(texts.at(first)) !== events[0] || texts.at(listed)?.includes('#') !== false) return undefined
  const whole = placeOf(['events'])
  const end: Place = { ...whole, line: whole.endLine, column: whole.endColumn }
  const isFlow = texts.at(route.place(route.base))?.startsWith('{')
  const blanks = ' '.repeat(placeOf(['events'], 'key').column - 1)
  const wanted = actions.length === 1 ? `equals: ${quoted(actions[0] ?? '')}` : `in: [${actions.map(quoted).join(', ')}]`
  const filter = isFlow
    ? `, "filters": [${JSON.stringify({ field, ...(actions.length === 1 ? { equals: actions[0] } : { in: actions }) })}]`
    : `\n${blanks}filters:\n${blanks}  - { field: ${field}, ${wanted} }`
  const isJson = texts.at(first)?.startsWith('"') === true
  return replacing(
    `list ${type}, and ask for its action in a filter`,
    false,
    { place: listed, text: isJson ? JSON.stringify(type) : quoted(type) },
    { place: end, text: filter },
  )
}

/** Without its quotes. */
const bare = (written: string | undefined): string | undefined => written?.replace(/^(["'])(.*)\1$/, '$2')

/** As YAML and JSON both read it. */
const quoted = (name: string): string =>
  /^[a-z_]\w*$/.test(name) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(name) ? name : JSON.stringify(name)

/** Without letter case, hyphens and an `s` at the end. */
const plain = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[\s_-]+/g, '')
    .replace(/s$/, '')

/** The known name that a word is almost; none for a word that is far from all. */
const knownNear = (name: string, known: ReadonlySet<string>): { readonly name: string; readonly isPlain: boolean } | undefined => {
  const same = [...known].find((each) => plain(each) === plain(name))
  if (same !== undefined) return { name: same, isPlain: true }
  // "created" beside "create" is a word of its own.
  if (name.length < 5 || known.has(name.replace(/(?:e?d|ing)$/, '')) || known.has(name.replace(/d$/, ''))) return undefined
  const [near] = nearest(
    name,
    [...known].filter((each) => Math.abs(each.length - name.length) <= 1 && each.length >= 5),
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
