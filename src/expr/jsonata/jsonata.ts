/** Compiles JSONata expressions under limits of time, depth and size. Only this file loads JSONata's library, at the first expression. */

import { createRequire } from 'node:module'
import type jsonata from 'jsonata'
import { messageOf } from '../../core/fault.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { printable } from '../../core/text.ts'
import { engineOf, LinearRegExp } from '../regex/linear-regexp.ts'
import { TooHard } from '../too-hard.ts'
import { asConditions } from './as-conditions.ts'
import type { BuiltIn } from './bodies.ts'
import { unknownCall } from './calls.ts'
import { guardBuiltIns } from './guards.ts'
import { madeKeys } from './made-keys.ts'
import { assignCharges, nodesOf, onEntry, onExit } from './operators.ts'
import { otherSign, type Reads, readsOf, rootSlip, subscriptSlip } from './roots.ts'
import { builtInNames } from './rules.ts'
import { bindingsOf, EvaluationRun } from './run.ts'

const maxSourceUnits = 4096
const maxMessageUnits = 300
// `sequence` is the most items of a list that the library builds. For each added item the library copies the list, and holds the event
// loop.
const limits = { stack: 10_000, sequence: 10_000, RegexEngine: LinearRegExp as unknown as RegExpConstructor }

/** An expression that cannot be used. */
export class BadExpression extends Error {
  override name = 'BadExpression'
  /** 1-based character of the expression; 0 when unknown. */
  readonly position: number

  constructor(message: string, position: number) {
    super(message)
    this.position = position
  }
}

const require = createRequire(import.meta.url)
let library: typeof jsonata | undefined
const loadLibrary = (): typeof jsonata => {
  library ??= require('jsonata') as typeof jsonata
  return library
}

/** `written`: the string literals of the expression. */
type ParsedExpression = { readonly expression: jsonata.Expression; readonly written: ReadonlySet<string> }

const parseExpression = (source: string, names: readonly string[] | undefined): ParsedExpression => {
  if (source.length > maxSourceUnits) throw new BadExpression(`the expression is longer than ${maxSourceUnits} characters`, 0)
  try {
    const expression = loadLibrary()(source, limits)
    const root: unknown = expression.ast()
    const nodes = nodesOf(root)
    for (const node of nodes) if (node instanceof RegExp) engineOf(node)
    const unknown = unknownCall(nodes)
    if (unknown) throw new BadExpression(unknown.message, unknown.position)
    const slip = subscriptSlip(nodes) ?? (names && rootSlip(source, root, names))
    if (slip) throw new BadExpression(slip.message, slip.position)
    assignCharges(nodes)
    // The library looks its hooks up under symbols.
    expression.assign(Symbol.for('jsonata.__evaluate_entry') as unknown as string, onEntry)
    expression.assign(Symbol.for('jsonata.__evaluate_exit') as unknown as string, onExit)
    return { expression, written: new Set(nodes.flatMap(({ type, value }) => (type === 'string' ? [String(value)] : []))) }
  } catch (error) {
    if (error instanceof BadExpression) throw error
    const position = typeof error === 'object' && error !== null && 'position' in error ? Number(error.position) : 0
    throw new BadExpression(`${messageOf(error)}${otherSign(source)}`, Number.isFinite(position) ? position : 0)
  }
}

/**
 * Guards the built-ins, which all expressions share. Only `$now` is made anew for each expression, so a guarded `$now` is returned, and
 * each evaluation binds it in place of the own `$now` of its expression.
 */
const guardOnce = async (): Promise<{ readonly now: BuiltIn }> => {
  const all = (await loadLibrary()(`[${builtInNames.map((name) => `$${name}`).join(',')}]`).evaluate(null)) as BuiltIn[]
  guardBuiltIns(all)
  return { now: all[builtInNames.indexOf('now')] as BuiltIn }
}
let builtIns: ReturnType<typeof guardOnce> | undefined

/** The error codes of the limits that the library itself has: of depth, and of the length of a list. */
const limitCodes: readonly unknown[] = ['D1011', 'D2014', 'D2015']
const isLimit = (error: unknown): boolean =>
  error instanceof TooHard ||
  error instanceof RangeError ||
  (typeof error === 'object' && error !== null && 'code' in error && limitCodes.includes(error.code))

/** Whether a result is a function: of the library, of an expression, or a pattern. */
export const isFunction = (value: unknown): boolean =>
  typeof value === 'function' ||
  (typeof value === 'object' && value !== null && ('_jsonata_lambda' in value || '_jsonata_function' in value))

/** The evaluation of an expression failed. */
export class FailedExpression extends Error {
  override name = 'FailedExpression'
  /** The message without the values that it quotes: a log must not have what a payload brought. */
  readonly withoutValues: string

  constructor(message: string, withoutValues: string) {
    super(message)
    this.withoutValues = withoutValues
  }
}

/** The codes of errors whose message the expression itself writes, from whatever it likes: of `$error` and `$assert`. */
const ownMessageCodes: readonly unknown[] = ['D3137', 'D3141']

/** Returns the message of an error of the library, without the values of the payload that it quotes. */
const messageWithoutValues = (error: unknown): string => {
  const { code, value, value2 } = error as { readonly code?: unknown; readonly value?: unknown; readonly value2?: unknown }
  if (ownMessageCodes.includes(code)) return code === 'D3137' ? 'it calls $error' : 'an $assert of it does not hold'
  const message = messageOf(error)
  // An argument of a wrong type is not quoted, and may be a function, which has no JSON.
  const quoted = String(code).startsWith('T04') ? [] : [value, value2].flatMap((each) => JSON.stringify(each) ?? [])
  return printable(
    quoted.reduce((text, each) => text.replaceAll(each, '…'), message),
    maxMessageUnits,
  )
}

/** Returns what `read` finds in the syntax tree of an expression; `undefined` also for an expression that cannot be read. */
const treeOf = <T>(source: string, read: (root: unknown) => T | undefined): T | undefined => {
  try {
    return read(parseExpression(source, undefined).expression.ast())
  } catch (error) {
    if (error instanceof BadExpression) return undefined
    throw error
  }
}

/** Returns what an expression reads of its input. */
export const readJsonata = (source: string): Reads | undefined => treeOf(source, (root) => readsOf(source, root, nodesOf(root)))

/** Returns the keys of the map that an expression makes, as `madeKeys`. */
export const keysMadeBy = (source: string): ReadonlySet<string> | undefined => treeOf(source, madeKeys)

/** Returns the condition that says the same as an expression, as `asConditions`. */
export const conditionLike = (source: string): JsonObject | undefined => treeOf(source, asConditions)

/** Evaluates an expression on an input. Resolves to `undefined` where the expression has no value, or a function as its value. */
export type Expression = (input: Json) => Promise<Json | undefined>

/**
 * Compiles an expression. Throws BadExpression. `names`: all names at the top of its input, where these are known. The compiled function rejects with TooHard when a limit stops the evaluation, and with a
 * FailedExpression when the evaluation fails.
 */
export const compileJsonata = (source: string, names?: readonly string[]): Expression => {
  const { expression, written } = parseExpression(source, names)
  return async (input) => {
    builtIns ??= guardOnce()
    const { now } = await builtIns
    const run = new EvaluationRun(written)
    try {
      const result: unknown = await expression.evaluate(input, { ...bindingsOf(run), now })
      return result === undefined || isFunction(result) ? undefined : (result as Json)
    } catch (error) {
      const message = printable(messageOf(error), maxMessageUnits)
      throw isLimit(error) ? new TooHard(message) : new FailedExpression(message, messageWithoutValues(error))
    } finally {
      run.end()
    }
  }
}
