/**
 * Finds filters that let no event through, and conditions that change nothing. Whether a value meets a condition is asked of the operator
 * itself (`reach.ts`), so nothing is guessed.
 */

import type { Path } from '../../../core/diagnostic.ts'
import { equalJson, isObject, type Json, own } from '../../../core/json.ts'
import { printable } from '../../../core/text.ts'
import { type Subject, writtenPath } from '../subject.ts'
import { type Branch, bothOf, branchesOf, type Demand } from './branches.ts'
import { domainOf } from './fields.ts'
import { type Conflict, type Reach, reachWith } from './reach.ts'

/** The most items of an `any` of which each pair is compared. */
const maxCompared = 24

export const reviewFilters = (subject: Subject): void => {
  const filters = subject.spec.filters as Json | undefined
  if (filters === undefined) return
  const reach = reachWith(subject.catalogue.operators)
  const top = requiredConditions(filters, ['filters'])
  const never = reportNever(subject, filters, reach)
  const always = top.filter(({ condition, path }) => reach.isNever(branchesOf(condition, path, false)))
  for (const { path } of always) {
    subject.say('WH404', path, `${writtenPath(path)} holds for every event`, { help: 'remove it, or ask for what you mean to let through' })
  }
  reportRepeated(subject, top)
  if (never) return
  const dead = reportDeadBranches(subject, filters, reach)
  const silent = new Set([...dead, ...always.map(({ path }) => writtenPath(path))])
  for (const group of anyGroupsOf(filters, ['filters'])) reportSubsumed(subject, group, reach, silent)
}

type PlacedCondition = { readonly condition: Json; readonly path: Path }

/** Returns the conditions of a list that must all hold. An `all` in the list is replaced by its own items. */
const requiredConditions = (condition: Json, path: Path): PlacedCondition[] => {
  if (Array.isArray(condition)) return condition.flatMap((item, i) => requiredConditions(item, [...path, i]))
  const all = isObject(condition) ? own(condition, 'all') : undefined
  if (!Array.isArray(all) || all.length === 0) return [{ condition, path }]
  return all.flatMap((item, i) => requiredConditions(item, [...path, 'all', i]))
}

const maxShown = 60
const showOperand = (value: Json): string => printable(JSON.stringify(value), maxShown)
const operandAt = ({ path, operator }: Demand): Path => [...path, operator]

/** Returns a demand in words: `action equals "a"`. */
const demandInWords = ({ field, operator, operand, holds }: Demand): string =>
  `${holds ? '' : 'not '}${printable(field ?? '', maxShown)} ${operator} ${showOperand(operand)}`

const conflictInWords = (conflict: Conflict): string =>
  conflict.length > 1 ? `it wants ${conflict.map(demandInWords).join(', and ')}` : `no value meets ${demandInWords(conflict[0])}`

/** Returns the demand at which a conflict is reported: the last. */
const reportedOf = (conflict: Conflict): Demand => conflict.at(-1) ?? conflict[0]

const relatedOf = ({ placeOf }: Subject, conflict: Conflict) => {
  const related = conflict
    .slice(0, -1)
    .map((demand) => ({ place: placeOf(operandAt(demand)), message: `this wants ${demandInWords(demand)}` }))
  return related.length > 0 ? { related } : {}
}

const conflictHelp = (conflict: Conflict, { catalogue }: Subject): string => {
  if (conflict.length === 1) return 'name a value that the field can have'
  const isChoice = conflict.every((demand) => demand.holds && domainOf(demand, catalogue.operators)?.kind === 'one_of')
  return isChoice ? 'where either of them is meant, write one condition with `in`' : 'where either of them is meant, put both under `any`'
}

/** Returns whether no event can pass the filters. If so, it is reported (WH403). */
const reportNever = (subject: Subject, filters: Json, reach: Reach): boolean => {
  const branches = branchesOf(filters, ['filters'])
  if (!branches) return false
  const conflicts = branches.map(reach.conflictIn)
  if (conflicts.some((conflict) => conflict === undefined)) return false
  const [first] = conflicts
  if (!first) {
    const help = 'list at least one condition under `any`'
    subject.say('WH403', ['filters'], 'no event can pass: an empty `any` never holds', { help })
    return true
  }
  const each = conflicts.length > 1 ? ' by any of their branches; for one of them' : ''
  subject.say('WH403', operandAt(reportedOf(first)), `no event can pass the filters${each}: ${conflictInWords(first)}`, {
    help: conflictHelp(first, subject),
    ...relatedOf(subject, first),
  })
  return true
}

type ConditionList = { readonly path: Path; readonly items: readonly Json[] }

/** Returns every `any` that is in no `not`, also those within another `any` or an `all`. */
const anyGroupsOf = (condition: Json, path: Path): ConditionList[] => {
  if (Array.isArray(condition)) return condition.flatMap((item, i) => anyGroupsOf(item, [...path, i]))
  if (!isObject(condition)) return []
  const any = own(condition, 'any')
  const inAny = Array.isArray(any)
    ? [{ path: [...path, 'any'], items: any }, ...any.flatMap((item, i) => anyGroupsOf(item, [...path, 'any', i]))]
    : []
  const all = own(condition, 'all')
  return [...inAny, ...(Array.isArray(all) ? all.flatMap((item, i) => anyGroupsOf(item, [...path, 'all', i])) : [])]
}

const isBelow = (path: Path, top: Path): boolean => top.every((part, i) => path[i] === part)

/**
 * Reports items of an `any` that never hold, by themselves or because of the conditions beside the `any`. Returns the paths of these items
 * as people write them.
 */
const reportDeadBranches = (subject: Subject, filters: Json, reach: Reach): string[] => {
  const branches = branchesOf(filters, ['filters']) ?? []
  if (branches.length < 2) return []
  const judged = branches.map((branch) => ({ branch, conflict: reach.conflictIn(branch) }))
  if (judged.every(({ conflict }) => conflict === undefined)) return []
  const dead: Path[] = []
  for (const { path, items } of anyGroupsOf(filters, ['filters'])) {
    for (const i of items.keys()) {
      const at = [...path, i]
      const through = judged.filter(({ branch }) => branch.some((demand) => isBelow(demand.path, at)))
      const conflict = through[0]?.conflict
      if (!conflict || through.some((each) => !each.conflict) || dead.some((known) => isBelow(at, known))) continue
      dead.push(at)
      const message = `${writtenPath(at)} can never hold: ${conflictInWords(conflict)}`
      subject.say('WH403', at, message, { help: `remove it; ${conflictHelp(conflict, subject)}`, ...relatedOf(subject, conflict) })
    }
  }
  return dead.map(writtenPath)
}

/** Reports conditions that stand twice among `top`, the conditions that must all hold. */
const reportRepeated = (subject: Subject, top: readonly PlacedCondition[]): void => {
  for (const [i, { condition, path }] of top.entries()) {
    const first = i < maxCompared * maxCompared ? top.slice(0, i).find((each) => equalJson(each.condition, condition)) : undefined
    if (!first || !isObject(condition)) continue
    const related = [{ place: subject.placeOf(first.path), message: 'the same condition' }]
    subject.say('WH410', path, `${writtenPath(path)} says the same as ${writtenPath(first.path)}`, {
      help: 'remove one of the two',
      related,
    })
  }
}

const branchesAt = ({ path, items }: ConditionList, i: number, holds = true): readonly Branch[] | undefined =>
  branchesOf(items[i], [...path, i], holds)

/**
 * Reports items of an `any` that are superfluous, because another item lets through all of their events. `silent`: the paths of conditions
 * that get no finding.
 */
const reportSubsumed = (subject: Subject, group: ConditionList, reach: Reach, silent: ReadonlySet<string>): void => {
  const { items, path } = group
  if (items.length > maxCompared || silent.has(writtenPath(path.slice(0, -1)))) return
  const gone = new Set<number>()
  const at = (i: number): string => writtenPath([...path, i])
  const covers = (wide: number, narrow: number): boolean =>
    equalJson(items[wide] as Json, items[narrow] as Json) || isCovered(branchesAt(group, narrow), branchesAt(group, wide, false), reach)
  // From the end, so that of two equal items the second is reported.
  for (let i = items.length - 1; i >= 0; i--) {
    if (silent.has(at(i))) continue
    const wide = [...items.keys()].find((j) => j !== i && !gone.has(j) && !silent.has(at(j)) && covers(j, i))
    if (wide === undefined) continue
    gone.add(i)
    const related = [{ place: subject.placeOf([...path, wide]), message: 'what it lets through, this does too' }]
    subject.say('WH410', [...path, i], `${at(i)} adds nothing: ${at(wide)} lets the same events through`, { help: 'remove it', related })
  }
}

/**
 * Whether each event that a narrow condition lets through is let through by a wide condition, too. `narrow`: the branches in which the
 * narrow condition holds. `notWide`: the branches in which the wide condition does not hold.
 */
const isCovered = (narrow: readonly Branch[] | undefined, notWide: readonly Branch[] | undefined, reach: Reach): boolean => {
  const both = bothOf(narrow, notWide)
  return both !== undefined && both.length > 0 && reach.isNever(both)
}
