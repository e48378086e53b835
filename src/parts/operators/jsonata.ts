/** The operator `jsonata` holds when its expression over {payload, event, headers, request} yields `true` (rules: Filters 9). */

import { looseOf } from '../../core/exact-json.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { Event } from '../../core/request.ts'
import { BadExpression, compileJsonata } from '../../expr/jsonata/jsonata.ts'
import { requestInput } from '../../expr/request-field.ts'
import { waitIfLarge } from '../../expr/turn.ts'
import type { ExactOperator, ExactTest } from './operator.ts'

const inputNames = ['payload', 'event', 'headers', 'request', 'batch']

/** Returns the input of an expression: the payload, the type and the headers of an event, and its request, which is read when asked for. */
const inputOf = (event: Event): JsonObject => ({
  payload: looseOf(event),
  event: event.eventType,
  headers: event.headers as JsonObject,
  ...(event.batch ? { batch: looseOf(event.batch) } : {}),
  get request() {
    return requestInput(event)
  },
})

/** Compiles the expression of a condition. Throws BadExpression. The compiled function rejects as that of `compileJsonata`. */
export const compileCondition = (source: string): ((event: Event) => Promise<Json | undefined>) => {
  const evaluate = compileJsonata(source, inputNames)
  return async (event) => {
    await waitIfLarge(event)
    return evaluate(inputOf(event))
  }
}

export const jsonata: ExactOperator = {
  name: 'jsonata',
  fieldless: true,
  compile(source, { report }): ExactTest {
    try {
      const evaluate = compileCondition(String(source))
      return async (_value, event) => (await evaluate(event)) === true
    } catch (error) {
      if (!(error instanceof BadExpression)) throw error
      const at = error.position > 0 ? ` (at character ${error.position})` : ''
      report('WH412', [], `${error.message}${at}`, 'the language is described at https://docs.jsonata.org')
      return () => false
    }
  },
  examples: [
    { operand: '1 + 1 = 2', holds: true },
    { operand: '$count([1, 2]) > 2', holds: false },
    { operand: '"text"', holds: false },
    { operand: 'payload.no.such.path', holds: false },
  ],
}
