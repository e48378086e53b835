/** Conditions compiled to one function per list: who passes, and for who does not, which rule said no to what. */

import type { Code, Path } from '../core/diagnostic.ts'
import type { Opened } from '../core/exchange.ts'
import { messageOf } from '../core/fault.ts'
import { isObject, type Json, type JsonObject, own } from '../core/json.ts'
import { printable } from '../core/text.ts'
import type { Condition } from '../generated/config.ts'
import { compileField } from './path.ts'
import { renderJson } from './render.ts'

const maxConditions = 1000
const maxDepth = 32
const maxShownUnits = 80

type Report = (code: Code, path: Path, message: string, help?: string) => void

/** What this file needs of an operator; the parts' own type says the rest. */
type Operator = {
  readonly fieldless?: true
  compile(
    operand: Json,
    kit: { readonly profileDir: string; readonly report: Report },
  ): (value: Json | undefined, opened: Opened) => boolean | Promise<boolean>
}

type Kit = { readonly operators: ReadonlyMap<string, Operator>; readonly profileDir: string; readonly report: Report }

export type Verdict = { readonly pass: true } | { readonly pass: false; readonly rule: () => string }

/** Why a condition does not hold. A broken one could not be decided: `not` must not turn it into a pass. */
type No = { readonly broken: boolean; readonly rule: () => string }
type Answer = No | undefined
type Run = (opened: Opened) => Answer | Promise<Answer>

const passed: Verdict = { pass: true }
const verdictOf = (no: Answer): Verdict => (no ? { pass: false, rule: no.rule } : passed)

const shown = (value: Json | undefined): string =>
  value === undefined ? 'missing' : printable(renderJson(value, maxShownUnits, 0), maxShownUnits)

const after = <T, U>(value: T | Promise<T>, then: (settled: T) => U | Promise<U>): U | Promise<U> =>
  value instanceof Promise ? value.then(then) : then(value)

// `filters[1].not.any[0]`, as far as this file knows the name.
const nameOf = (path: Path): string =>
  path.reduce<string>((name, key) => name + (typeof key === 'number' ? `[${key}]` : `.${key}`), 'filters')

/** Asks each in turn; stops at the first that `ends` says enough about. Waits only for what is not there yet. */
const ask = (
  runs: readonly Run[],
  opened: Opened,
  ends: (answer: Answer) => boolean,
  last: (nos: readonly No[]) => Answer,
): Answer | Promise<Answer> => {
  const nos: No[] = []
  const from = (start: number): Answer | Promise<Answer> => {
    for (let i = start; i < runs.length; i++) {
      const answer = runs[i]?.(opened)
      if (answer instanceof Promise) return answer.then((settled) => (take(settled) ? settled : from(i + 1)))
      if (take(answer)) return answer
    }
    return last(nos)
  }
  const take = (answer: Answer): boolean => {
    if (answer) nos.push(answer)
    return ends(answer)
  }
  return from(0)
}

const all = (runs: readonly Run[]): Run => {
  const [only] = runs
  if (runs.length === 1 && only) return only
  return (opened) =>
    ask(
      runs,
      opened,
      (answer) => answer !== undefined,
      () => undefined,
    )
}

const any =
  (runs: readonly Run[], name: string): Run =>
  (opened) =>
    ask(
      runs,
      opened,
      (answer) => answer === undefined,
      (nos) => ({
        broken: nos.some(({ broken }) => broken),
        rule: () => `${name}: none of ${runs.length} holds${nos[0] ? `; ${nos[0].rule()}` : ''}`,
      }),
    )

const not =
  (run: Run, name: string): Run =>
  (opened) =>
    after(run(opened), (no) => (no ? (no.broken ? no : undefined) : { broken: false, rule: () => `${name}: the condition inside holds` }))

/** Headers whose values are secrets: an explanation goes to the log. */
const secretField = /^headers\..*(?:token|secret|signature|auth|cookie|key)/i

const leaf = (name: string, field: string | undefined, [key, operand]: [string, Json], operator: Operator, kit: Kit, path: Path): Run => {
  const report: Report = (code, below, message, help) => kit.report(code, [...path, key, ...below], message, help)
  const test = operator.compile(operand, { profileDir: kit.profileDir, report })
  const get = field === undefined ? () => undefined : compileField(field)
  const secret = field !== undefined && secretField.test(field)
  const rule = (value: Json | undefined, why?: string): string => {
    const subject = field === undefined ? name : `${name} ${field}`
    const got = field === undefined ? 'not true' : secret ? 'value not shown' : `got ${shown(value)}`
    return `${subject} ${key} ${secret ? '…' : shown(operand)} (${why ?? got})`
  }
  const judge = (holds: boolean, value: Json | undefined): Answer => (holds ? undefined : { broken: false, rule: () => rule(value) })
  const broken = (error: unknown, value: Json | undefined): No => ({
    broken: true,
    rule: () => rule(value, `failed: ${printable(messageOf(error), 200)}`),
  })
  return (opened) => {
    const value = get(opened)
    try {
      const holds = test(value, opened)
      if (typeof holds === 'boolean') return judge(holds, value)
      return holds.then(
        (settled) => judge(settled, value),
        (error) => broken(error, value),
      )
    } catch (error) {
      return broken(error, value)
    }
  }
}

const groups = ['all', 'any', 'not'] as const
const never: Run = () => ({ broken: true, rule: () => 'a condition that could not be compiled' })

/** Compiles one condition; what is wrong with it is reported and it never holds. */
const compileOne = (spec: JsonObject, path: Path, depth: number, kit: Kit, count: { left: number }): Run => {
  if (depth > maxDepth || count.left-- === 0) {
    const limit = depth > maxDepth ? `nested deeper than ${maxDepth}` : `more than ${maxConditions}`
    if (depth > maxDepth || count.left === -1) kit.report('WH413', path, `conditions ${limit}`, 'use `in`, `in_file` or a script instead')
    return never
  }
  const keys = Object.keys(spec).filter((key) => key !== 'field' && !key.startsWith('x-'))
  const field = own(spec, 'field')
  const [key] = keys
  if (key === undefined || keys.length > 1) {
    const found = key === undefined ? 'found none' : `found ${keys.join(', ')}`
    kit.report(
      'WH405',
      path,
      `a condition needs exactly one operator, ${found}`,
      'put several conditions in a list, or under `all` or `any`',
    )
    return never
  }
  const operand = own(spec, key) as Json
  const name = nameOf(path)
  const group = groups.find((known) => known === key)
  const operator = kit.operators.get(key)
  if (!group && !operator) {
    kit.report(
      'WH405',
      [...path, key],
      `"${printable(key, 60)}" is not an operator`,
      `use one of: ${[...kit.operators.keys(), ...groups].join(', ')}`,
    )
    return never
  }
  const alone = group !== undefined || operator?.fieldless === true
  if (alone ? field !== undefined : typeof field !== 'string') {
    kit.report('WH405', path, alone ? `\`${key}\` stands alone, without \`field\`` : `\`${key}\` needs a \`field\` to look at`)
    return never
  }
  if (operator) return leaf(name, alone ? undefined : String(field), [key, operand], operator, kit, path)
  const inside = (item: Json, ...below: Path): Run =>
    isObject(item) ? compileOne(item, [...path, key, ...below], depth + 1, kit, count) : never
  if (group === 'not') return not(inside(operand), `${name}.not`)
  const runs = (Array.isArray(operand) ? operand : []).map((item, i) => inside(item, i))
  return group === 'all' ? all(runs) : any(runs, `${name}.any`)
}

/**
 * Compiles a route's filters: all must hold. Reports what is wrong with them; paths are relative to `filters`.
 * The function never throws and answers at once unless an operator has to wait.
 */
export const compileConditions = (spec: Condition[] | Condition, kit: Kit): ((opened: Opened) => Verdict | Promise<Verdict>) => {
  const count = { left: maxConditions }
  const runs = Array.isArray(spec)
    ? spec.map((condition, i) => compileOne(condition as JsonObject, [i], 1, kit, count))
    : [compileOne(spec as JsonObject, [], 1, kit, count)]
  const run = all(runs)
  return (opened) => after(run(opened), verdictOf)
}
