/**
 * The gate `transform` puts the result of a JSONata expression in the place of the payload. Without a result, or where the expression
 * fails, the event is ignored; with `expression_error: refuse`, an event on which the expression fails is refused (rules: Scripts 5, 6).
 */

import { exactOfCopy } from '../../core/exact-json.ts'
import { messageOf } from '../../core/fault.ts'
import type { Json } from '../../core/json.ts'
import { type Ignored, type Refused, refuse } from '../../core/outcome.ts'
import type { Event } from '../../core/request.ts'
import { expressionInput } from '../../expr/expression-input.ts'
import { BadExpression, compileJsonata, FailedExpression, isFunction } from '../../expr/jsonata/jsonata.ts'
import { renderJson } from '../../expr/render.ts'
import { TooHard } from '../../expr/too-hard.ts'
import { waitIfLarge } from '../../expr/turn.ts'
import type { StageReport } from '../report.ts'
import type { StagePart } from './stage.ts'

/** The most UTF-16 units of a result as JSON: as many as a body has bytes by default. */
const maxResultUnits = 1_048_576

export const transform: StagePart = {
  name: 'transform',
  compile({ transform: source }, kit) {
    if (source === undefined) return {}
    const evaluate = compileOrReport(source, kit.report)
    const ignored = (why: string): Ignored => ({
      kind: 'ignored',
      reason: 'transform',
      route: kit.name,
      detail: () => `transform: ${why}`,
    })
    const failed = (error: unknown): Ignored | Refused => {
      if (!(error instanceof FailedExpression || error instanceof TooHard)) throw error
      const why = whyFailed(error)
      if (kit.expressions.refuses) return refuse('expression_failed', { detail: `transform: ${why}` })
      kit.effects.log('warn', { route: kit.name, profile: kit.profile, reason: why }, 'transform failed: the event is ignored')
      return ignored(why)
    }
    return {
      async onEvent(event) {
        try {
          const made = await evaluate(event)
          return made === undefined || made === null ? ignored('no value') : await withPayload(event, made)
        } catch (error) {
          return failed(error)
        }
      },
    }
  },
}

/** Compiles the expression of a transform. Throws BadExpression. The compiled function rejects as that of `compileJsonata`. */
export const compileTransform = (source: string): ((event: Event) => Promise<Json | undefined>) => {
  const evaluate = compileJsonata(source)
  return async (event) => {
    await waitIfLarge(event)
    return evaluate(expressionInput(event))
  }
}

const compileOrReport = (source: string, report: StageReport): ReturnType<typeof compileTransform> => {
  try {
    return compileTransform(source)
  } catch (error) {
    if (!(error instanceof BadExpression)) throw error
    const at = error.position > 0 ? ` (at character ${error.position})` : ''
    report('WH412', ['transform'], `${error.message}${at}`, 'the language is described at https://docs.jsonata.org')
    return async () => undefined
  }
}

/** Returns why an expression failed, without the values of the payload that the reason quotes. */
export const whyFailed = (error: unknown): string => (error instanceof FailedExpression ? error.withoutValues : messageOf(error))

/**
 * Returns the event with the result of the expression as its payload. Lists and maps of the payload that the result has as they were keep
 * the digits of their numbers. Throws TooHard for a result that is too large, and a FailedExpression for one that is no map or list, or has
 * a function in it.
 */
const withPayload = async (event: Event, made: Json): Promise<Event> => {
  if (typeof made !== 'object') return fail(`the result is ${typeof made === 'string' ? 'a text' : `a ${typeof made}`}, and no map or list`)
  const text = renderJson(made, maxResultUnits + 1, 0, (value) => {
    if (isFunction(value)) return fail('the result has a function in it')
    return exactOfCopy(value) ?? value
  })
  if (text.length > maxResultUnits) throw new TooHard(`the result has more than ${maxResultUnits} characters as JSON`)
  await waitIfLarge({ text })
  return { ...event, text, payload: JSON.parse(text) as Json }
}

const fail = (why: string): never => {
  throw new FailedExpression(why, why)
}
