/** Describes the tests that a route has, and makes a new test from a payload and its trace. */

import { carriedJson, writeCarriedNumbers } from '../core/carried-numbers.ts'
import { isObject, type Json, type JsonObject } from '../core/json.ts'
import type { Payload } from './service.ts'
import type { TraceShown } from './shown-trace.ts'

/** A test as a row of a list that an editor shows: its name, what it sends, and what it expects. */
export type TestRow = { readonly name: string; readonly sends: string; readonly expects: string }

/** Returns a row for each entry of `tests`. An entry that is not a test has a row, too, so that the user can mend it. */
export const testRows = ({ tests }: JsonObject): readonly TestRow[] => (Array.isArray(tests) ? tests.map(testRow) : [])

const testRow = (test: Json): TestRow => {
  if (!isObject(test)) return { name: writeCarriedNumbers(JSON.stringify(test)), sends: '', expects: 'not a test' }
  const { name, send, steps, expect, skip } = test
  return {
    name: typeof name === 'string' ? name : 'without a name',
    sends: Array.isArray(steps) ? `${steps.length} step${steps.length === 1 ? '' : 's'}` : sentBy(send),
    expects: skip === undefined ? expected(expect ?? null) : `skipped: ${String(skip)}`,
  }
}

const sentBy = (send: Json | undefined): string => {
  if (!isObject(send)) return 'nothing'
  const { sample, file, set, unset } = send
  const what = typeof sample === 'string' ? sample : typeof file === 'string' ? file : 'a payload'
  const changes = (isObject(set) ? Object.keys(set).length : 0) + (Array.isArray(unset) ? unset.length : 0)
  return changes === 0 ? what : `${what} with ${changes} change${changes === 1 ? '' : 's'}`
}

const expected = (expect: Json): string =>
  isObject(expect)
    ? Object.entries(expect)
        .map(([key, value]) => `${key} ${writeCarriedNumbers(typeof value === 'object' ? JSON.stringify(value) : String(value))}`)
        .join(', ')
    : 'nothing'

/** Makes a test that sends the payload. Where there is a trace, the test expects the outcome of the trace. */
export const makeTest = (name: string, { choice, body }: Payload, trace: TraceShown | undefined): JsonObject => ({
  name,
  send: choice.from === 'sample' ? { sample: choice.name } : { payload: payloadIn(body) },
  ...(trace ? { expect: { outcome: trace.name } } : {}),
})

const payloadIn = (body: string): Json => {
  try {
    return carriedJson(body)
  } catch {
    return body
  }
}
