/**
 * Reviews event types: names in `events` that are likely misspelled or that the sender does not have, and conditions on a type that
 * `events` keeps out.
 */

import { insecure } from '../../config/config.ts'
import type { Fix, Path, SourceRange } from '../../core/diagnostic.ts'
import type { Json } from '../../core/json.ts'
import { isOneSlip, nearest, printable } from '../../core/text.ts'
import { knownEvents } from '../../parts/known-events.ts'
import { verifyNames } from '../../parts/written-names.ts'
import { canonicalField, comparedIn, comparesWhole, domainOf, type Leaf, leavesOf } from './filters/fields.ts'
import { likelySenders, unverifiedSender } from './likely-senders.ts'
import { eitherOf, fixOf, type Subject } from './subject.ts'

export const reviewEvents = (subject: Subject): void => {
  const { events = [], cancel_on: cancelOn } = subject.spec
  reviewList(['events'], events, subject)
  reviewList(['cancel_on', 'events'], cancelOn?.events ?? [], subject)
  reviewUnverified(subject)
  reviewConditions(subject)
  reviewActions(subject)
}

/** Reviews the list of types at `list`: `events` of the route, or those of `cancel_on`. */
const reviewList = (list: Path, events: readonly string[], subject: Subject): void => {
  const known = events.length > 0 ? knownEventsOf(subject) : ofAnySender
  for (const [i, name] of events.entries()) {
    // In a route of which only a part is usable, an item may be null.
    if (typeof name === 'string' && name.includes('*')) sayStar(list, i, events, subject)
    else if (typeof name === 'string' && !known.names.has(name)) checkName(name, [...list, i], known, subject)
  }
}

const isOfRoute = (path: Path): boolean => path[0] === 'events'

/** Returns the name of an item in a list of types, such as `cancel_on.events[0]`. */
const itemName = (path: Path): string => `${path.slice(0, -1).join('.')}[${path.at(-1)}]`

/** Reports a type with a `*`, which is the name of no event. */
const sayStar = (list: Path, i: number, events: readonly string[], { say, placeOf }: Subject): void => {
  const path = [...list, i]
  const isAlone = isOfRoute(path) && i === 0 && events.every((name) => name === '*')
  const name = printable(events[i] ?? '', 80)
  say('WH226', path, `${itemName(path)}: no sender has an event "${name}": a list of types has no patterns`, {
    help:
      name === '*'
        ? 'leave "events" out: then each event is taken'
        : `write each type, or filters: [{ field: event, matches_glob: '${name}' }]`,
    ...(isAlone ? { fix: fixOf('take each event', true, { place: placeOf(['events']), text: '[]' }) } : {}),
  })
}

/** Reports a route without `verify` for a sender whose signature only its own scheme checks: each of its posts is refused. */
const reviewUnverified = ({ route, spec, catalogue, say }: Subject): void => {
  // A message that is polled needs no signature.
  const sender = route.secrets.includes(insecure) || spec.poll ? undefined : unverifiedSender(route, catalogue)
  if (!sender) return
  say('WH342', ['events', 0], `these are events of ${sender.title}, and without "verify" nothing checks its signature: they are refused`, {
    help: `write verify: ${sender.name}; where another program signs and posts them, nothing is wrong`,
  })
}

/** The types that the senders of a route are known to send. */
type KnownEvents = {
  readonly names: ReadonlySet<string>
  /** The beginning of a message about a name that is not among `names`; the name follows. */
  readonly sentence: string
  /** Whether the types are those of the senders of the route. A sender of one's own may spell its types in its own way. */
  readonly isOfSender?: true
  /** Whether the senders send no other types. */
  readonly isWhole?: boolean
  /** The field of the payload that says what was done (`action`), where the sender has one. */
  readonly actionField?: string | undefined
  /** Types whose events do not have that field. */
  readonly noActions?: readonly string[] | undefined
}

const ofAnySender: KnownEvents = { names: knownEvents, sentence: 'no known sender has an event' }

/**
 * Returns the types that a route can get. They are those of all senders where a route names no sender, or a scheme without a list of types.
 */
const knownEventsOf = ({ route, spec, catalogue }: Subject): KnownEvents => {
  const schemes = likelySenders(route, catalogue)
  const lists = schemes.flatMap(({ events }) => events ?? [])
  // Without `verify`, a sender of one's own may post under any type.
  const isNamed = verifyNames(spec).length > 0
  if (lists.length === 0 || lists.length < schemes.length) return ofAnySender
  const who = schemes.map(({ title }) => title).join(' or ')
  const isWhole = isNamed && lists.every((each) => each.isWhole)
  const [only] = lists.length === 1 ? lists : []
  return {
    names: new Set(lists.flatMap(({ names }) => names)),
    sentence: isWhole ? `${who} has no event` : `${who} is not known to have an event`,
    isWhole,
    ...(isNamed ? { isOfSender: true } : {}),
    actionField: only?.actionField,
    noActions: only?.noActions,
  }
}

const checkName = (name: string, path: Path, knownEvents: KnownEvents, subject: Subject): void => {
  const { placeOf, say } = subject
  const { isWhole, actionField } = knownEvents
  const message = `${itemName(path)}: ${knownEvents.sentence} "${printable(name, 60)}"`
  const [, type = '', action = ''] = /^([^.]+)\.(\w+)$/.exec(name) ?? []
  const isOfType = actionField !== undefined && knownEvents.names.has(type)
  if (isOfType && !knownEvents.noActions?.includes(type)) {
    sayAction({ type, action, actionField }, message, path, subject)
    return
  }
  const near = isOfType ? { name: type, isPlain: false } : knownNear(name, knownEvents.names)
  if (near) {
    const place = placeOf(path)
    // An alias is not the name itself, so the fix must not replace it.
    const fix =
      withoutQuotes(subject.texts.at(place)) === name &&
      fixOf(`write ${near.name}`, near.isPlain && knownEvents.isOfSender === true, { place, text: quotedName(near.name) })
    say('WH226', path, message, { help: `did you mean "${near.name}"?`, suggest: [near.name], ...(fix ? { fix } : {}) })
  } else if (isWhole) {
    const suggest = nearest(name, knownEvents.names)
    const help = suggest.length > 0 ? `did you mean ${eitherOf(suggest)}?` : `write one that it has: ${commonNamesIn(knownEvents.names)} …`
    say('WH226', path, message, { help, suggest })
  }
}

const commonNamesIn = (names: ReadonlySet<string>): string => commonEvents.filter((name) => names.has(name)).join(', ')
const commonEvents = ['push', 'pull_request', 'merge_request', 'issues', 'issue', 'release']

type EventAction = { readonly type: string; readonly action: string; readonly actionField: string }

/** Reports `pull_request.opened`: the action stands in the payload, so a filter must ask for it. */
const sayAction = ({ type, action, actionField }: EventAction, message: string, path: Path, subject: Subject): void => {
  const help = `list "${type}", and ask for what was done in a filter: { field: ${actionField}, equals: ${action} }`
  // The fix changes the whole list, so only the finding about the first item has it.
  const fix = isOfRoute(path) && path.at(-1) === 0 ? actionFix(type, actionField, subject) : undefined
  subject.say('WH226', path, message, { help, suggest: [type], ...(fix ? { fix } : {}) })
}

/**
 * Returns the fix that lists the type in `events`, and asks for its actions in a filter. `undefined` where the list cannot be rewritten as
 * a whole, such as a list of several types, or where the route has filters already.
 */
const actionFix = (type: string, field: string, { spec, route, placeOf, texts }: Subject): Fix | undefined => {
  const events = spec.events ?? []
  const actions = events.flatMap((each) => (String(each).startsWith(`${type}.`) ? String(each).slice(type.length + 1) : []))
  if (actions.length < events.length || spec.filters !== undefined || !actions.every((each) => /^\w+$/.test(each))) return undefined
  const first = placeOf(['events', 0])
  const last = placeOf(['events', events.length - 1])
  const listed: SourceRange = { ...first, endLine: last.endLine, endColumn: last.endColumn }
  if (withoutQuotes(texts.at(first)) !== events[0] || texts.at(listed)?.includes('#') !== false) return undefined
  const whole = placeOf(['events'])
  const end: SourceRange = { ...whole, line: whole.endLine, column: whole.endColumn }
  const isFlow = texts.at(route.place(route.base))?.startsWith('{')
  const blanks = ' '.repeat(placeOf(['events'], 'key').column - 1)
  const wanted = actions.length === 1 ? `equals: ${quotedName(actions[0] ?? '')}` : `in: [${actions.map(quotedName).join(', ')}]`
  const filter = isFlow
    ? `, "filters": [${JSON.stringify({ field, ...(actions.length === 1 ? { equals: actions[0] } : { in: actions }) })}]`
    : `\n${blanks}filters:\n${blanks}  - { field: ${field}, ${wanted} }`
  const isJson = texts.at(first)?.startsWith('"') === true
  return fixOf(
    `list ${type}, and ask for its action in a filter`,
    false,
    { place: listed, text: isJson ? JSON.stringify(type) : quotedName(type) },
    { place: end, text: filter },
  )
}

const withoutQuotes = (written: string | undefined): string | undefined => written?.replace(/^(["'])(.*)\1$/, '$2')

/** Returns a name as YAML text: in quotes unless it is a plain word. */
const quotedName = (name: string): string =>
  /^[a-z_]\w*$/.test(name) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(name) ? name : JSON.stringify(name)

/** Returns a name without letter case, blanks, underscores, hyphens, and an `s` at its end. */
const looseName = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[\s_-]+/g, '')
    .replace(/s$/, '')

/**
 * Returns the known name that differs from a word by a slip; `undefined` where no name does. `isPlain`: the two differ only in what
 * `looseName` leaves out.
 */
const knownNear = (name: string, knownNames: ReadonlySet<string>): { readonly name: string; readonly isPlain: boolean } | undefined => {
  const same = [...knownNames].find((each) => looseName(each) === looseName(name))
  if (same !== undefined) return { name: same, isPlain: true }
  // "created" is no slip of "create".
  if (name.length < 5 || knownNames.has(name.replace(/(?:e?d|ing)$/, '')) || knownNames.has(name.replace(/d$/, ''))) return undefined
  const [near] = nearest(
    name,
    [...knownNames].filter((each) => Math.abs(each.length - name.length) <= 1 && each.length >= 5),
  )
  return near !== undefined && isOneSlip(name.toLowerCase(), near.toLowerCase()) ? { name: near, isPlain: false } : undefined
}

/** Finds conditions on an event type that `events` does not list. Events of such a type never get as far as the filters. */
const reviewConditions = (subject: Subject): void => {
  const { spec } = subject
  if ((spec.events ?? []).length === 0) return
  const asks = (leaf: Leaf): boolean => canonicalField(leaf.field) === 'event_type' && !leaf.path.includes('not')
  for (const leaf of leavesOf(spec.filters).filter(asks)) {
    const domain = domainOf(leaf, subject.catalogue.operators)
    if (domain?.kind !== 'one_of') continue
    for (const { value, path } of comparedIn(leaf, domain)) checkWanted(value, path, subject)
  }
}

const checkWanted = (name: Json, path: Path, { spec, say, placeOf }: Subject): void => {
  const events = (spec.events ?? []).filter((each) => typeof each === 'string')
  // A title such as "Push Hook" is in `events` by its short form, `push`.
  if (typeof name !== 'string' || events.includes(name) || / hook$/i.test(name)) return
  const near = nearest(name, events)
  say('WH408', path, `"${printable(name, 60)}" is not in "events": this never holds for it`, {
    help: near.length > 0 ? `did you mean ${eitherOf(near)}?` : 'add it to "events", or take it out here',
    suggest: near,
    related: [{ place: placeOf(['events']), message: 'only these get as far as the filters' }],
  })
}

/**
 * Finds conditions that compare the type of an event, or the header that has it, with a type and an action (`pull_request.opened`). Where
 * `events` lists types, `reviewConditions` has said it of the type.
 */
const reviewActions = ({ route, spec, catalogue, say }: Subject): void => {
  const senders = likelySenders(route, catalogue)
  for (const leaf of leavesOf(spec.filters)) {
    const field = canonicalField(leaf.field)
    const isType = field === 'event_type' && (spec.events ?? []).length === 0
    const domain = domainOf(leaf, catalogue.operators)
    for (const { value, path } of domain && comparesWhole(domain) ? comparedIn(leaf, domain) : []) {
      const [, type = '', action] = /^([^.]+)\.(\w+)$/.exec(String(value)) ?? []
      const sender = senders.find(
        ({ eventTypeHeaders = [], events }) =>
          (isType || eventTypeHeaders.some((name) => field === `headers.${name}`)) &&
          events?.actionField !== undefined &&
          events.names.includes(type) &&
          !events.names.includes(String(value)),
      )
      if (!sender) continue
      const message = `"${printable(leaf.field, 60)}" has the type of an event alone, and never "${printable(String(value), 60)}": ${sender.title} names the action in the payload`
      const help = `compare it with "${type}", and ask for the action in another condition: { field: ${sender.events?.actionField}, equals: ${action} }`
      say('WH347', path, message, { help, suggest: [type] })
    }
  }
}
