/** JSONata under limits of time, depth and size; the only importer of the library, which is loaded when the first expression is. */

import { createRequire } from 'node:module'
import type jsonata from 'jsonata'
import { messageOf } from '../core/fault.ts'
import type { Json } from '../core/json.ts'
import { LinearRegExp, leash, leashedNames, linear } from './jsonata-guards.ts'

const maxSourceUnits = 4096
// Lists grow by copying, so the longest list bounds the time of what never looks at the clock.
const limits = { timeout: 80, stack: 200, sequence: 10_000, RegexEngine: LinearRegExp as unknown as RegExpConstructor }

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
const load = (): typeof jsonata => {
  library ??= require('jsonata') as typeof jsonata
  return library
}

/** Every pattern literal below a node of the syntax tree. */
const patternsOf = (root: unknown): RegExp[] => {
  const found: RegExp[] = []
  const seen = new Set<object>()
  const waiting: unknown[] = [root]
  while (waiting.length > 0) {
    const node = waiting.pop()
    if (typeof node !== 'object' || node === null || seen.has(node)) continue
    seen.add(node)
    if (node instanceof RegExp) found.push(node)
    else waiting.push(...Object.values(node))
  }
  return found
}

const parse = (source: string): jsonata.Expression => {
  if (source.length > maxSourceUnits) throw new BadExpression(`the expression is longer than ${maxSourceUnits} characters`, 0)
  try {
    const expression = load()(source, limits)
    for (const pattern of patternsOf(expression.ast())) linear(pattern)
    return expression
  } catch (error) {
    const position = typeof error === 'object' && error !== null && 'position' in error ? Number(error.position) : 0
    throw new BadExpression(messageOf(error), Number.isFinite(position) ? position : 0)
  }
}

let leashes: ReturnType<typeof fetchLeashes> | undefined
const fetchLeashes = async () => leash(await load()(`[${leashedNames.map((name) => `$${name}`).join(',')}]`).evaluate(null))

const isFunction = (value: unknown): boolean =>
  typeof value === 'function' ||
  (typeof value === 'object' && value !== null && ('_jsonata_lambda' in value || '_jsonata_function' in value))

export type Expression = (input: Json) => Promise<Json | undefined>

/** Throws BadExpression; the function rejects with a plain Error when the expression fails or a limit stops it. */
export const compileJsonata = (source: string): Expression => {
  const expression = parse(source)
  return async (input) => {
    leashes ??= fetchLeashes()
    try {
      const result: unknown = await expression.evaluate(input, await leashes)
      return result === undefined || isFunction(result) ? undefined : (result as Json)
    } catch (error) {
      throw new Error(messageOf(error))
    }
  }
}
