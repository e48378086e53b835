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
import { all, any, type ConditionFailure, type ConditionResult, not, type RunCondition } from './logic.ts'
import { compileField } from './path.ts'
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
    kit: { readonly profileDir: string; readonly report: Report; readonly recompileAtReload: () => void },
  ): Closable<(value: ExactJson | undefined, event: Event) => boolean | Promise<boolean>>
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
  readonly judge: RunCondition
  /** Returns the field's value as messages show it. A secret is not shown. Absent where `field` is absent. */
  readonly seen?: (event: Event) => string
}

type ConditionKit = {
  /** Called with each compiled condition. Absent where nothing watches the conditions, as in the running gateway. */
  readonly compiled?: (condition: CompiledCondition) => void
  readonly operators: ReadonlyMap<string, Operator>
  /** The profile's folder, below which operators read their files. */
  readonly profileDir: string
  /** Called with each mistake, at its path below `filters`. */
  readonly report: Report
  /** Called by an operator that depends on more than its operand, a file for example. Each reload then compiles a configured route anew. */
  readonly recompileAtReload: () => void
  /** Takes over what an operator opens. */
  readonly adopt: Adopt
}

/** Whether an event passes the filters. `rule` returns a sentence: which condition refused the event, and which value the condition saw. */
export type FilterVerdict = { readonly pass: true } | { readonly pass: false; readonly rule: () => string }

const passed: FilterVerdict = { pass: true }
const verdictOf = (failure: ConditionResult): FilterVerdict => (failure ? { pass: false, rule: failure.rule } : passed)

const showValue = (value: ExactJson | undefined): string =>
  value === undefined ? 'missing' : printable(renderJson(value, maxShownUnits, 0), maxShownUnits)

/** Returns the name of a condition in messages, from its path below `filters`: `filters[1].not.any[0]`. */
export const conditionName = (path: Path): string =>
  path.reduce<string>((name, key) => name + (typeof key === 'number' ? `[${key}]` : `.${key}`), 'filters')

const showField = (field: string, event: Event): string => (isSecret(field) ? 'value not shown' : showValue(compileField(field)(event)))

type ConditionSpec = { readonly path: Path; readonly key: string; readonly operand: ExactJson; readonly field: string | undefined }

/** Whether a field holds a secret. Sentences about conditions go to the log, so they leave out the values of such fields. */
const isSecret = (field: string | undefined): boolean => {
  if (field === undefined) return false
  const parameter = queryParameter(field)
  return parameter === undefined ? namesRequestSecret(field) : namesParameterSecret(parameter)
}

const shownOperand = ({ operand, field }: ConditionSpec): string => (isSecret(field) ? '…' : showValue(operand))

/**
 * Makes the function that explains a condition. Its arguments are whether the condition holds, the value of the field, and the error where
 * the test failed. It returns a function for the sentence (`filters[0] action equals "opened" (got "closed")`), which is made only when
 * somebody reads it.
 */
const explainer = (spec: ConditionSpec): ((holds: boolean, value: ExactJson | undefined, failure?: unknown) => () => string) => {
  const { path, key, field } = spec
  /** The part of the sentence that is the same for each event: the demand. */
  let asked: string | undefined
  return (holds, value, failure) => () => {
    asked ??= `${conditionName(path)}${field === undefined ? '' : ` ${field}`} ${key} ${shownOperand(spec)}`
    if (holds && field === undefined) return asked
    const got = field === undefined ? 'not true' : isSecret(field) ? 'value not shown' : `got ${showValue(value)}`
    const why = failure === undefined ? got : `failed: ${printable(messageOf(failure), 200)}`
    return `${asked} (${why})`
  }
}

/**
 * Explains a condition that holds. The value of the field is read from the event at once. The function that makes the sentence later keeps
 * only this value, so the payload can be freed.
 */
type HeldSentence = (event: Event) => ConditionFailure['rule']

/**
 * A condition or group, compiled. `run` judges an event. Where the condition stands inside a `not` and holds, the `not` stops the event,
 * and `held` says why: one explanation of the condition itself, or one for each condition inside the group.
 */
type BuiltCondition = { readonly run: RunCondition; readonly held: readonly HeldSentence[] }

/** Explains a `not` that stops an event: by the condition inside the `not`, or by the first few conditions of the group inside it. */
const sentenceOfNot =
  (name: string, isGroup: boolean, held: readonly HeldSentence[]): HeldSentence =>
  (event) => {
    const [first, ...others] = held.slice(0, maxHeld).map((each) => each(event))
    if (first && !isGroup) return first
    const more = held.length > maxHeld ? [() => `and ${held.length - maxHeld} more`] : []
    return () => [`${name}: the condition inside holds`, ...[first ?? [], others, more].flat().map((said) => said())].join('; ')
  }

/** `left`: the number of conditions that may still be compiled before there are too many. */
type Builder = { readonly kit: ConditionKit; readonly fields: EventFields; left: number }

/** Compiles a condition that is not a group. */
const compileLeaf = (spec: ConditionSpec, operator: Operator, { kit, fields }: Builder): BuiltCondition => {
  const report: Report = (code, below, message, help) => kit.report(code, [...spec.path, spec.key, ...below], message, help)
  const test = kit.adopt(operator.compile(spec.operand, { profileDir: kit.profileDir, report, recompileAtReload: kit.recompileAtReload }))
  const field = spec.field === undefined ? undefined : fields.compile(spec.field)
  const explain = explainer(spec)
  const judge = (holds: boolean, value: ExactJson | undefined): ConditionResult =>
    holds ? undefined : { broken: false, rule: explain(false, value) }
  const fail = (error: unknown, value: ExactJson | undefined): ConditionFailure => ({
    broken: true,
    rule: explain(false, value, error ?? 'unknown'),
  })
  const run: RunCondition = (event) => {
    const value = field?.valueIn(event)
    try {
      const holds = test(value, event)
      if (!(holds instanceof Promise)) return judge(holds, value)
      return holds.then(
        (settled) => judge(settled, value),
        (error) => fail(error, value),
      )
    } catch (error) {
      return fail(error, value)
    }
  }
  return { run, held: [(event) => explain(true, field?.valueIn(event))] }
}

const groups: readonly string[] = ['all', 'any', 'not']
const neverHolds: BuiltCondition = { run: () => ({ broken: true, rule: () => 'a condition that could not be compiled' }), held: [] }

/** Counts a condition, and returns whether it is nested too deep or one too many. Only the first condition that is too many is reported. */
const isTooMuch = (builder: Builder, path: Path, depth: number): boolean => {
  builder.left--
  const help = 'use `in`, `in_file` or a script instead'
  if (depth > maxDepth) builder.kit.report('WH413', path, `conditions are nested deeper than ${maxDepth}`, help)
  else if (builder.left === -1) builder.kit.report('WH413', path, `there are more than ${maxConditions} conditions`, help)
  return depth > maxDepth || builder.left < 0
}

/** Reads the operator or group of a condition, and its field. `undefined`: the condition has no usable operator, which is reported. */
const readCondition = (spec: ExactObject, path: Path, { operators, report }: ConditionKit): ConditionSpec | undefined => {
  const keys = Object.keys(spec).filter((name) => name !== 'field' && !name.startsWith('x-'))
  const [key] = keys
  if (key === undefined || keys.length > 1) {
    const found = key === undefined ? 'none' : keys.map((name) => printable(name, 60)).join(', ')
    report('WH405', path, `a condition needs exactly one operator, found ${found}`, 'for several, write several conditions')
    return undefined
  }
  const operator = operators.get(key)
  if (!operator && !groups.includes(key)) {
    const known = [...operators.keys(), ...groups]
    const at = [...path, key]
    if (pluginNamePattern.test(key))
      report('WH711', at, `no plugin brings the operator "${printable(key, 60)}"`, unknownPluginHelp(key, known))
    else report('WH405', at, `"${printable(key, 60)}" is not an operator`, `use one of: ${known.join(', ')}`)
    return undefined
  }
  const field = own(spec, 'field')
  const standsAlone = !operator || operator.fieldless === true
  if (standsAlone ? field !== undefined : typeof field !== 'string') {
    const [why, help] = standsAlone
      ? [`"${key}" stands alone, without "field"`, 'remove "field"; for a condition on it, write one more']
      : [`"${key}" needs a "field" to look at`, 'add field: a.dotted.path']
    report('WH405', path, why, help)
  }
  return { path, key, operand: own(spec, key) as ExactJson, field: typeof field === 'string' ? field : undefined }
}

const compileOne = (written: ExactJson | undefined, path: Path, depth: number, builder: Builder): BuiltCondition => {
  if (!isObject(written) || isTooMuch(builder, path, depth)) return neverHolds
  const spec = readCondition(written, path, builder.kit)
  if (!spec) return neverHolds
  const built = compileSpec(spec, path, depth, builder)
  const { key: operator, field } = spec
  const seen = field === undefined ? {} : { field, seen: (event: Event) => showField(field, event) }
  const operand = groups.includes(operator) ? {} : { operand: shownOperand(spec) }
  builder.kit.compiled?.({ name: conditionName(path), path, operator, judge: built.run, ...operand, ...seen })
  return built
}

const compileSpec = (spec: ConditionSpec, path: Path, depth: number, builder: Builder): BuiltCondition => {
  const operator = builder.kit.operators.get(spec.key)
  if (operator) return compileLeaf(spec, operator, builder)
  const below = [...path, spec.key]
  if (spec.key === 'not') {
    const { run, held } = compileOne(spec.operand, below, depth + 1, builder)
    const isGroup = isObject(spec.operand) && Object.keys(spec.operand).some((key) => groups.includes(key))
    return { run: not(run, sentenceOfNot(conditionName(below), isGroup, held)), held }
  }
  const inside = Array.isArray(spec.operand)
    ? spec.operand.map((item, i) => compileOne(item, [...below, i], depth + 1, builder))
    : [neverHolds]
  const runs = inside.map(({ run }) => run)
  return { run: spec.key === 'all' ? all(runs) : any(runs, conditionName(below)), held: inside.flatMap(({ held }) => held) }
}

const compileAll = (spec: ExactJson, builder: Builder): RunCondition =>
  Array.isArray(spec) ? all(spec.map((condition, i) => compileOne(condition, [i], 1, builder).run)) : compileOne(spec, [], 1, builder).run

/**
 * Compiles a route's filters: one condition, or a list of conditions that must all hold. A condition that is wrong is reported at its path
 * below `filters`. Where no condition can be made of it, neither it nor a `not` around it ever holds. The compiled function never throws.
 * It returns a promise only where an operator has to wait.
 */
export const compileConditions = (spec: ExactJson, kit: ConditionKit): ((event: Event) => FilterVerdict | Promise<FilterVerdict>) => {
  const fields = new EventFields()
  const run = compileAll(spec, { kit, fields, left: maxConditions })
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
