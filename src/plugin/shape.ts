/**
 * Checks the shape of a part: that its members are there and have the right types. A plugin's part is checked before it is used. The
 * contract suite checks the shape of built-in parts too.
 */

import { pluginNamePattern } from '../core/names.ts'
import { printable } from '../core/text.ts'
import type { Domain } from '../parts/operators/operator.ts'

export const families = ['target', 'scheme', 'runner', 'operator'] as const
export type Family = (typeof families)[number]

export type UnknownMap = { readonly [key: string]: unknown }

/** Whether a value is an object, and neither a list nor a function. */
export const isMap = (value: unknown): value is UnknownMap => typeof value === 'object' && value !== null && !Array.isArray(value)
export const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText)
const isFunction = (value: unknown): boolean => typeof value === 'function'
const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0
const isSetting = (value: unknown): boolean =>
  isMap(value) && isText(value.key) && optional(isTexts)(value.env) && optional((text) => typeof text === 'string')(value.default)
const isHeaderName = (value: unknown): boolean => isText(value) && /^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(value)
const isExample = (value: unknown): boolean => isMap(value) && 'operand' in value && typeof value.holds === 'boolean'

/** The kinds of domains that have no further members. */
const bareKinds: readonly string[] = ['present', 'absent', 'tested', 'elsewhere']

const isRange = ({ of, side, bound, isIncluded }: { readonly [member: string]: unknown }): boolean =>
  ['number', 'time', 'length'].includes(String(of)) &&
  ['above', 'below'].includes(String(side)) &&
  typeof bound === (of === 'time' ? 'string' : 'number') &&
  typeof isIncluded === 'boolean'

/** Whether a value is a domain (`Domain`), which says for which fields an operator holds. */
export const isDomain = (value: unknown): value is Domain => {
  if (!isMap(value)) return false
  const { kind } = value
  if (kind === 'one_of' || kind === 'none_of') return Array.isArray(value.values)
  if (kind === 'part') return value.value !== undefined
  if (kind === 'range') return isRange(value)
  if (kind === 'starts' || kind === 'ends') return typeof value.text === 'string'
  return kind === 'pattern' ? typeof value.source === 'string' : typeof kind === 'string' && bareKinds.includes(kind)
}

const isByHand = (value: unknown): boolean =>
  isMap(value) && isText(value.how) && isText(value.signed) && isMap(value.headers) && Object.values(value.headers).every(isText)

const isApi = (value: unknown): boolean =>
  isMap(value) &&
  isText(value.url) &&
  /^https?:$/.test(URL.canParse(value.url) ? new URL(value.url).protocol : '') &&
  optional(isFunction)(value.keyless)

const optional =
  (fits: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    value === undefined || fits(value)
const listOf = (each: (item: unknown) => boolean) => optional((value) => Array.isArray(value) && value.every(each))

/** A member of a part: its name, what its value must fit, and this demand in words. */
type Member = readonly [name: string, fits: (value: unknown) => boolean, must: string]
const title: Member = ['title', optional(isText), 'a text']

/** What the members of a part must be, in the order in which they are checked. */
const members: { readonly [family in Family]: readonly Member[] } = {
  target: [
    ['send', isFunction, 'a function'],
    ['check', optional(isFunction), 'a function'],
    ['repeatable', optional((value) => typeof value === 'boolean'), 'true or false'],
    ['internal', optional((value) => typeof value === 'boolean'), 'true or false'],
    ['settings', listOf(isSetting), 'a list of { key, env?, secret?, default? }'],
    ['needs', (value) => listOf(isTexts)(value) && !isEmptyList(value), 'a list of lists of settings'],
    ['requires', listOf(isText), 'a list of keys'],
    ['addresses', listOf(isText), 'a list of keys'],
    ['withheld', listOf(isText), 'a list of keys'],
    ['lists', listOf(isText), 'a list of keys'],
    ['program', optional(isText), 'the name of a command'],
    ['unaddressed', optional(isFunction), 'a function'],
    ['undeliverable', optional(isFunction), 'a function'],
    ['chat', optional(isFunction), 'a function'],
    ['returnsAsEvent', optional((value) => typeof value === 'boolean'), 'true or false'],
    title,
  ],
  scheme: [
    ['shows', isFunction, 'a function'],
    ['compile', isFunction, 'a function'],
    ['sign', isFunction, 'a function'],
    ['signedId', optional(isFunction), 'a function'],
    ['idHeaders', listOf(isHeaderName), 'a list of header names in small letters'],
    ['eventTypeHeaders', listOf(isHeaderName), 'a list of header names in small letters'],
    ['secretHeaders', listOf(isHeaderName), 'a list of header names in small letters'],
    ['secretQuery', listOf(isText), 'a list of parameter names'],
    ['secretFields', listOf(isText), 'a list of paths'],
    ['shortTypeField', optional(isText), 'a text'],
    ['badSecret', optional((value) => isMap(value) && isText(value.message) && isText(value.help)), 'texts { message, help }'],
    ['senderKey', optional(isText), 'a text'],
    ['deprecated', optional(isText), 'a text'],
    ['byHand', optional(isByHand), 'texts { how, signed } and a map { headers } of texts'],
    title,
  ],
  runner: [
    ['compile', isFunction, 'a function'],
    ['program', optional(isFunction), 'a function'],
    ['env', optional((value) => isMap(value) && optional(isTexts)(value.apiKey)), 'a map { apiKey } of names'],
    ['api', optional(isApi), 'a map { url, keyless? } of a web address and a function'],
    ['notice', optional(isText), 'a text'],
    ['standIn', optional(isText), 'a text'],
    title,
  ],
  operator: [
    ['compile', isFunction, 'a function'],
    ['fieldless', optional((value) => typeof value === 'boolean'), 'true or false'],
    ['namesField', optional((value) => typeof value === 'boolean'), 'true or false'],
    ['domain', optional(isFunction), 'a function'],
    ['examples', listOf(isExample), 'a list of { operand, value?, holds }'],
  ],
}

/**
 * Returns what is wrong with the shape of a part, in sentences; empty when the shape is right. `form` is the form that the part's name must
 * have. Throws what the reading of a member throws: a member may be a getter.
 */
export const partProblems = (family: Family, part: unknown, form: RegExp = pluginNamePattern): readonly string[] => {
  if (!isMap(part)) return [`its ${family} is not an object`]
  const { name } = part
  if (!isText(name) || !form.test(name)) {
    const wanted = form === pluginNamePattern ? 'the form of acme-chat: small letters, digits, and a hyphen' : `the form ${form.source}`
    return [`its ${family}'s name ${printable(String(JSON.stringify(name)), 80)} has not ${wanted}`]
  }
  return members[family].flatMap(([member, fits, must]) =>
    fits(part[member]) ? [] : `"${member}" of its ${family} ${name} is not ${must}`,
  )
}
