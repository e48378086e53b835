/** Finds conditions on another kind of value than the samples have: `equals: "false"` where the payload has `false`. */

import { type ExactJson, type ExactObject, isObject, type JsonObject } from '../../../core/json.ts'
import { printable } from '../../../core/text.ts'
import { compileField } from '../../../expr/path.ts'
import type { Domain } from '../../../parts/operators/operator.ts'
import { comparedIn, comparesWhole, domainOf, type Leaf, leavesOf, textNoun } from '../filters/fields.ts'
import { inAllOf, type Kind, kindOf, type Sampled } from '../sampled.ts'
import { fixOf, type Subject } from '../subject.ts'

export const reviewKinds = (subject: Subject, sampled: Sampled): void => {
  for (const leaf of leavesOf(subject.spec.filters)) {
    // The values of such a field are always texts, which `reviewOperands` checks without samples.
    if (textNoun(leaf.field) !== undefined) continue
    const domain = domainOf(leaf, subject.catalogue.operators)
    const values = domain && sampleValues(leaf, sampled)
    const wanted = domain && values && wantedKind(domain, values)
    if (domain && values && wanted !== undefined) reportKind(leaf, domain, { values, wanted }, sampled, subject)
    else if (domain && values) reportForm(leaf, domain, values, subject)
  }
}

/** Reports texts that differ in their form from all texts of the samples: in letter case, by the `refs/heads/` of a branch, or by the host before a name. */
const reportForm = (leaf: Leaf, domain: Domain, values: readonly ExactJson[], { say, placeOf }: Subject): void => {
  const texts = values.filter((value) => typeof value === 'string')
  if (texts.length === 0 || texts.length < values.length || !(comparesWhole(domain) || domain.kind === 'starts')) return
  for (const { value, path } of comparedIn(leaf, domain)) {
    const isMet = (text: string): boolean => (domain.kind === 'starts' ? text.startsWith(String(value)) : text === value)
    const meant = typeof value === 'string' && !texts.some(isMet) ? inFormOf(value, texts, leaf.field) : undefined
    if (meant === undefined) continue
    say(
      'WH343',
      path,
      `${leaf.operator} ${printable(JSON.stringify(value), 60)}: "${printable(leaf.field, 60)}" is written otherwise in each sample, as in ${printable(JSON.stringify(texts[0]), 60)}`,
      {
        help: `write ${meant}`,
        suggest: [meant],
        fix: fixOf(`write ${meant}`, false, { place: placeOf(path), text: JSON.stringify(meant) }),
      },
    )
  }
}

/** Keys whose values are words of a list that the sender has, so that all are written alike. */
const ofClosedList = /(?:^|[._])(?:type|kind|state|status|action|conclusion|result|severity|priority|level|role|visibility)$/i

/** Returns a text in the form that all samples of a field have; `undefined` where it has that form, or none is known. */
const inFormOf = (text: string, samples: readonly string[], field: string): string | undefined => {
  const all = (form: RegExp): boolean => samples.every((sample) => form.test(sample))
  const same = samples.find((sample) => sample.toLowerCase() === text.toLowerCase())
  if (same !== undefined) return same
  if (!text.startsWith('refs/') && all(/^refs\/heads\//)) return `refs/heads/${text}`
  if (text.startsWith('refs/heads/') && all(/^(?!refs\/)[^\s:]+$/)) return text.slice('refs/heads/'.length)
  const name = /^https?:\/\/[^/]+\/([\w.-]+\/[\w.-]+?)(?:\.git)?\/?$/.exec(text)?.[1]
  if (name !== undefined && all(/^[\w.-]+\/[\w.-]+$/)) return name
  const isCapital = ofClosedList.test(field) && all(/^[A-Z][a-z]+$/) && /^[a-z]+$/.test(text)
  return isCapital ? `${text[0]?.toUpperCase()}${text.slice(1)}` : undefined
}

/** Returns the values of a field in the samples. `null` is left out: at another time the field may have a value of any kind. */
const sampleValues = ({ field }: Leaf, { taken }: Sampled): readonly ExactJson[] => {
  const get = compileField(field)
  return taken.flatMap(({ event }) => {
    const value = get(event)
    return value === undefined || value === null ? [] : [value]
  })
}

/**
 * Returns the kind of value that a condition asks for, in words; `undefined` where the samples have values of this kind, or no kind is
 * certain.
 */
const wantedKind = (domain: Domain, values: readonly ExactJson[]): string | undefined => {
  if (values.length === 0) return undefined
  if (domain.kind === 'one_of' || domain.kind === 'none_of') {
    const kinds = new Set(domain.values.map(kindOf))
    const isPlain = kinds.size > 0 && !domain.values.some((value) => typeof value === 'object')
    return isPlain && !values.some((value) => kinds.has(kindOf(value))) ? [...kinds].join(' or ') : undefined
  }
  if (domain.kind === 'part') {
    const items = values.flatMap((value) => (Array.isArray(value) ? value : []))
    const kind = kindOf(domain.value)
    if (isObject(domain.value) && isPartOfAll(domain.value, items)) return 'an item that is this whole map'
    const isOther = values.every((value) => Array.isArray(value)) && items.length > 0 && items.every((item) => kindOf(item) !== kind)
    return isOther && kind !== 'null' ? `an item that is ${kind}` : undefined
  }
  const need = needs.get(domain.kind === 'range' ? domain.of : domain.kind)
  return need && !values.some(need.fits) ? need.words : undefined
}

type Need = { readonly words: string; readonly fits: (value: ExactJson) => boolean }
const aText: Need = { words: 'a text', fits: (value) => typeof value !== 'object' }

/** What the values must be for the other kinds of domains, and for each measure of a range. */
const needs: ReadonlyMap<string, Need> = new Map([
  ['pattern', aText],
  ['starts', aText],
  ['ends', aText],
  ['number', { words: 'a number', fits: (value) => kindOf(value) === 'a number' }],
  ['time', { words: 'a text with a time', fits: (value) => typeof value === 'string' }],
  ['length', { words: 'a list, a map or a text', fits: (value) => ['a list', 'a map', 'a text'].includes(kindOf(value)) }],
])

/** Whether all items are maps that have more keys than `map`: an item is compared as a whole. */
const isPartOfAll = (map: JsonObject, items: readonly ExactJson[]): boolean =>
  items.length > 0 &&
  items.every(
    (item) => isObject(item) && Object.keys(map).every((key) => key in item) && Object.keys(item).length > Object.keys(map).length,
  )

type KindMismatch = { readonly values: readonly ExactJson[]; readonly wanted: string }

const reportKind = (leaf: Leaf, domain: Domain, { values, wanted }: KindMismatch, sampled: Sampled, subject: Subject): void => {
  const { field, operator, path } = leaf
  const at = [...path, operator]
  const having = sampled.taken.filter(({ event }) => compileField(field)(event) !== undefined)
  const message = `"${printable(field, 80)}" is ${kindsOf(values)} ${inAllOf(having)}, and ${operator} asks for ${wanted}`
  const instead = insteadOf(leaf, domain, values)
  const place = subject.placeOf(at)
  subject.say('WH414', at, message, {
    help: instead === undefined ? kindHelp(leaf, domain, values) : `write ${instead}`,
    ...(instead === undefined ? {} : { suggest: [instead], fix: fixOf(`write ${instead}`, false, { place, text: instead }) }),
  })
}

/** Returns the kinds of values in words: `a list of maps`. */
const kindsOf = (values: readonly ExactJson[]): string => {
  const items = new Set(values.flatMap((value) => (Array.isArray(value) ? value.map(kindOf) : [])))
  const [only] = items
  const list =
    only !== undefined && items.size === 1 && only !== 'true or false' && only !== 'null' ? `a list of ${only.slice(2)}s` : 'a list'
  return [...new Set(values.map((value) => (Array.isArray(value) ? list : kindOf(value))))].join(' or ')
}

/** Returns the operand in the kind that the samples have; `undefined` where its text cannot be of that kind. */
const insteadOf = (leaf: Leaf, domain: Domain, values: readonly ExactJson[]): string | undefined => {
  const compared = comparedIn(leaf, domain)
  const [first] = compared
  const kinds = new Set(values.map(kindOf))
  if (!first || compared.length > 1 || first.path.at(-1) !== leaf.operator) return undefined
  const { value } = first
  if (kinds.has('a text') && (typeof value === 'number' || typeof value === 'boolean')) return JSON.stringify(String(value))
  if (typeof value !== 'string') return undefined
  const isOf = (kind: Kind, form: RegExp): boolean => kinds.has(kind) && form.test(value)
  return isOf('true or false', /^(?:true|false)$/) || isOf('a number', /^-?(?:0|[1-9]\d{0,14})$/) ? value : undefined
}

const kindHelp = ({ field }: Leaf, domain: Domain, values: readonly ExactJson[]): string => {
  const item = values.flatMap((value) => (Array.isArray(value) ? value : []))[0]
  if (isObject(item))
    return `ask for a value in the items: jsonata: '"…" in payload.${field.replace(/^payload\./, '')}.${namingKeyOf(item)}'`
  if (item === undefined) return 'compare with a value of that kind'
  return domain.kind === 'part' ? 'compare with a value of the kind of its items' : 'for an item of the list, use `contains`'
}

/** Returns the key of an item whose value most likely names the item. */
const namingKeyOf = (item: ExactObject): string =>
  ['name', 'title', 'login', 'id'].find((key) => item[key] !== undefined) ?? Object.keys(item).find((key) => /^\w+$/.test(key)) ?? 'name'
