import fc from 'fast-check'
import t from 'tap'
import { exactJson } from '../../src/core/exact-json.ts'
import { ExactNumber, numberKey } from '../../src/core/exact-number.ts'
import type { Json } from '../../src/core/json.ts'
import type { Event } from '../../src/core/request.ts'
import { cut } from '../../src/core/text.ts'
import { renderJson } from '../../src/expr/render.ts'
import { compileTemplate, wholePayload } from '../../src/expr/template.ts'

const open = (text: string, payload: Json = JSON.parse(text)): Event => ({
  eventId: 'e',
  route: 'r',
  profile: 'default',
  headers: {},
  text,
  payload,
  eventType: 'push',
  eventAlias: undefined,
  pathAndQuery: '/webhooks/r',
  deliveryId: 'd',
  at: 0,
})
const render = (template: string, opened: Event): unknown => compileTemplate(template, { report: () => {} })(opened)

t.test('the text is the prefix of what JSON.stringify writes, for any value and limit', async () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom('a', '"', '\\', '\n', '\u0000', '😀', '\ud83d', '\ude00', '\u2028') }),
  )
  const { value } = fc.letrec<{ value: Json; list: Json[]; map: { [key: string]: Json } }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      text,
      fc.double(),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      tie('list'),
      tie('map'),
    ) as fc.Arbitrary<Json>,
    list: fc.array(tie('value'), { maxLength: 5 }),
    map: fc.dictionary(fc.oneof(text, fc.constantFrom('__proto__', '1', 'toJSON')), tie('value'), { maxKeys: 5 }),
  }))
  fc.assert(
    fc.property(value, fc.nat(200), fc.constantFrom(0 as const, 2 as const), (json, limit, indent) => {
      const whole = JSON.stringify(json, null, indent)
      const found = renderJson(json, limit, indent)
      return found === cut(whole, limit) && renderJson(json, whole.length, indent) === whole
    }),
    { numRuns: 500 },
  )
})

t.test('size and depth do not matter', async (t) => {
  const deep = '['.repeat(524_288) + ']'.repeat(524_288)
  t.equal(renderJson(JSON.parse(deep), 2000, 0), deep.slice(0, 2000))
  t.equal(renderJson(JSON.parse(deep), 4000, 2).length, 4000)
  t.equal(renderJson(JSON.parse(deep), 2_000_000, 0), deep)
  t.equal(renderJson('x'.repeat(1_048_576), 2000, 0), `"${'x'.repeat(1999)}`)
  t.equal(renderJson({ ['k'.repeat(1_048_576)]: 1 }, 4000, 2).length, 4000)
  const wide = Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`key${i}`, i]))
  t.equal(renderJson(wide, 4000, 2), JSON.stringify(wide, null, 2).slice(0, 4000))
  t.equal(renderJson([JSON.parse(`[${'[[],[]],'.repeat(120_000)}1]`)], 4000, 2).length, 4000)
})

t.test('long numbers keep their digits, alone and inside JSON', async (t) => {
  const opened = open(
    '{"number":9007199254740993,"n":{"id":12345678901234567890,"a":[1,{"b":-9007199254740995}]},"big":1e400,"s":"9007199254740993"}',
  )
  t.equal(render('{number}', opened), '9007199254740993')
  t.equal(render('{n.id} {big} {s}', opened), '12345678901234567890 1e400 9007199254740993')
  t.equal(render('{n}', opened), '{"id":12345678901234567890,"a":[1,{"b":-9007199254740995}]}')
  t.equal(render('{n.a}', opened), '[1,{"b":-9007199254740995}]')
  t.match(
    wholePayload(opened),
    /"number": 9007199254740993,[\s\S]*"id": 12345678901234567890,[\s\S]*"big": 1e400,\n {2}"s": "9007199254740993"/,
  )
  t.equal(render('{0}', open('[12345678901234567890]')), '12345678901234567890')
  t.equal(wholePayload(open('12345678901234567890')), '12345678901234567890')
})

t.test('numbers print with the digits that came, also those that a double holds', async (t) => {
  t.equal(render('{a} {b} {c} {d}', open('{"a":1.50,"b":1e3,"c":-0,"d":9007199254740991}')), '1.50 1e3 -0 9007199254740991')
})

t.test('a key that is escaped, or stands twice, does not hide the digits of its number', async (t) => {
  t.equal(render('{id}', open('{"\\u0069d":1.0,"x":{"id":1}}')), '1.0')
  t.equal(render('{id}', open('{"x":{"id":1},"id":2,"id":2.0}')), '2.0')
  t.equal(render('{id.text} {id.key}', open('{"id":2.0}')), '{id.text} {id.key}', 'no path leads into a number')
  t.equal(render('{__proto__} {a.__proto__}', open('{"__proto__":1.0,"a":{"__proto__":2.50}}')), '1.0 2.50')
})

t.test('the exact reading is what JSON.parse reads, with the numbers as they were written', async (t) => {
  const plain = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value, (_, item) => (item instanceof ExactNumber ? item.toNumber() : item)))
  fc.assert(
    fc.property(fc.json({ depthSize: 'large' }), fc.constantFrom(0, 1), (json, indent) => {
      const text = JSON.stringify([JSON.parse(json), 0], null, indent).replace(/0\s*\]$/, '1.0]')
      t.strictSame(plain(exactJson(text)), JSON.parse(text))
    }),
  )
  for (const bad of ['[01,1.0]', '{"a":1.0,1.0:2}', '[1.]', '[1.0', '1.0 1', '[-]']) t.throws(() => exactJson(bad), bad)
})

t.test('numbers of one value have one key, and others have others', async (t) => {
  const key = (text: string) => numberKey(new ExactNumber(text))
  const same = [
    ['1', '1.0', '1e0', '10e-1', '0.1E+1'],
    ['1000', '1e3', '1000.000'],
    ['0', '-0', '0.0', '0e999999999999999999', '-0.000'],
    ['1e+21', '1000000000000000000000', '1e21'],
    ['0.1', '1e-1', '0.10000000000000000000000000'],
    ['12345678901234567890', '1234567890123456789e1', '12345678901234567890.00'],
  ]
  for (const [first = '', ...others] of same) for (const other of others) t.equal(key(other), key(first), other)
  t.equal(new Set(same.map(([first = '']) => key(first))).size, same.length)
  t.equal(key('0.1'), String(0.1))
  for (const other of ['0.1000000000000000055511151231257827', '1e999999999', '1e400', '9007199254740993', '9007199254740992'])
    t.not(key(other), key('0.1'))
  t.not(key('9007199254740993'), key('9007199254740992'))
  t.not(key('1e999999999'), key('1e999999998'))
})

t.test('strings that look like numbers or hold quotes do not confuse the second reading', async (t) => {
  const text = JSON.stringify({ a: 'x\\" 12345678901234567890 ["\\', 'k 12345678901234567890': [1], z: 0 }).replace(
    '"z":0',
    '"z":12345678901234567890',
  )
  t.equal(render('{z}', open(text)), '12345678901234567890')
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.bigInt({ min: 2n ** 53n, max: 2n ** 200n })), { maxKeys: 6 }),
      (map) => {
        const members = Object.entries(map).map(
          ([key, item]) => `${JSON.stringify(key)}:${typeof item === 'bigint' ? item : JSON.stringify(item)}`,
        )
        const read = exactJson(`{${members.join(',')}}`) as { [key: string]: string | ExactNumber }
        return Object.entries(map).every(([key, item]) => {
          const found = read[key]
          return found instanceof ExactNumber ? found.text === String(item) : found === item
        })
      },
    ),
  )
})

t.test('a megabyte of anything is read a second time without trouble', async (t) => {
  const deep = `${'['.repeat(500_000)}1e400${']'.repeat(500_000)}`
  t.equal(wholePayload(open(deep)).length, 4000)
  t.equal(wholePayload(open(`[${'12345678901234567890,'.repeat(50_000)}1]`)).split('12345678901234567890').length > 100, true)
  t.equal(wholePayload(open(`[1e400,"${'\\"'.repeat(500_000)}"]`)).slice(0, 14), '[\n  1e400,\n  "')
  t.equal((render('{0}', open(`[${'9'.repeat(1_000_000)}]`)) as string).length, 200_000)
})
