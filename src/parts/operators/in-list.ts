/**
 * The operator `in_list` holds when the field of a condition is one of the values of a list that changes while the gateway runs: one that
 * `headgate lists` keeps (rules: Filters 21). While there is no such list, no event can be judged.
 */

import { numberKey } from '../../core/exact-number.ts'
import { messageOf } from '../../core/fault.ts'
import { isObject, own } from '../../core/json.ts'
import { isNumber } from '../../expr/equal.ts'
import { type NamedList, openNamedLists, UnavailableList } from '../../expr/named-lists.ts'
import { scalarText } from '../../expr/render.ts'
import type { BuiltinOperator } from './operator.ts'

/** The form of a list's name. */
export const listNameForm = '^[a-z0-9][a-z0-9_-]{0,63}$'

export const inList: BuiltinOperator = {
  name: 'in_list',
  schema: {
    title: 'In a list',
    type: 'object',
    additionalProperties: false,
    required: ['store'],
    properties: {
      store: {
        title: 'List',
        type: 'string',
        pattern: listNameForm,
        patternErrorMessage: 'The name of a list: small letters, digits, - and _.',
        examples: ['blocked'],
        description: 'The name of a list that headgate lists keeps.',
        markdownDescription: 'The name of a list that `headgate lists` keeps. While there is no such list, an event is refused with 503.',
      },
    },
    description: 'A list that changes while the gateway runs.',
    markdownDescription:
      'A list that changes while the gateway runs, without a reload: `headgate lists add blocked ann`. See [lists.md](lists.md).\n\nExample: `{ field: sender.login, in_list: { store: maintainers } }`',
    defaultSnippets: [
      { label: 'a list of headgate lists', description: 'Values are added and removed by a command', body: { store: '${1:blocked}' } },
    ],
    'x-fits': ['string', 'number'],
  },
  compile(operand, { profileDir, dataDir = profileDir, report, recompileAtReload }) {
    const name = String(isObject(operand) ? own(operand, 'store') : operand)
    recompileAtReload()
    const lists = openNamedLists(dataDir)
    const listIn = (all: ReadonlyMap<string, NamedList>): NamedList => {
      const list = all.get(name)
      if (!list) throw noList(name)
      return list
    }
    const unusable = (error: unknown): never => {
      if (error instanceof UnavailableList) throw error
      throw new UnavailableList(messageOf(error))
    }
    const list = (): NamedList | Promise<NamedList> => {
      try {
        const all = lists.values()
        return all instanceof Promise ? all.then(listIn).catch(unusable) : listIn(all)
      } catch (error) {
        return unusable(error)
      }
    }
    const say = (error: unknown): void =>
      report('WH407', [], messageOf(error), `until there is one, events are refused with 503: headgate lists add ${name}`)
    try {
      const present = list()
      if (present instanceof Promise) present.catch(() => {})
    } catch (error) {
      say(error)
    }
    return (value, { at }) => {
      const text = isNumber(value) ? numberKey(value) : scalarText(value)
      const isIn = ({ numbers, texts }: NamedList): boolean =>
        text !== undefined && ((isNumber(value) ? numbers : texts).get(text) ?? 0) > at
      const present = list()
      return present instanceof Promise ? present.then(isIn) : isIn(present)
    }
  },
  domain: () => ({ kind: 'elsewhere' }),
  // The tests run these examples with a list `allowed` that has the one value "ann".
  examples: [
    { operand: { store: 'allowed' }, value: 'ann', holds: true },
    { operand: { store: 'allowed' }, value: 'bob', holds: false },
    { operand: { store: 'allowed' }, holds: false },
  ],
}

const noList = (name: string): UnavailableList => new UnavailableList(`there is no list "${name}"`)
