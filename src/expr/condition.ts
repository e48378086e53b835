/** Compiles a route's filters to one function, which says whether an event passes, and if not, which condition refused it. */

import type { Path, Report } from '../core/diagnostic.ts'
import { messageOf } from '../core/fault.ts'
import { type ExactJson, type ExactObject, isObject, own } from '../core/json.ts'
import { pluginNamePattern, unknownPluginHelp } from '../core/names.ts'
import type { Event } from '../core/request.ts'
import type { Adopt, Closable } from '../core/scope.ts'
import { namesParameterSecret, namesRequestSecret } from '../core/secret-names.ts'
import { printable } from '../core/text.ts'
import { EventFields } from './fields.ts'
import { type Item, ItemTests, type ItemVerdict, judgeAnyItem, judgeEveryItem } from './items.ts'
import { all, any, type ConditionFailure, type ConditionResult, not, type RunCondition } from './logic.ts'
import { type OpenList, UnavailableList } from './named-lists.ts'
import { compileField, compilePath } from './path.ts'
import { renderJson } from './render.ts'
import { queryParameter } from './request-field.ts'

const maxConditions = 1000
const maxDepth = 32
/** The most UTF-16 units of a value in a sentence. */
const maxShownUnits = 80
/** The most conditions that the sentence of a `not` names. */
const maxHeld = 5

/** The members of an operator that this file uses. The whole contract is `OperatorPart` in `src/parts/operators/operator.ts`. */
type Operator = {
  readonly fieldless?: true
  compile(
    operand: ExactJson,
    kit: { readonly profileDir: string; readonly openList: OpenList; readonly report: Report; readonly recompileAtReload: () => void },
  ): Closable<(value: ExactJson | undefined, event: Event) => boolean | Promise<boolean>>
  shown?(operand: ExactJson): ExactJson
}

/** A compiled condition or group, with the function that judges it alone. */
export type CompiledCondition = {
  /** The name in messages: `filters[1].not.any[0]`. */
  readonly name: string
  readonly path: Path
  /** The operator of the condition, or `all`, `any`, `not` for a group. */
  readonly operator: string
  /** Absent for groups, and for operators without a field. */
  readonly field?: string
  /** The operand of the condition, as messages show it. Absent for the groups `all`, `any` and `not`. */
  readonly operand?: string
  readonly judge: RunCondition<Event>
  /** Returns the field's value as messages show it. A secret is not shown. Absent where `field` is absent. */
  readonly seen?: (event: Event) => string
}

type ConditionKit = {
  /** Called with each compiled condition. Absent where nothing watches the conditions, as in the running gateway. */
  readonly compiled?: (condition: CompiledCondition) => void
  readonly operators: ReadonlyMap<string, Operator>
  /** The profile's folder, below which operators read their files. */
  readonly profileDir: string
  readonly openList: OpenList
  /** Called with each mistake, at its path below `filters`. */
  readonly report: Report
  /** Called by an operator that depends on more than its operand, a file for example. Each reload then compiles a configured route anew. */
  readonly recompileAtReload: () => void
  /** Takes over what an operator opens. */
  readonly adopt: Adopt
  /** The key of the conditions, for messages. Absent: `filters`. */
  readonly root?: string
  /** Whether a condition of the list is compiled; the others are left out. Absent: all are compiled. */
  readonly isPicked?: (condition: ExactJson) => boolean
}

/**
 * Whether an event passes the filters. `rule` returns a sentence: which condition refused the event, and which value the condition saw.
 * `isLater`: a list that the condition needs is not there, so the event can be judged later only.
 */
export type FilterVerdict = { readonly pass: true } | { readonly pass: false; readonly isLater: boolean; readonly rule: () => string }

const passed: FilterVerdict = { pass: true }
const verdictOf = (failure: ConditionResult): FilterVerdict =>
  failure ? { pass: false, isLater: failure.broken === 'later', rule: failure.rule } : passed

const showValue = (value: ExactJson | undefined): string =>
  value === undefined ? 'missing' : printable(renderJson(value, maxShownUnits, 0), maxShownUnits)

/** Returns the name of a condition in messages, from its path below the key `root`: `filters[1].not.any[0]`. */
export const conditionName = (path: Path, root = 'filters'): string =>
  path.reduce<string>((name, key) => name + (typeof key === 'number' ? `[${key}]` : `.${key}`), root)

const showField = (field: string, event: Event): string => (isSecret(field) ? 'value not shown' : showValue(compileField(field)(event)))

/** What conditions are about: an event, or an item of a list. */
type Scope<S> = {
  /** Compiles a field; without a field, the subject itself, where it is a value. */
  readonly compile: (field: string | undefined) => { valueIn(subject: S): ExactJson | undefined } | undefined
  readonly eventOf: (subject: S) => Event
  /** What a condition on the items of a list that stands here may spend. */
  readonly allowance: () => (subject: S) => Item['allowance']
  readonly isOfItems: boolean
  /** The values here are part of a secret. */
  readonly isSecret: boolean
  /** Called with each condition that is compiled here. */
  readonly compiled?: (spec: ConditionSpec, judge: RunCondition<S>) => void
}

type ConditionSpec = {
  /** As in `CompiledCondition`. */
  readonly name: string
  readonly path: Path
  readonly key: string
  readonly operand: ExactJson
  /** The operand without what no message may have. */
  readonly shown: ExactJson
  readonly field: string | undefined
  /** The condition looks at a value: its field, or the item that it judges. */
  readonly hasValue: boolean
  /** The value is a secret, which no sentence shows. */
  readonly isSecret: boolean
}

/** Whether a field holds a secret. Sentences about conditions go to the log, so they leave out the values of such fields. */
const isSecret = (field: string | undefined): boolean => {
  if (field === undefined) return false
  const parameter = queryParameter(field)
  return parameter === undefined ? namesRequestSecret(field) : namesParameterSecret(parameter)
}

const shownOperand = ({ key, shown, isSecret }: ConditionSpec): string =>
  itemGroups.includes(key) ? '{…}' : isSecret ? '…' : showValue(shown)

/**
 * Makes the function that explains a condition. Its arguments are whether the condition holds, the value of the field, and the error where
 * the test failed. It returns a function for the sentence (`filters[0] action equals "opened" (got "closed")`), which is made only when
 * somebody reads it.
 */
const explainer = (spec: ConditionSpec): ((holds: boolean, value: ExactJson | undefined, failure?: unknown) => () => string) => {
  const { name, key, field, hasValue, isSecret } = spec
  /** The part of the sentence that is the same for each event: the demand. */
  let asked: string | undefined
  return (holds, value, failure) => () => {
    asked ??= `${name}${field === undefined ? '' : ` ${field}`} ${key} ${shownOperand(spec)}`
    if (holds && !hasValue) return asked
    const got = !hasValue ? 'not true' : isSecret ? 'value not shown' : `got ${showValue(value)}`
    const why = failure === undefined ? got : `failed: ${printable(messageOf(failure), 200)}`
    return `${asked} (${why})`
  }
}

/**
 * Explains a condition that holds. The value of the field is read from the subject at once. The function that makes the sentence later keeps
 * only this value, so the payload can be freed.
 */
type HeldSentence<S> = (subject: S) => ConditionFailure['rule']

/**
 * A condition or group, compiled. `run` judges a subject. Where the condition stands inside a `not` and holds, the `not` stops the subject,
 * and `held` says why: one explanation of the condition itself, or one for each condition inside the group.
 */
type BuiltCondition<S> = { readonly run: RunCondition<S>; readonly held: readonly HeldSentence<S>[] }

/** Explains a `not` that stops an event: by the condition inside the `not`, or by the first few conditions of the group inside it. */
const sentenceOfNot =
  <S>(name: string, isGroup: boolean, held: readonly HeldSentence<S>[]): HeldSentence<S> =>
  (subject) => {
    const [first, ...others] = held.slice(0, maxHeld).map((each) => each(subject))
    if (first && !isGroup) return first
    const more = held.length > maxHeld ? [() => `and ${held.length - maxHeld} more`] : []
    return () => [`${name}: the condition inside holds`, ...[first ?? [], others, more].flat().map((said) => said())].join('; ')
  }

/** `left`: the number of conditions that may still be compiled before there are too many, wherever they stand. */
type Builder<S> = { readonly kit: ConditionKit; readonly scope: Scope<S>; readonly count: { left: number } }

/**
 * Makes the run of a condition on a value, which a test may fail to decide: it throws or rejects. `judge` makes the result of a test's answer.
 */
const compileRun = <S, A>(
  { eventOf }: Scope<S>,
  field: { valueIn(subject: S): ExactJson | undefined } | undefined,
  explain: ReturnType<typeof explainer>,
  test: (value: ExactJson | undefined, event: Event, subject: S) => A | Promise<A>,
  judge: (answer: A, value: ExactJson | undefined, subject: S) => ConditionResult,
): RunCondition<S> => {
  const fail = (error: unknown, value: ExactJson | undefined): ConditionFailure => ({
    broken: error instanceof UnavailableList ? 'later' : true,
    rule: explain(false, value, error ?? 'unknown'),
  })
  return (subject) => {
    const value = field?.valueIn(subject)
    try {
      const answer = test(value, eventOf(subject), subject)
      if (!(answer instanceof Promise)) return judge(answer, value, subject)
      return answer.then(
        (settled) => judge(settled, value, subject),
        (error) => fail(error, value),
      )
    } catch (error) {
      return fail(error, value)
    }
  }
}

/** Compiles a condition that is not a group. */
const compileLeaf = <S>(spec: ConditionSpec, operator: Operator, { kit, scope }: Builder<S>): BuiltCondition<S> => {
  const report: Report = (code, below, message, help) => kit.report(code, [...spec.path, spec.key, ...below], message, help)
  const { profileDir, openList, recompileAtReload } = kit
  const test = kit.adopt(operator.compile(spec.operand, { profileDir, openList, report, recompileAtReload }))
  const field = spec.hasValue ? scope.compile(spec.field) : undefined
  const explain = explainer(spec)
  const judge = (holds: boolean, value: ExactJson | undefined): ConditionResult =>
    holds ? undefined : { broken: false, rule: explain(false, value) }
  return { run: compileRun(scope, field, explain, test, judge), held: [(subject) => explain(true, field?.valueIn(subject))] }
}

/** Compiles a condition on the items of a list. Its operand is a condition, or a list of conditions that must all hold. */
const compileItems = <S>(spec: ConditionSpec, depth: number, { kit, scope, count }: Builder<S>): BuiltCondition<S> => {
  const { path, key, operand } = spec
  const { left } = count
  const inside = compileAll(operand, [...path, key], depth + 1, { kit, scope: itemScope(spec.isSecret), count })
  const judgeItems = (key === 'any_item' ? judgeAnyItem : judgeEveryItem)(inside, Math.max(1, left - count.left))
  const allowance = scope.allowance()
  const field = scope.compile(spec.field)
  const name = [spec.name, spec.field, key].filter((part) => part !== undefined).join(' ')
  const explain = explainer(spec)
  // A sentence about the condition names the item for which it holds.
  const heldFor = new WeakMap<object, string>()
  const run = compileRun(
    scope,
    field,
    explain,
    (list, event, subject): ItemVerdict | undefined | Promise<ItemVerdict> =>
      Array.isArray(list) ? judgeItems(list, { event, allowance: allowance(subject) }) : undefined,
    (verdict, list, subject): ConditionResult => {
      if (!verdict || !Array.isArray(list)) return { broken: false, rule: explain(false, list) }
      const { length } = list
      if (!verdict.holds) return { broken: verdict.broken, rule: () => `${name}: ${noItemHolds(key, length, verdict)}` }
      heldFor.set(subject as object, verdict.at === undefined ? `all ${length} hold` : `item ${verdict.at} holds`)
      return undefined
    },
  )
  const held: HeldSentence<S> = (subject) => {
    const which = heldFor.get(subject as object) ?? 'holds'
    return () => `${name}: ${which}`
  }
  return { run, held: [held] }
}

const noItemHolds = (key: string, length: number, { at, rule }: ItemVerdict): string => {
  const why = at === undefined ? '' : `item ${at}: ${rule?.()}`
  return key === 'any_item' ? [`none of ${length} holds`, why].filter(Boolean).join('; ') : `item ${at} does not hold; ${rule?.()}`
}

const itemScope = (isSecret: boolean): Scope<Item> => ({
  compile: (field) => {
    const get = field === undefined ? undefined : compilePath(field)
    return { valueIn: get ? ({ value }) => get(value) : ({ value }) => value }
  },
  eventOf: ({ event }) => event,
  allowance:
    () =>
    ({ allowance }) =>
      allowance,
  isOfItems: true,
  isSecret,
})

const groups: readonly string[] = ['all', 'any', 'not']
const itemGroups: readonly string[] = ['any_item', 'every_item']
const neverHolds: BuiltCondition<unknown> = {
  run: () => ({ broken: true, rule: () => 'a condition that could not be compiled' }),
  held: [],
}

/** Counts a condition, and returns whether it is nested too deep or one too many. Only the first condition that is too many is reported. */
const isTooMuch = <S>({ kit, count }: Builder<S>, path: Path, depth: number): boolean => {
  count.left--
  const help = 'use `in`, `in_file` or a script instead'
  if (depth > maxDepth) kit.report('WH413', path, `conditions are nested deeper than ${maxDepth}`, help)
  else if (count.left === -1) kit.report('WH413', path, `there are more than ${maxConditions} conditions`, help)
  return depth > maxDepth || count.left < 0
}

const reportUnknown = (key: string, at: Path, { operators, report }: ConditionKit): void => {
  const known = [...operators.keys(), ...itemGroups, ...groups]
  if (pluginNamePattern.test(key))
    report('WH711', at, `no plugin brings the operator "${printable(key, 60)}"`, unknownPluginHelp(key, known))
  else report('WH405', at, `"${printable(key, 60)}" is not an operator`, `use one of: ${known.join(', ')}`)
}

/** Reads the operator or group of a condition, and its field. `undefined`: the condition has no usable operator, which is reported. */
const readCondition = <S>(spec: ExactObject, path: Path, { kit, scope }: Builder<S>): ConditionSpec | undefined => {
  const { operators, report } = kit
  const keys = Object.keys(spec).filter((name) => name !== 'field' && !name.startsWith('x-'))
  const [key] = keys
  if (key === undefined || keys.length > 1) {
    const found = key === undefined ? 'none' : keys.map((name) => printable(name, 60)).join(', ')
    report('WH405', path, `a condition needs exactly one operator, found ${found}`, 'for several, write several conditions')
    return undefined
  }
  const operator = operators.get(key)
  const isOnItems = itemGroups.includes(key)
  if (!operator && !isOnItems && !groups.includes(key)) {
    reportUnknown(key, [...path, key], kit)
    return undefined
  }
  if (scope.isOfItems && operator?.fieldless) {
    report('WH405', [...path, key], `"${key}" looks at the whole event, and not at an item`, 'write it beside the condition on the items')
    return undefined
  }
  const field = own(spec, 'field')
  const standsAlone = operator ? operator.fieldless === true : !isOnItems
  if (standsAlone ? field !== undefined : typeof field !== 'string' && !scope.isOfItems) {
    const [why, help] = standsAlone
      ? [`"${key}" stands alone, without "field"`, 'remove "field"; for a condition on it, write one more']
      : [`"${key}" needs a "field" to look at`, 'add field: a.dotted.path']
    report('WH405', path, why, help)
  }
  const fieldName = typeof field === 'string' ? field : undefined
  const hasValue = fieldName !== undefined || (scope.isOfItems && !standsAlone)
  const operand = own(spec, key) as ExactJson
  const shown = operator?.shown?.(operand) ?? operand
  const secret = scope.isSecret || isSecret(fieldName)
  return { name: conditionName(path, kit.root), path, key, operand, shown, field: fieldName, hasValue, isSecret: secret }
}

const compileOne = <S>(written: ExactJson | undefined, path: Path, depth: number, builder: Builder<S>): BuiltCondition<S> => {
  if (!isObject(written) || isTooMuch(builder, path, depth)) return neverHolds
  const spec = readCondition(written, path, builder)
  if (!spec) return neverHolds
  const built = compileSpec(spec, path, depth, builder)
  builder.scope.compiled?.(spec, built.run)
  return built
}

const compileSpec = <S>(spec: ConditionSpec, path: Path, depth: number, builder: Builder<S>): BuiltCondition<S> => {
  const operator = builder.kit.operators.get(spec.key)
  if (operator) return compileLeaf(spec, operator, builder)
  if (itemGroups.includes(spec.key)) return compileItems(spec, depth, builder)
  const below = [...path, spec.key]
  const { root } = builder.kit
  if (spec.key === 'not') {
    const { run, held } = compileOne(spec.operand, below, depth + 1, builder)
    const isGroup = isObject(spec.operand) && Object.keys(spec.operand).some((key) => groups.includes(key))
    return { run: not(run, sentenceOfNot(conditionName(below, root), isGroup, held)), held }
  }
  const inside = Array.isArray(spec.operand)
    ? spec.operand.map((item, i) => compileOne(item, [...below, i], depth + 1, builder))
    : [neverHolds]
  const runs = inside.map(({ run }) => run)
  return { run: spec.key === 'all' ? all(runs) : any(runs, conditionName(below, root)), held: inside.flatMap(({ held }) => held) }
}

/** Compiles one condition, or a list of conditions that must all hold. */
const compileAll = <S>(
  spec: ExactJson,
  path: Path,
  depth: number,
  builder: Builder<S>,
  isPicked: (condition: ExactJson) => boolean = () => true,
): RunCondition<S> =>
  Array.isArray(spec)
    ? all(spec.flatMap((condition, i) => (isPicked(condition) ? compileOne(condition, [...path, i], depth, builder).run : [])))
    : compileOne(spec, path, depth, builder).run

const eventScope = (fields: EventFields, { compiled }: ConditionKit): Scope<Event> => {
  const tests = new ItemTests()
  const scope: Scope<Event> = {
    compile: (field) => (field === undefined ? undefined : fields.compile(field)),
    eventOf: (event) => event,
    allowance: () => tests.share(),
    isOfItems: false,
    isSecret: false,
  }
  if (!compiled) return scope
  return {
    ...scope,
    compiled: (spec, judge) => {
      const { name, path, key: operator, field } = spec
      const seen = field === undefined ? {} : { field, seen: (event: Event) => showField(field, event) }
      const operand = groups.includes(operator) ? {} : { operand: shownOperand(spec) }
      compiled({ name, path, operator, judge, ...operand, ...seen })
    },
  }
}

/**
 * Compiles a route's filters: one condition, or a list of conditions that must all hold. A condition that is wrong is reported at its path
 * below `filters`. Where no condition can be made of it, neither it nor a `not` around it ever holds. The compiled function never throws.
 * It returns a promise only where an operator has to wait.
 */
export const compileConditions = (spec: ExactJson, kit: ConditionKit): ((event: Event) => FilterVerdict | Promise<FilterVerdict>) => {
  const fields = new EventFields()
  const run = compileAll(spec, [], 1, { kit, scope: eventScope(fields, kit), count: { left: maxConditions } }, kit.isPicked)
  const shared = fields.shared()
  const conclude = (failure: ConditionResult): FilterVerdict => {
    for (const field of shared) field.forget()
    return verdictOf(failure)
  }
  return (event) => {
    const failure = run(event)
    return failure instanceof Promise ? failure.then(conclude) : conclude(failure)
  }
}
