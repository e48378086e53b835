/** Whether demands on fields can all be met by one event. It says no only where no event can: the operators themselves are asked. */

import { equalJson, type Json } from '../../core/json.ts'
import type { Event } from '../../core/request.ts'
import type { OperatorPart, Test } from '../../parts/operators/operator.ts'
import type { Branch, Demand } from './branches.ts'
import { sameField } from './fields.ts'

type Operators = ReadonlyMap<string, OperatorPart>

/** Demands that no value of their field meets; the later one is where to say it. */
export type Conflict = readonly [later: Demand, earlier?: Demand]

/** These may be stopped by a limit or by a file: then a condition does not hold, and its `not` does not either. */
const breakable = new Set(['regex', 'in_file', 'jsonata'])

export type Reach = {
  /** Why no event can meet all demands; `undefined` where one might. */
  readonly conflictIn: (branch: Branch) => Conflict | undefined
  /** Whether no event at all takes one of these branches, demands that can break left out. */
  readonly isNever: (branches: readonly Branch[] | undefined) => boolean
}

export const reachWith = (operators: Operators): Reach => {
  const tests = new Map<Demand, Test | undefined>()
  const testOf = (demand: Demand): Test | undefined => {
    if (!tests.has(demand)) tests.set(demand, compileTest(demand, operators))
    return tests.get(demand)
  }
  const conflictIn = (branch: Branch): Conflict | undefined => {
    for (const group of groupsOf(branch)) {
      const conflict = conflictOf(group, testOf)
      if (conflict) return conflict
    }
    return undefined
  }
  const isNever: Reach['isNever'] = (branches) =>
    branches?.every((branch) => conflictIn(branch.filter(({ operator }) => !breakable.has(operator))) !== undefined) ?? false
  return { conflictIn, isNever }
}

/** The demands of each field. */
const groupsOf = (branch: Branch): readonly Demand[][] => {
  const groups = new Map<string, Demand[]>()
  for (const demand of branch) {
    if (demand.field === undefined) continue
    const name = sameField(demand.field)
    groups.set(name, [...(groups.get(name) ?? []), demand])
  }
  return [...groups.values()]
}

const isEvent = ({ field }: Demand): boolean => field !== undefined && sameField(field) === 'event_type'

type Value = Json | undefined

/** The only values that meet a demand; `undefined` where there are too many to list. */
const valuesOf = ({ operator, operand, holds }: Demand): readonly Value[] | undefined => {
  if (operator === (holds ? 'equals' : 'not_equals')) return [operand]
  if (operator === 'in' && holds) return Array.isArray(operand) ? operand : []
  const asksForNone = operator === 'missing' ? holds : operator === 'exists' && (operand === false) === holds
  return asksForNone ? [undefined] : undefined
}

const conflictOf = (group: readonly Demand[], testOf: (demand: Demand) => Test | undefined): Conflict | undefined => {
  const listed = group.find((demand) => valuesOf(demand) !== undefined)
  if (!listed) return opposites(group) ?? prefixes(group)
  const values = (valuesOf(listed) ?? []).filter((value) => value !== undefined || !isEvent(listed))
  const others = group.filter((demand) => demand !== listed)
  const left = values.filter((value) => others.every((demand) => admits(demand, value, testOf)))
  if (left.length > 0) return undefined
  const against = others.find((demand) => !values.some((value) => admits(demand, value, testOf))) ?? others.at(-1)
  if (!against || values.length === 0) return [listed]
  return group.indexOf(against) < group.indexOf(listed) ? [listed, against] : [against, listed]
}

const noEvent = {} as Event

const admits = (demand: Demand, value: Value, testOf: (demand: Demand) => Test | undefined): boolean => {
  const { operator, holds } = demand
  // A missing field is in no file; of every other value only the file knows.
  if (operator === 'in_file') return !(holds && value === undefined)
  const test = testOf(demand)
  if (!test) return true
  try {
    const answer = test(value, noEvent)
    return answer instanceof Promise || answer === holds
  } catch {
    return true
  }
}

const compileTest = ({ operator, operand }: Demand, operators: Operators): Test | undefined => {
  let isBad = false
  const report = (): void => {
    isBad = true
  }
  const test = breakable.has(operator) && operator !== 'regex' ? undefined : operators.get(operator)
  const compiled = test?.compile(operand, { profileDir: '', report, looksOutside: () => {} })
  // What needs closing is asked of nobody here: only `in_file` would, and it is not compiled.
  return isBad || typeof compiled !== 'function' ? undefined : compiled
}

/** One and the same condition that must hold and must not. What a file says may change between the two. */
const opposites = (group: readonly Demand[]): Conflict | undefined => {
  for (const [i, later] of group.entries()) {
    const earlier = group.slice(0, i).find((each) => isOpposite(each, later))
    if (earlier) return [later, earlier]
  }
  return undefined
}

const isOpposite = (a: Demand, b: Demand): boolean =>
  a.holds !== b.holds && a.operator === b.operator && a.operator !== 'in_file' && equalJson(a.operand, b.operand)

/** The fixed text that a pattern wants at the start of the field; `undefined` where there is none to be sure of. */
const prefixOf = ({ operator, operand, holds }: Demand): string | undefined => {
  if (operator !== 'regex' || !holds || typeof operand !== 'string' || operand.includes('|')) return undefined
  const [, text = '', next = ''] = /^\^([\w /:#-]*)(.?)/u.exec(operand) ?? []
  const sure = /[?*{+]/.test(next) ? text.slice(0, -1) : text
  return sure === '' ? undefined : sure
}

const prefixes = (group: readonly Demand[]): Conflict | undefined => {
  const known = group.flatMap((demand) => {
    const text = prefixOf(demand)
    return text === undefined ? [] : [{ demand, text }]
  })
  for (const [i, later] of known.entries()) {
    const earlier = known.slice(0, i).find(({ text }) => !text.startsWith(later.text) && !later.text.startsWith(text))
    if (earlier) return [later.demand, earlier.demand]
  }
  return undefined
}
