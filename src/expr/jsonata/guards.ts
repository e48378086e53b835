/** Guards each built-in function of JSONata by its rule: arguments are checked and charged before a call, the result after it. */

import { maxItems } from '../weight.ts'
import type { Body, BuiltIn, Focus } from './bodies.ts'
import { refuseExpression, slowText, textLength } from './checks.ts'
import { type Rule, rules } from './rules.ts'
import { itemsAStep, runOf, unitsAStep } from './run.ts'

/**
 * Checks arguments against the bounds of a rule, and returns the steps that the call costs. Infinite numbers (1e999) are refused for every
 * built-in, because some built-ins count down from a number.
 */
const checkSizes = (args: readonly unknown[], { text = slowText, items = maxItems }: Rule): number => {
  let steps = 0
  for (const arg of args) {
    if (textLength(arg) > text) refuseExpression(`the text is too long for this function: at most ${text} characters`)
    if (Array.isArray(arg) && arg.length > items) refuseExpression(`the list is too long for this function: at most ${items} items`)
    if (typeof arg === 'number' && !Number.isFinite(arg)) refuseExpression('a number is too large')
    if (items !== Infinity) steps += Array.isArray(arg) ? arg.length / itemsAStep : textLength(arg) / unitsAStep
  }
  return steps
}

const isPromise = (value: unknown): value is Promise<unknown> => value instanceof Promise

/**
 * Returns a body that checks the arguments, calls the guarded body, and charges for the result. Where this turn of the event loop is used
 * up, the body waits for a later turn first.
 */
const guardedBody = (body: Body, rule: Rule): Body =>
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
      return isPromise(result) ? result.then(charged) : charged(result)
    }
    const laterTurn = run.step()
    return laterTurn ? laterTurn.then(work) : work()
  }

const guard = (builtIn: BuiltIn, rule: Rule): void => {
  const { implementation, signature } = builtIn
  const { validate } = signature
  const body = guardedBody(rule.instead?.(implementation) ?? implementation, rule)
  // JSONata reads the arity of a function and, for partial application, the names of its parameters from its source.
  Object.defineProperty(body, 'length', { value: implementation.length })
  Object.defineProperty(body, 'toString', { value: () => implementation.toString() })
  builtIn.implementation = body
  // The library validates arguments, item by item, before it calls the body. So the lengths of lists are checked before the validation,
  // too.
  signature.validate = (args, context) => {
    checkSizes(args, { ...rule, text: Infinity })
    return validate(args, context)
  }
}

/** Guards the library's built-ins, given in the order of `builtInNames`. All expressions share them, so call it once. */
export const guardBuiltIns = (builtIns: readonly BuiltIn[]): void => {
  for (const [i, rule] of Object.values(rules).entries()) guard(builtIns[i] as BuiltIn, rule)
}
