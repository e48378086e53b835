/** The operator `jsonata` holds when its expression over {payload, event, headers, request} yields `true` (rules: Filters 9). */

import { looseOf } from '../../core/exact-json.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { Event } from '../../core/request.ts'
import { BadExpression, compileJsonata } from '../../expr/jsonata/jsonata.ts'
import { requestInput } from '../../expr/request-field.ts'
import { waitIfLarge } from '../../expr/turn.ts'
import type { BuiltinOperator, ExactTest } from './operator.ts'

const inputNames = ['payload', 'event', 'headers', 'request', 'batch', 'lookup']

/** Returns the input of an expression: the payload, the type and the headers of an event, and its request, which is read when asked for. */
const inputOf = (event: Event): JsonObject => ({
  payload: looseOf(event),
  event: event.eventType,
  headers: event.headers as JsonObject,
  ...(event.batch ? { batch: looseOf(event.batch) } : {}),
  ...(event.lookup ? { lookup: looseOf(event.lookup) } : {}),
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

export const jsonata: BuiltinOperator = {
  name: 'jsonata',
  schema: {
    title: 'JSONata',
    type: 'string',
    minLength: 1,
    maxLength: 4096,
    description: 'A JSONata expression over {payload, event, headers} that must give true.',
    markdownDescription:
      'A [JSONata](https://jsonata.org) expression over `{payload, event, headers}` that must give `true`. Stands alone, without `field`.\n\nLimits, so that no payload holds the gateway up: 50,000 steps, taken in turns with other requests, where what is long (a list compared, a map copied, a text searched) counts for many; lists of 10,000 items that it makes or walks through, of 20,000 that it hands to a function; texts of 131,072 characters for a function (a million where it is quick); for a pattern, a million characters divided by its size; ranges between numbers up to 2^53; pictures such as `#,##0.00` or `[Y]-[M01]` stand in the expression, not in the payload; no `$eval`. An expression that a limit stops cannot be decided: the event does not pass, and the reason is in its record. In a template, its placeholder is empty, and the log says why.\n\nExample: `jsonata: $count(payload.commits) > 3`',
  },
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
