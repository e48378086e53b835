/**
 * The operator `in_list` holds when the field of a condition is one of the values of a list that changes while the gateway runs: one that
 * `headgate lists` keeps, or one at a web address (rules: Filters 21). While there is no such list, no event can be judged.
 */

import { numberKey } from '../../core/exact-number.ts'
import { messageOf } from '../../core/fault.ts'
import { type ExactJson, isObject, type Json, type JsonObject, own } from '../../core/json.ts'
import { isNumber } from '../../expr/equal.ts'
import { type ListSpec, type NamedList, noLists, unavailableList } from '../../expr/named-lists.ts'
import { scalarText } from '../../expr/render.ts'
import type { Condition } from '../../generated/config.ts'
import { filledAddress, hasPrivateHost } from '../web/written-address.ts'
import { writtenHeaders } from '../web/written-headers.ts'
import type { BuiltinOperator, OperatorKit } from './operator.ts'

/** The form of a list's name. */
export const listNameForm = '^[a-z0-9][a-z0-9_-]{0,63}$'

type InListOperand = NonNullable<Condition['in_list']>

const refreshMinutes = 15
const maxAgeMinutes = 1_440

const properties: JsonObject = {
  store: {
    title: 'List',
    type: 'string',
    pattern: listNameForm,
    patternErrorMessage: 'The name of a list: small letters, digits, - and _.',
    examples: ['blocked'],
    description: 'The name of a list that headgate lists keeps.',
    markdownDescription: 'The name of a list that `headgate lists` keeps. While there is no such list, an event is refused with 503.',
  },
  url: {
    title: 'Address',
    type: 'string',
    minLength: 1,
    maxLength: 4000,
    'x-address': true,
    examples: ['https://directory.example.org/teams/web.json'],
    description: 'The address of a list: JSON, or text with one value a line.',
    markdownDescription:
      'The address of a list: a JSON array of texts and numbers, or text with one value a line; at most 4 MiB and 200,000 values. The gateway fetches it in the background. No redirect is followed. While there is no list that is new enough, an event is refused with 503.',
  },
  path: {
    title: 'Path',
    type: 'string',
    minLength: 1,
    maxLength: 500,
    'x-needs': [{ key: 'url' }],
    examples: ['data.members'],
    description: 'The path of the list in the JSON. Absent: the JSON is the list.',
    markdownDescription: 'The path of the list in the JSON.\n\nAbsent: the JSON is the list.',
  },
  item: {
    title: 'Value of an item',
    type: 'string',
    minLength: 1,
    maxLength: 500,
    'x-needs': [{ key: 'url' }],
    examples: ['login'],
    description: 'The path of the value in an item, where the items are maps.',
    markdownDescription: 'The path of the value in an item, where the items are maps: `login` for `[{ "login": "ann" }]`.',
  },
  headers: {
    title: 'Headers',
    type: 'object',
    maxProperties: 50,
    'x-needs': [{ key: 'url' }],
    description: 'Further headers; ${NAME} is resolved.',
    markdownDescription: 'Further headers of the question; `${NAME}` is resolved.',
    additionalProperties: { type: 'string', 'x-secret': true },
  },
  refresh_minutes: {
    title: 'Minutes between fetches',
    type: 'integer',
    minimum: 1,
    maximum: 1440,
    default: refreshMinutes,
    'x-needs': [{ key: 'url' }],
    description: 'After so many minutes the list is fetched again.',
    markdownDescription: `After so many minutes the list is fetched again. The server is asked whether it has changed, where it sent \`ETag\` or \`Last-Modified\`.\n\nDefault \`${refreshMinutes}\`.`,
  },
  max_age_minutes: {
    title: 'Most minutes without a fetch',
    type: 'integer',
    minimum: 1,
    maximum: 43200,
    default: maxAgeMinutes,
    'x-needs': [{ key: 'url' }],
    description: 'For so many minutes the last list counts while the server gives no newer one.',
    markdownDescription: `For so many minutes the last list counts while the server gives no newer one. After that, events are refused with 503.\n\nDefault \`${maxAgeMinutes}\`.`,
  },
  allow_private: {
    title: 'Private addresses',
    type: 'boolean',
    default: false,
    'x-needs': [{ key: 'url' }],
    description: 'true lets the address lead into a private network or to this machine.',
    markdownDescription:
      '`true` lets the address lead into a private network or to this machine. By default each name is looked up, and only public IP addresses are asked.\n\nDefault `false`.',
  },
}

export const inList: BuiltinOperator = {
  name: 'in_list',
  schema: {
    title: 'In a list',
    type: 'object',
    additionalProperties: false,
    minProperties: 1,
    properties,
    description: 'A list that changes while the gateway runs.',
    markdownDescription:
      'A list that changes while the gateway runs, without a reload: one of `headgate lists`, or one at a web address. See [lists.md](lists.md).\n\nExample: `{ field: sender.login, in_list: { store: maintainers } }`',
    defaultSnippets: [
      { label: 'a list of headgate lists', description: 'Values are added and removed by a command', body: { store: '${1:blocked}' } },
      { label: 'a list at a web address', description: 'Fetched in the background', body: { url: 'https://$1', path: '$2' } },
    ],
    'x-fits': ['string', 'number'],
  },
  compile(operand, { openList = noLists, report, recompileAtReload }) {
    const spec = specOf(isObject(operand) ? (operand as InListOperand) : {}, report)
    const { ask, close } = spec ? openList(spec) : unavailableList('the list is not written as it must be')
    if (spec && 'store' in spec) {
      recompileAtReload()
      reportMissing(spec.store, ask, report)
    }
    const test = (value: ExactJson | undefined, { at }: { readonly at: number }): boolean | Promise<boolean> => {
      const text = isNumber(value) ? numberKey(value) : scalarText(value)
      const isIn = ({ numbers, texts }: NamedList): boolean =>
        text !== undefined && ((isNumber(value) ? numbers : texts).get(text) ?? 0) > at
      const present = ask()
      return present instanceof Promise ? present.then(isIn) : isIn(present)
    }
    return close ? { run: test, close } : test
  },
  shown: (operand) => {
    const url = isObject(operand) ? own(operand, 'url') : undefined
    return typeof url === 'string' ? { url: shownAddress(url) } : operand
  },
  domain: () => ({ kind: 'elsewhere' }),
  // The tests run these examples with a list `allowed` that has the one value "ann".
  examples: [
    { operand: { store: 'allowed' }, value: 'ann', holds: true },
    { operand: { store: 'allowed' }, value: 'bob', holds: false },
    { operand: { store: 'allowed' }, holds: false },
  ],
}

/** Returns an address without what may let in: a user, and the query. */
export const shownAddress = (url: string): string => {
  const { host, pathname } = URL.canParse(url) ? new URL(url) : { host: '', pathname: 'a malformed address' }
  return `${host}${pathname}`
}

/** Reads an operand, and reports what is wrong with it; `undefined` where no list can be asked for it. */
const specOf = (operand: InListOperand, report: OperatorKit['report']): ListSpec | undefined => {
  const { store, url, path, item, headers, refresh_minutes: refresh = refreshMinutes, max_age_minutes: maxAge = maxAgeMinutes } = operand
  if (store !== undefined && url === undefined) return { store }
  if (store !== undefined || url === undefined) {
    report('WH421', [], 'in_list asks exactly one of: store, url', 'write one of these keys: store, url')
    return undefined
  }
  const isPublicOnly = operand.allow_private !== true
  const [address, written] = [filledAddress(url), writtenHeaders(headers as Json | undefined)]
  if ('problem' in address) report('WH421', ['url'], address.problem, 'write a whole address without placeholders: https://host/list.json')
  else if (isPublicOnly && hasPrivateHost(url))
    report(
      'WH421',
      ['url'],
      'the address leads into a private network or to this machine',
      'allow_private: true lets this list come from there',
    )
  if ('problem' in written)
    report('WH421', ['headers'], written.problem, 'write a map of names to texts: { Authorization: "Bearer ${TOKEN}" }')
  if (maxAge < refresh)
    report(
      'WH421',
      ['max_age_minutes'],
      `the list is too old after ${maxAge} minutes, and fetched again only after ${refresh}`,
      'make max_age_minutes larger than refresh_minutes',
    )
  if ('problem' in address || 'problem' in written) return undefined
  const { href } = address
  return { url: href, headers: written.headers, path, item, refreshMinutes: refresh, maxAgeMinutes: maxAge, isPublicOnly }
}

/** Reports a list of `headgate lists` that is not there now. */
const reportMissing = (name: string, ask: () => unknown, report: OperatorKit['report']): void => {
  try {
    const present = ask()
    if (present instanceof Promise) present.catch(() => {})
  } catch (error) {
    report('WH407', [], messageOf(error), `until there is one, events are refused with 503: headgate lists add ${name}`)
  }
}
