/** Compares what the program makes of numbers in payloads with decimal texts. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exactJson } from '../../src/core/exact-json.ts'
import type { ExactJson, Json } from '../../src/core/json.ts'
import type { Event } from '../../src/core/request.ts'
import { compileKey } from '../../src/expr/event-key.ts'
import { compileField } from '../../src/expr/path.ts'
import { compileChecker } from '../../src/expr/schema/checker.ts'
import { parseSchema } from '../../src/expr/schema/payload-schema.ts'
import { compileTemplate, wholePayload } from '../../src/expr/template.ts'
import { equalsText } from '../../src/operate/events/event-search.ts'
import { compileRedaction } from '../../src/parts/body/redact-request.ts'
import { ReadOnceBody } from '../../src/parts/body/request-body.ts'
import { operatorsByName } from '../../src/parts/operators/index.ts'
import { describedScheme } from '../../src/parts/schemes/described/described.ts'
import { compileItemList } from '../../src/parts/split/item-list.ts'
import { areEqual, compare, neighbourOf, otherWriting, type Random, randomFrom, someNumber } from './decimal.ts'

export type NumberFinding = { readonly what: string; readonly body: string; readonly detail: string }

/** The most findings that a run collects. */
const maxFindings = 20
/** The cases whose numbers stand in one list file. */
const casesAList = 500

/** A way to place a number in a payload: the body with it, and the path that leads to it, also as JSONata writes it. */
type Place = { readonly path: string; readonly jsonata?: string; readonly body: (number: string, other: string) => string }

const places: readonly Place[] = [
  { path: 'id', jsonata: 'id', body: (number) => `{"id":${number}}` },
  { path: 'id', body: (number, other) => `{ "x": {"id":${other}} ,\n\t"id" :\t${number} ,"s":"\\"id\\":1.0" }` },
  { path: 'id', body: (number, other) => `{"\\u0069d":${number},"list":[{"id":${other}}]}` },
  { path: 'id', body: (number, other) => `{"id":${other},"text":"a \\\\","id":${number}}` },
  { path: 'a.b.id', jsonata: 'a.b.id', body: (number, other) => `{"a":{"b":{"id":${number}}},"id":${other}}` },
  { path: 'payload.id', body: (number, other) => `{"id":${other},"payload":{"id":${number}}}` },
  { path: 'list.1', jsonata: 'list[1]', body: (number, other) => `{"list":[${other},${number},${other}]}` },
  { path: 'a.__proto__', body: (number) => `{"a":{"__proto__":${number}}}` },
]

const kit = { report: () => {} }
const byPath = new Map(
  [...new Set(places.map(({ path }) => path))].map((path) => [
    path,
    {
      get: compileField(path),
      key: compileKey(path, kit),
      template: compileTemplate(`<{${path}}>`, kit),
      templateKey: compileKey(`k-{${path}}`, kit),
      scheme: describedScheme('fuzz', { algorithm: 'token', signature: { header: 'x-token' }, id: { body: path } }),
      redaction: compileRedaction(['elsewhere']),
    },
  ]),
)

const eventOf = (text: string): Event => ({
  eventId: 'e',
  route: 'r',
  profile: 'default',
  headers: {},
  text,
  payload: JSON.parse(text) as Json,
  eventType: 'push',
  eventAlias: undefined,
  pathAndQuery: '/webhooks/r',
  deliveryId: 'd',
  at: 0,
})

const expressions = new Map(
  places.flatMap((place) => (place.jsonata ? [[place, compileTemplate(`<{= ${place.jsonata} }>`, kit)] as const] : [])),
)

type Case = { readonly place: Place; readonly number: string; readonly other: string }

const someCase = (random: Random): Case => {
  const number = someNumber(random)
  const other = [otherWriting, neighbourOf, (_: string, from: Random) => someNumber(from)][random(3)]?.(number, random) ?? number
  return { place: places[random(places.length)] as Place, number, other }
}

type Say = (what: string, body: string, detail: string) => void

const operatorKit = { profileDir: '', report: () => {}, recompileAtReload: () => {} }
const test = (operator: string, operand: ExactJson, profileDir = '') => {
  const compiled = operatorsByName.get(operator)?.compile(operand, { ...operatorKit, profileDir })
  if (typeof compiled !== 'function') throw new Error(`${operator} compiles to no function`)
  return compiled
}

/** Judges one case: a value in two writings must be the same in all uses, and two values must differ in all uses. */
const judge = ({ place, number, other }: Case, say: Say): void => {
  const body = place.body(number, other)
  const event = eventOf(body)
  const { get, key, template, templateKey, scheme, redaction } = byPath.get(place.path) as NonNullable<ReturnType<(typeof byPath)['get']>>
  const expect = (what: string, found: unknown, wanted: unknown): void => {
    if (found !== wanted) say(what, body, `${String(found)}, wanted ${String(wanted)}, beside ${other}`)
  }
  const isSame = areEqual(number, other)
  const value = get(event)
  const operand = exactJson(other)
  expect('template', template(event), `<${number}>`)
  expect('equals', test('equals', operand)(value, event), isSame)
  expect('equals in a map', test('equals', { a: [operand] })({ a: [value as ExactJson] }, event), isSame)
  expect('not_equals', test('not_equals', operand)(value, event), !isSame)
  expect('in', test('in', ['x', operand])(value, event), isSame)
  expect('contains', test('contains', operand)([value as ExactJson], event), isSame)
  expect('--field', equalsText(value, other), isSame)
  expect('regex', test('regex', `^${number.replace(/[.+]/g, '\\$&')}$`)(value, event), true)
  expect('equals of a text', test('equals', number)(value, event), false)

  const twin = eventOf(place.body(other, number))
  expect('key', key(event) === key(twin), isSame)
  expect('key of a template', templateKey(event) === templateKey(twin), isSame)
  const idOf = (text: string) => scheme.reads?.deliveryId?.({}, new ReadOnceBody({}, Buffer.from(text)))
  expect('id', idOf(body) === idOf(twin.text), isSame)

  const [item] = compileItemList('items')(JSON.parse(`{"items":[${body}]}`) as Json, `{"items":[${body}]}`, 10) as readonly Event[]
  expect('item', item && template({ ...event, ...item }), `<${number}>`)
  const written = `{"n":${number},"list":[${other}]}`
  expect('export', wholePayload(eventOf(written)).replace(/\s/g, ''), written)
  const redacted = redaction?.event(eventOf(`{"elsewhere":1,"n":${number}}`))
  expect('redaction', redacted?.text, `{"elsewhere":"[redacted]","n":${number}}`)
}

/** Whether a number is a text in JSONata: a whole one past 2^53 that is written with its digits alone. */
const isTextThere = (number: string): boolean => /^-?\d+$/.test(number) && !Number.isSafeInteger(Number(number))

const judgeExpression = async ({ place, number, other }: Case, say: Say): Promise<void> => {
  const render = expressions.get(place)
  if (!render || !Number.isFinite(Number(number))) return
  const body = place.body(number, other)
  const [found, wanted] = [await render(eventOf(body)), `<${isTextThere(number) ? number : JSON.stringify(Number(number))}>`]
  if (found !== wanted) say('JSONata', body, `${found}, wanted ${wanted}`)
}

const judgeSchema = ({ number, other }: Case, say: Say): void => {
  const text = `[${number}]`
  const rows: readonly (readonly [rule: string, fits: boolean])[] = [
    [`"const":${other}`, areEqual(number, other)],
    [`"enum":["x",${other}]`, areEqual(number, other)],
    [`"maximum":${other}`, compare(number, other) <= 0],
    [`"exclusiveMinimum":${other}`, compare(number, other) > 0],
  ]
  for (const [rule, fits] of rows) {
    const schema = parseSchema(`{"items":{${rule}}}`)
    if ('message' in schema) say('schema', rule, schema.message)
    else if ((compileChecker(schema)({ text, payload: JSON.parse(text) as Json }) === undefined) !== fits) say('schema', text, rule)
  }
  const [items, unique] = [`[${number},"x",${other}]`, parseSchema('{"uniqueItems":true}')]
  if ('message' in unique) return
  const differ = compileChecker(unique)({ text: items, payload: JSON.parse(items) as Json }) === undefined
  if (differ === areEqual(number, other)) say('uniqueItems', items, `differ: ${differ}`)
}

/** Judges the numbers of some cases against one file with a list, once as lines and once as JSON. */
const judgeList = async (cases: readonly Case[], folder: string, say: Say): Promise<void> => {
  const listed = cases.filter((_, i) => i % 7 === 0).map(({ other }) => other)
  writeFileSync(join(folder, 'list.txt'), listed.join('\n'))
  writeFileSync(join(folder, 'list.json'), `[${listed.join(',')}]`)
  for (const name of ['list.txt', 'list.json']) {
    const isIn = test('in_file', name, folder)
    for (const { place, number, other } of cases) {
      const body = place.body(number, other)
      const event = eventOf(body)
      const wanted = listed.some((each) => areEqual(each, number))
      const found = await isIn(byPath.get(place.path)?.get(event), event)
      if (found !== wanted) say(name, body, `${found}, wanted ${wanted}`)
    }
  }
}

/** Judges so many cases. Each seed has cases of its own. */
export const runNumbersFuzz = async ({
  seed,
  requests,
}: {
  readonly seed: number
  readonly requests: number
}): Promise<NumberFinding[]> => {
  const random = randomFrom(seed)
  const findings: NumberFinding[] = []
  const say: Say = (what, body, detail) => {
    if (findings.length < maxFindings) findings.push({ what, body, detail })
  }
  const folder = mkdtempSync(join(tmpdir(), 'fuzz-numbers-'))
  try {
    for (let done = 0; done < requests; done += casesAList) {
      const cases = Array.from({ length: Math.min(casesAList, requests - done) }, () => someCase(random))
      for (const each of cases) judge(each, say)
      for (const each of cases.slice(0, Math.ceil(cases.length / 10))) await judgeExpression(each, say)
      // Each case has a schema of its own, which takes a millisecond to compile.
      for (const each of cases.slice(0, Math.ceil(cases.length / 100))) judgeSchema(each, say)
      // A list is long to compare, so one case in ten is looked up in it.
      await judgeList(cases.slice(0, Math.ceil(cases.length / 10)), folder, say)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
  return findings
}
