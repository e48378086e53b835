/** Puts JSONata's built-ins behind their rules: what a call is given is looked at and paid for before it runs, what it makes after. */

import { maxItems } from '../weight.ts'
import type { Body, BuiltIn, Focus } from './bodies.ts'
import { refuse, sizeOf, slowText } from './checks.ts'
import { type Rule, rules } from './rules.ts'
import { itemsAStep, runOf, unitsAStep } from './run.ts'

/** The steps that a call counts for. Every built-in refuses texts and lists past its bounds, and numbers like 1e999, which some count down from for ever. */
const checkSizes = (args: readonly unknown[], { text = slowText, items = maxItems }: Rule): number => {
  let steps = 0
  for (const arg of args) {
    if (sizeOf(arg) > text) refuse(`the text is too long for this function: at most ${text} characters`)
    if (Array.isArray(arg) && arg.length > items) refuse(`the list is too long for this function: at most ${items} items`)
    if (typeof arg === 'number' && !Number.isFinite(arg)) refuse('a number is too large')
    if (items !== Infinity) steps += Array.isArray(arg) ? arg.length / itemsAStep : sizeOf(arg) / unitsAStep
  }
  return steps
}

const isLater = (value: unknown): value is Promise<unknown> => value instanceof Promise

/** A body behind its rule, for one call after the other. */
const guarded = (body: Body, rule: Rule): Body =>
  function (this: Focus, ...args) {
    const run = runOf(this.environment)
    const charged = (result: unknown): unknown => {
      run.build(result)
      return result
    }
    const work = (): unknown => {
      run.spend(checkSizes(args, rule))
      rule.check?.(args, run)
      const result = body.apply(this, args)
      return isLater(result) ? result.then(charged) : charged(result)
    }
    const rest = run.step()
    return rest ? rest.then(work) : work()
  }

const guard = (builtIn: BuiltIn, rule: Rule): void => {
  const { implementation, signature } = builtIn
  const { validate } = signature
  const body = guarded(rule.instead?.(implementation) ?? implementation, rule)
  // JSONata reads a function's arity and, for partial application, its parameters' names.
  Object.defineProperty(body, 'length', { value: implementation.length })
  Object.defineProperty(body, 'toString', { value: () => implementation.toString() })
  builtIn.implementation = body
  // It looks at every item of a list before it calls.
  signature.validate = (args, context) => {
    checkSizes(args, { ...rule, text: Infinity })
    return validate(args, context)
  }
}

/** Guards the library's own built-ins, given in the order of `builtInNames`: once, for every expression. */
export const guardBuiltIns = (builtIns: readonly BuiltIn[]): void => {
  for (const [i, rule] of Object.values(rules).entries()) guard(builtIns[i] as BuiltIn, rule)
}
