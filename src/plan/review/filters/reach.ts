/** Finds demands that no event can meet together. Whether a value meets a demand is asked of the operator itself, so nothing is guessed. */

import { equalJson, type Json } from '../../../core/json.ts'
import type { Event } from '../../../core/request.ts'
import { compileBound } from '../../../expr/bound.ts'
import type { Domain, ExactTest } from '../../../parts/operators/operator.ts'
import type { Catalogue } from '../../compile.ts'
import type { Branch, Demand } from './branches.ts'
import { canonicalField, domainOf } from './fields.ts'

type Operators = Catalogue['operators']

/** Demands on one field that no value meets, in their order, and no more of them than it takes. The finding is reported at the last. */
export type Conflict = readonly [Demand, ...Demand[]]

/** A demand with the domain and the test that its operator gives. */
type KnownDomain = { readonly demand: Demand; readonly domain: Domain; readonly test: ExactTest | undefined }

const unfirm: readonly string[] = ['pattern', 'tested', 'elsewhere'] satisfies readonly Domain['kind'][]

/**
 * Whether a test always decides. A limit may stop the test of a pattern, and the file of a list may be missing. Then neither the condition
 * nor a `not` around it holds.
 */
const isFirm = ({ kind }: Domain): boolean => !unfirm.includes(kind)

/** Judges whether events can meet the demands of branches. */
export type Reach = {
  /** Returns why no event can meet all demands of a branch; `undefined` where an event might meet them. */
  readonly conflictIn: (branch: Branch) => Conflict | undefined
  /** Whether no event can meet any of these branches, even without the demands whose test may not decide (`isFirm`). */
  readonly isNever: (branches: readonly Branch[] | undefined) => boolean
}

/** Makes a `Reach` for conditions with these operators. */
export const reachWith = (operators: Operators): Reach => {
  const asked = new Map<Demand, KnownDomain | undefined>()
  const knownOf = (demand: Demand): KnownDomain | undefined => {
    if (!asked.has(demand)) asked.set(demand, domainKnownOf(demand, operators))
    return asked.get(demand)
  }
  const firstConflict = (branch: Branch, counts: (domain: Domain) => boolean): Conflict | undefined => {
    for (const group of demandsByField(branch)) {
      const conflict = conflictOf(group.flatMap((demand) => knownOf(demand) ?? []).filter(({ domain }) => counts(domain)))
      if (conflict) return conflict
    }
    return undefined
  }
  return {
    conflictIn: (branch) => firstConflict(branch, () => true),
    isNever: (branches) => branches?.every((branch) => firstConflict(branch, isFirm) !== undefined) ?? false,
  }
}

const demandsByField = (branch: Branch): readonly Demand[][] => {
  const groups = new Map<string, Demand[]>()
  for (const demand of branch) {
    if (demand.field === undefined) continue
    const name = canonicalField(demand.field)
    groups.set(name, [...(groups.get(name) ?? []), demand])
  }
  return [...groups.values()]
}

/** Whether a demand is on the type of the event, which every event has. */
const isOnEventType = ({ field }: Demand): boolean => field !== undefined && canonicalField(field) === 'event_type'

type Value = Json | undefined

/** Returns the only values that meet a demand; `undefined` where such values cannot be listed. */
const onlyValues = ({ demand: { holds }, domain }: KnownDomain): readonly Value[] | undefined => {
  if (domain.kind === (holds ? 'one_of' : 'none_of')) return domain.values
  return domain.kind === (holds ? 'absent' : 'present') ? [undefined] : undefined
}

/**
 * Finds demands on one field that no value meets. Where a demand lists its values, tries each value on the other demands. Otherwise,
 * compares the demands for opposites, and for beginnings, ends and ranges that exclude each other.
 */
const conflictOf = (group: readonly KnownDomain[]): Conflict | undefined => {
  const listed = group.find((known) => onlyValues(known) !== undefined)
  if (!listed) return oppositeConflict(group) ?? edgeConflict(group) ?? rangeConflict(group)
  const values = (onlyValues(listed) ?? []).filter((value) => value !== undefined || !isOnEventType(listed.demand))
  const others = group.filter((known) => known !== listed)
  const left = values.filter((value) => others.every((known) => admits(known, value)))
  if (left.length > 0) return undefined
  if (others.length === 0 || values.length === 0) return [listed.demand]
  const against = others.find((known) => !values.some((value) => admits(known, value)))
  const refusing = against ? [against] : leastRefusing(others, values)
  const conflict = group.filter((known) => known === listed || refusing.includes(known)).map(({ demand }) => demand)
  return conflict as [Demand, ...Demand[]]
}

/** Returns some of the demands that together refuse all values: for each value that none before it refuses, the first that does. */
const leastRefusing = (demands: readonly KnownDomain[], values: readonly Value[]): readonly KnownDomain[] => {
  const chosen: KnownDomain[] = []
  for (const value of values) {
    if (chosen.some((known) => !admits(known, value))) continue
    const refusing = demands.find((known) => !admits(known, value))
    if (refusing) chosen.push(refusing)
  }
  return chosen
}

const noEvent = {} as Event

const admits = ({ demand: { holds }, domain, test }: KnownDomain, value: Value): boolean => {
  // The list of such a domain is not known here. A missing field is on no list, and any other value may be on it.
  if (domain.kind === 'elsewhere') return !(holds && value === undefined)
  if (!test) return true
  try {
    const answer = test(value, noEvent)
    return answer instanceof Promise || answer === holds
  } catch {
    return true
  }
}

const domainKnownOf = (demand: Demand, operators: Operators): KnownDomain | undefined => {
  const domain = domainOf(demand, operators)
  return domain && { demand, domain, test: domain.kind === 'elsewhere' ? undefined : compileTest(demand, operators) }
}

const compileTest = ({ operator, operand }: Demand, operators: Operators): ExactTest | undefined => {
  let isBad = false
  const report = (): void => {
    isBad = true
  }
  const compiled = operators.get(operator)?.compile(operand, { profileDir: '', report, recompileAtReload: () => {} })
  // A plugin's operator may have opened a file or connection for its test. The file or connection is closed at once, so the test cannot be
  // used.
  if (typeof compiled === 'object') void closeQuietly(compiled.close)
  return isBad || typeof compiled !== 'function' ? undefined : compiled
}

const closeQuietly = async (close: () => void | Promise<void>): Promise<void> => {
  try {
    await close()
  } catch {}
}

/**
 * Finds a condition that must hold and must not hold. A condition on a list in a file does not count, because the list may change between
 * the two tests.
 */
const oppositeConflict = (group: readonly KnownDomain[]): Conflict | undefined => {
  for (const [i, later] of group.entries()) {
    const earlier = group.slice(0, i).find((each) => isOpposite(each.demand, later.demand) && later.domain.kind !== 'elsewhere')
    if (earlier) return [earlier.demand, later.demand]
  }
  return undefined
}

const isOpposite = (a: Demand, b: Demand): boolean => a.holds !== b.holds && a.operator === b.operator && equalJson(a.operand, b.operand)

/** Returns the fixed text that a demand wants at the start of the field; `undefined` where it is not certain. */
const startOf = ({ demand: { holds }, domain }: KnownDomain): string | undefined => {
  if (!holds) return undefined
  if (domain.kind === 'starts') return domain.text
  if (domain.kind !== 'pattern' || domain.source.includes('|')) return undefined
  const [, text = '', next = ''] = /^\^([\w /:#-]*)(.?)/u.exec(domain.source) ?? []
  const sure = /[?*{+]/.test(next) ? text.slice(0, -1) : text
  return sure === '' ? undefined : sure
}

const endOf = ({ demand: { holds }, domain }: KnownDomain): string | undefined =>
  holds && domain.kind === 'ends' ? domain.text : undefined

/** Finds two demands that want different texts at the start of the field, or at its end. */
const edgeConflict = (group: readonly KnownDomain[]): Conflict | undefined =>
  clash(group, startOf, (one, other) => one.startsWith(other) || other.startsWith(one)) ??
  clash(group, endOf, (one, other) => one.endsWith(other) || other.endsWith(one))

type Range = Extract<Domain, { readonly kind: 'range' }>

const rangeOf = ({ demand: { holds }, domain }: KnownDomain): Range | undefined => (holds && domain.kind === 'range' ? domain : undefined)

/** Finds two demands of which one wants more than the other allows. */
const rangeConflict = (group: readonly KnownDomain[]): Conflict | undefined =>
  clash(group, rangeOf, (one, other) => {
    if (one.of !== other.of || one.side === other.side) return true
    const [low, high] = one.side === 'above' ? [one, other] : [other, one]
    // A bound of lengths is a number here, so two of them are compared as numbers.
    const order = compileBound(high.bound)?.compare(low.bound) ?? -1
    return order < 0 || (order === 0 && low.isIncluded && high.isIncluded)
  })

/** Finds two demands that want things which do not go together. `wantOf`: what a demand wants; `undefined` where it does not count. */
const clash = <T>(
  group: readonly KnownDomain[],
  wantOf: (known: KnownDomain) => T | undefined,
  goTogether: (one: T, other: T) => boolean,
): Conflict | undefined => {
  const wants = group.flatMap((known) => {
    const want = wantOf(known)
    return want === undefined ? [] : [{ demand: known.demand, want }]
  })
  for (const [i, later] of wants.entries()) {
    const earlier = wants.slice(0, i).find(({ want }) => !goTogether(want, later.want))
    if (earlier) return [earlier.demand, later.demand]
  }
  return undefined
}
