import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import t from 'tap'
import { exactJson } from '../../src/core/exact-json.ts'
import type { ExactJson, Json } from '../../src/core/json.ts'
import type { Event } from '../../src/core/request.ts'
import { compileConditions, type FilterVerdict } from '../../src/expr/condition.ts'
import { noLists } from '../../src/expr/named-lists.ts'
import { finder } from '../../src/expr/search.ts'
import { operatorsByName } from '../../src/parts/operators/index.ts'
import { adopt } from '../fakes/adopt.ts'
import { newFolder } from '../fakes/folder.ts'

const of = (payload: Json, headers: Event['headers'] = {}): Event => ({
  eventId: 'e',
  route: 'r',
  profile: 'default',
  headers,
  text: '',
  payload,
  eventType: 'push',
  eventAlias: undefined,
  pathAndQuery: '/webhooks/r',
  deliveryId: 'd',
  at: 0,
})
type Said = { code: string; path: string; message: string }
const compile = (spec: unknown, profileDir = '/nonexistent') => {
  const said: Said[] = []
  const run = compileConditions(spec as ExactJson, {
    operators: operatorsByName,
    profileDir,
    openList: noLists,
    recompileAtReload: () => {},
    adopt,
    report: (code, path, message) => said.push({ code, path: path.join('.'), message }),
  })
  return { run, said }
}
const judge = (spec: unknown, payload: Json, profileDir?: string): FilterVerdict | Promise<FilterVerdict> =>
  compile(spec, profileDir).run(of(payload))
const passes = async (spec: unknown, payload: Json, profileDir?: string): Promise<boolean> => (await judge(spec, payload, profileDir)).pass
const ruleOf = (verdict: FilterVerdict): string => (verdict.pass ? 'passed' : verdict.rule())

t.test('all at the top must pass; a single condition may stand without a list', async (t) => {
  const opened = { field: 'action', equals: 'opened' }
  const notDraft = { not: { field: 'draft', equals: true } }
  t.same(judge([opened, notDraft], { action: 'opened', draft: false }), { pass: true })
  t.notOk(await passes([opened, notDraft], { action: 'opened', draft: true }))
  t.notOk(await passes([opened, notDraft], { action: 'closed' }))
  t.ok(await passes(opened, { action: 'opened' }))
  t.ok(await passes([], {}))
})

t.test('groups nest; an empty all holds, an empty any does not', async (t) => {
  t.ok(await passes({ all: [] }, {}))
  t.notOk(await passes({ any: [] }, {}))
  t.ok(await passes({ not: { any: [] } }, {}))
  const spec = {
    any: [
      {
        all: [
          { field: 'a', equals: 1 },
          { field: 'b', equals: 2 },
        ],
      },
      { not: { field: 'c', exists: true } },
    ],
  }
  t.ok(await passes(spec, { a: 1, b: 2, c: 3 }))
  t.ok(await passes(spec, {}))
  t.notOk(await passes(spec, { a: 1, c: 3 }))
})

t.test('a missing field makes not_equals true and every other value operator false', async (t) => {
  for (const [operator, operand] of Object.entries({
    equals: null,
    contains: '',
    in: [null],
    in_file: 'x',
    regex: '',
    exists: true,
    starts_with: 'a',
    ends_with: 'a',
    equals_field: 'no',
    matches_glob: '**',
  }))
    t.notOk(await passes({ field: 'no', [operator]: operand }, {}), operator)
  t.ok(await passes({ field: 'no', not_equals: null }, {}))
  t.ok(await passes({ field: 'no', missing: true }, {}))
  t.ok(await passes({ field: 'no', exists: false }, {}))
})

t.test('a sentence about items names the index of the item, and shows no secret', async (t) => {
  const rule = async (spec: unknown, payload: Json, at = '/webhooks/r'): Promise<string> =>
    ruleOf(await compile([spec]).run({ ...of(payload), pathAndQuery: at }))
  const deploy = { field: 'commits', any_item: { field: 'title', starts_with: 'deploy' } }
  const commits = [{ title: 'fix' }, { title: 'deploy it' }, {}]
  t.equal(
    await rule(deploy, { commits: [commits[0] as Json, {}, {}] }),
    'filters[0] commits any_item: none of 3 holds; item 0: filters[0].any_item title starts_with "deploy" (got "fix")',
  )
  t.equal(await rule(deploy, { commits: [] }), 'filters[0] commits any_item: none of 0 holds')
  t.equal(await rule(deploy, {}), 'filters[0] commits any_item {…} (got missing)')
  t.equal(await rule({ not: deploy }, { commits }), 'filters[0].not commits any_item: item 1 holds')
  const every = { field: 'labels', every_item: [{ not_equals: 'wip' }, { contains: 'a' }] }
  t.equal(
    await rule(every, { labels: ['a', 'b'] }),
    'filters[0] labels every_item: item 1 does not hold; filters[0].every_item[1] contains "a" (got "b")',
  )
  t.equal(await rule({ not: every }, { labels: ['a'] }), 'filters[0].not labels every_item: all 1 hold')
  t.equal(await rule({ not: every }, { labels: [] }), 'filters[0].not labels every_item: all 0 hold')
  const inside = { field: 'users', any_item: { field: 'password', equals: 'hidden-a' } }
  const around = { field: 'request.query.token', any_item: { equals: 'hidden-a' } }
  for (const said of [
    await rule(inside, { users: [{ password: 'hidden-b' }] }),
    await rule(around, {}, '/r?token=hidden-b&token=hidden-c'),
  ]) {
    t.match(said, /none of \d holds; item 0: .*value not shown/)
    t.notMatch(said, /hidden/)
  }
  t.match(await rule({ not: around }, {}, '/r?token=hidden-b&token=hidden-a'), /: item 1 holds$/)
})

t.test('what cannot be decided of an item is decided under no not', async (t) => {
  const dir = newFolder(t, {})
  for (const word of ['any_item', 'every_item']) {
    const undecided = { field: 'v', [word]: { in_file: 'none.txt' } }
    t.notOk(await passes(undecided, { v: ['a'] }, dir))
    t.notOk(await passes({ not: undecided }, { v: ['a'] }, dir), word)
    t.notOk(await passes({ not: { field: 'w', [word]: undecided } }, { w: [{ v: ['a'] }] }, dir), word)
    t.ok(await passes({ any: [undecided, { field: 'v', exists: true }] }, { v: ['a'] }, dir), word)
  }
  t.ok(await passes({ field: 'v', any_item: { any: [{ in_file: 'none.txt' }, { equals: 'b' }] } }, { v: ['a', 'b'] }, dir))
  t.notOk(await passes({ not: { field: 'v', every_item: { all: [{ in_file: 'none.txt' }, { equals: 'b' }] } } }, { v: ['a'] }, dir))
})

t.test('conditions on items: what is refused, and the bounds of depth and number', async (t) => {
  const said = (spec: unknown): string[] => compile(spec).said.map(({ code, path }) => `${code} ${path}`)
  t.same(said([{ field: 'v', any_item: { jsonata: 'true' } }]), ['WH405 0.any_item.jsonata'])
  t.same(said([{ any_item: { equals: 1 } }]), ['WH405 0'])
  t.same(said([{ field: 'v', every_item: [{ equals: 1, contains: 1 }, { equal: 1 }] }]), [
    'WH405 0.every_item.0',
    'WH405 0.every_item.1.equal',
  ])
  t.same(said([{ field: 'v', any_item: { all: [], field: 'a' } }]), ['WH405 0.any_item'])
  const nested = (depth: number): unknown =>
    Array.from({ length: depth - 1 }).reduce((inner: unknown) => ({ field: 'v', any_item: inner }), { field: 'v', exists: true })
  t.same(said([nested(32)]), [])
  t.match(said([nested(33)]), [/^WH413/])
  t.same(said([{ field: 'v', any_item: Array.from({ length: 999 }, () => ({ equals: 1 })) }]), [])
  t.match(said([{ field: 'v', any_item: Array.from({ length: 1000 }, () => ({ equals: 1 })) }]), [/^WH413/])
  t.notOk((await compile([{ not: { field: 'v', any_item: 5 } }]).run(of({ v: [1] }))).pass)
})

t.test('a long list is judged in turns, and too many tests of items are not made', async (t) => {
  const words = ['contains', 'starts_with', 'ends_with', 'equals']
  const inner = Array.from({ length: 20 }, (_, i) => ({ field: 'name', [words[i % 4] as string]: 'zz' }))
  const list = (length: number): Json => Array.from({ length }, (_, i) => ({ name: `item ${i}` }))
  const { run } = compile([{ field: 'v', any_item: { any: inner } }])
  let turns = 0
  let isDone = false
  const counting = (async () => {
    for (; !isDone; turns++) await nextTurn()
  })()
  const verdict = await run(of({ v: list(100_000) }))
  isDone = true
  await counting
  t.match(ruleOf(verdict), /any_item: none of 100000 holds; item 0: /)
  t.ok(turns > 3, `${turns} turns`)
  const many = compile([{ not: { field: 'v', any_item: { field: 'v', any_item: { equals: 1 } } } }])
  const payload = { v: Array.from({ length: 2_500 }, () => ({ v: Array.from({ length: 2_000 }, () => 0) })) }
  const stopped = await many.run(of(payload))
  t.match(ruleOf(stopped), /too long for the conditions on their items/)
  t.ok(
    await passes(
      { field: 'v', any_item: { matches_glob: '*9' } },
      { v: Array.from({ length: 50_000 }, (_, i) => (i < 49_999 ? 'a' : 'x9')) },
    ),
  )
})

t.test('gt, gte, lt and lte compare numbers, times and lengths, exactly', async (t) => {
  const orders: readonly (readonly [low: string, high: string])[] = [
    ['9007199254740992', '9007199254740993'],
    ['-1e400', '-9.99e399'],
    ['0.10000000000000000001', '0.10000000000000000002'],
    ['"2026-02-28"', '"2026-02-28T00:00:00.000000001Z"'],
    ['"2026-02-28t23:59:60z"', '"2026-03-01T00:00:00.5Z"'],
    ['"0000-01-01"', '"0099-12-31"'],
    ['"1969-12-31T23:59:59.9Z"', '"1970-01-01 00:00:00-00:01"'],
    ['"2026-01-01T23:00:00+23:59"', '"2026-01-01"'],
  ]
  const judged = async (operator: string, value: string, bound: string): Promise<boolean> =>
    (await compile({ field: 'v', [operator]: exactJson(bound) }).run({ ...of(JSON.parse(`{"v":${value}}`)), text: `{"v":${value}}` })).pass
  for (const [low, high] of orders) {
    for (const [value, bound, order] of [
      [low, high, -1],
      [high, low, 1],
      [low, low, 0],
    ] as const) {
      const found = await Promise.all(['gt', 'gte', 'lt', 'lte'].map((operator) => judged(operator, value, bound)))
      t.same(found, [order > 0, order >= 0, order < 0, order <= 0], `${value} and ${bound}`)
    }
  }
  const never = [
    '2026-02-29',
    '2026-00-10',
    '2026-1-1',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:00:00',
    '2026-01-01 00:00:00 UTC',
    ' 2026-01-01',
    '',
  ]
  for (const text of [...never, `2026-01-01T00:00:00.${'0'.repeat(1000)}Z`]) {
    t.notOk(await judged('gte', JSON.stringify(text), '"0000-01-01"'), text)
    t.match(compile({ any: [{ field: 'v', lt: text }] }).said, [{ code: 'WH419', path: 'any.0.lt' }], text)
  }
})

t.test('a pattern of matches_glob that cannot be read is an error at its place', async (t) => {
  const bad = {
    '[a': 'has a [',
    '[]': 'has a [',
    'a[/]': 'has a [',
    '{a,b': 'has a {',
    '!a': 'begins with !',
    'a\\': 'ends with',
    '[z-a]': 'invalid',
  }
  for (const [glob, why] of Object.entries(bad)) {
    const { said, run } = compile([{ field: 'v', matches_glob: glob }, { not: { field: 'v', matches_glob: ['*', glob] } }])
    t.match(said, [
      { code: 'WH401', path: '0.matches_glob', message: new RegExp(why.replace(/[[{]/, '\\$&')) },
      { code: 'WH401', path: '1.not.matches_glob.1' },
    ])
    t.notOk((await run(of({ v: 'zz' }))).pass)
  }
  for (const [glob, text] of [
    ['a}b,c]', 'a}b,c]'],
    ['\\!a\\*\\[', '!a*['],
    ['[]a]', ']'],
    ['[^a-c^]', 'd'],
    ['{a,{b,c*},}', 'cx'],
    ['{a,{b,c*},}', ''],
    ['?', '😀'],
    ['a**z', 'a/b/z'],
  ] as const)
    t.ok(await passes({ field: 'v', matches_glob: glob }, { v: text }), glob)
  for (const [glob, text] of [
    ['[!a]', '/'],
    ['?', '/'],
    ['*', 'a/b'],
    ['**/b', 'ab'],
  ] as const)
    t.notOk(await passes({ field: 'v', matches_glob: glob }, { v: text }), glob)
})

t.test('dates are read as a pattern and a Date read them', async (t) => {
  const form =
    /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ]([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.(\d{1,30}))?(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d)))?$/
  /** The time in steps of 10^-30 seconds. */
  const timeOf = (text: string): bigint | undefined => {
    const [, year, month, day, hours = 0, minutes = 0, second = 0, fraction = '', sign, offHours = 0, offMinutes = 0] =
      form.exec(text) ?? []
    const date = new Date(0)
    date.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
    if (year === undefined || date.getUTCDate() !== Number(day) || date.getUTCMonth() !== Number(month) - 1) return undefined
    const offset = (Number(offHours) * 60 + Number(offMinutes)) * (sign === '-' ? -60 : 60)
    const seconds = date.getTime() / 1000 + Number(hours) * 3600 + Number(minutes) * 60 + Number(second) - offset
    return BigInt(seconds) * 10n ** 30n + BigInt(fraction.padEnd(30, '0'))
  }
  const digits = (most: number) => fc.nat(most).map((n) => String(n).padStart(2, '0'))
  const year = fc.oneof(
    fc.constantFrom('0000', '0004', '1900', '1970', '2000', '2026', '2028'),
    fc.nat(9999).map((n) => String(n).padStart(4, '0')),
  )
  const fraction = fc.oneof(
    fc.constantFrom('', '.', '.0', '.10', `.${'0'.repeat(30)}`, `.${'1'.repeat(31)}`),
    fc.nat(99_999).map((n) => `.0${n}`),
  )
  const zone = fc.oneof(
    fc.constantFrom('Z', 'z', '', '+', 'Z '),
    fc.tuple(fc.constantFrom('+', '-'), digits(24), digits(60)).map(([sign, h, m]) => `${sign}${h}:${m}`),
  )
  const date = fc.tuple(year, digits(13), digits(32)).map((parts) => parts.join('-'))
  const time = fc.tuple(
    fc.constantFrom('T', 't', ' ', '_'),
    digits(24),
    fc.constant(':'),
    digits(60),
    fc.constant(':'),
    digits(61),
    fraction,
    zone,
  )
  const written = fc.oneof(
    date,
    fc
      .tuple(
        date,
        time.map((parts) => parts.join('')),
      )
      .map((parts) => parts.join('')),
  )
  const spoilt = fc
    .tuple(written, fc.nat(30), fc.constantFrom('', '/', ':', '-', '.', '0', '٣', 'é', '\u0000'))
    .map(([text, at, sign]) => text.slice(0, at) + sign + text.slice(at + 1))
  const text = fc.oneof(written, written, spoilt)
  for (const bound of ['1970-01-01', '2026-11-30T12:00:00.1Z', '2000-02-29T23:59:60.0001-23:59']) {
    const above = compile({ field: 'v', gt: bound }).run
    const notAbove = compile({ field: 'v', lte: bound }).run
    const than = timeOf(bound) as bigint
    let read = 0
    fc.assert(
      fc.property(fc.oneof(text, fc.constant(bound)), (v) => {
        const found = timeOf(v)
        read += Number(found !== undefined)
        const said = [above, notAbove].map((run) => (run(of({ v })) as FilterVerdict).pass)
        return said[0] === (found !== undefined && found > than) && said[1] === (found !== undefined && found <= than)
      }),
      { numRuns: 5_000 },
    )
    t.ok(read > 1_000 && read < 4_000)
  }
})

t.test('a glob of stars matches what its regular expression matches', async (t) => {
  const regexOf = (glob: string): RegExp =>
    new RegExp(
      `^${glob.replace(/\*\*\/?|[*?]/g, (piece, at: number) => {
        if (piece === '**/') return at === 0 || glob[at - 1] === '/' ? '(?:.*/)?' : '.*/'
        return piece === '**' ? '.*' : piece === '*' ? '[^/]*' : '[^/]'
      })}$`,
      'su',
    )
  const globs = fc.array(fc.constantFrom('a', 'b', 'ab', '/', '/', '*', '*', '**', '/**/', '**/', '?', '😀'), {
    minLength: 1,
    maxLength: 9,
  })
  const texts = fc.array(fc.constantFrom('a', 'b', 'ab', '/', '/', '\n', '😀'), { maxLength: 14 })
  const tried = fc.tuple(globs, fc.array(texts, { minLength: 8, maxLength: 8 }))
  let held = 0
  fc.assert(
    fc.property(tried, ([pieces, some]) => {
      const glob = pieces.join('')
      const { run } = compile({ field: 'v', matches_glob: glob })
      const regex = regexOf(glob)
      for (const v of [
        glob,
        glob.replaceAll('**/', ''),
        glob.replaceAll('*', 'b'),
        glob.replaceAll('*', 'a/b'),
        ...some.map((text) => text.join('')),
      ]) {
        const expected = regex.test(v)
        held += Number(expected)
        if ((run(of({ v })) as FilterVerdict).pass !== expected) t.fail(`${JSON.stringify(glob)} and ${JSON.stringify(v)}`)
      }
    }),
    { numRuns: 10_000 },
  )
  t.ok(held > 10_000)
  const deep = `${'a/'.repeat(40_000)}b.ts`
  for (const glob of ['**/b.ts', '**/a/**/*.ts', 'a/**/*/*/*/b.*', 'a/**/*/*/*/*/*/*b*s'])
    for (const [v, expected] of [
      [deep, true],
      [`${deep}/`, false],
      [deep.slice(-300), true],
    ] as const)
      t.equal(await passes({ field: 'v', matches_glob: glob }, { v: v.replace(/^\//, 'a/') }), expected, glob)
})

t.test('the answer is there at once unless an operator has to wait', async (t) => {
  t.notOk(judge([{ field: 'a', regex: 'x' }], { a: 'x' }) instanceof Promise)
  const waiting = judge(
    [{ jsonata: 'payload.a = 1' }, { field: 'b', equals: 2 }, { any: [{ jsonata: 'false' }, { field: 'b', equals: 2 }] }],
    { a: 1, b: 2 },
  )
  t.ok(waiting instanceof Promise)
  t.same(await waiting, { pass: true })
  t.ok(await passes({ not: { jsonata: 'payload.a = 2' } }, { a: 1 }))
  t.notOk(await passes({ any: [{ jsonata: 'false' }, { jsonata: 'false' }] }, {}))
})

t.test('a refusal says which rule said no, to what, bounded and printable', async (t) => {
  const rule = async (spec: unknown, opened: Event): Promise<string> => ruleOf(await compile(spec).run(opened))
  const first = { field: 'a', exists: true }
  t.equal(
    await rule([first, { field: 'payload.action', equals: 'opened' }], of({ a: 1, action: 'closed' })),
    'filters[1] payload.action equals "opened" (got "closed")',
  )
  t.equal(await rule({ field: 'x', in: [1] }, of({})), 'filters x in [1] (got missing)')
  t.equal(await rule([{ not: first }], of({ a: 1 })), 'filters[0].not a exists true (got 1)')
  t.equal(
    await rule([{ not: { all: [first] } }], of({ a: 1 })),
    'filters[0].not: the condition inside holds; filters[0].not.all[0] a exists true (got 1)',
  )
  t.equal(await rule([{ not: { jsonata: 'payload.a = 1' } }], of({ a: 1 })), 'filters[0].not jsonata "payload.a = 1"')
  t.match(
    await rule([{ not: { any: Array.from({ length: 9 }, () => first) } }], of({ a: 1 })),
    /any\[4\] a exists true \(got 1\); and 4 more$/,
  )
  t.equal(
    await rule([{ any: [{ field: 'a', equals: 2 }, first] }], of({ b: 1 })),
    'filters[0].any: none of 2 holds; filters[0].any[0] a equals 2 (got missing)',
  )
  t.equal(await rule([{ jsonata: 'payload.a' }], of({ a: 1 })), 'filters[0] jsonata "payload.a" (not true)')
  const long = await rule([{ field: 'a', equals: 1 }], of({ a: `\u001b[31m${'x'.repeat(1_000_000)}` }))
  t.ok(long.length < 200 && !long.includes('\u001b'))
  const token = await rule([{ field: 'headers.X-Gitlab-Token', equals: 'wanted' }], of({}, { 'x-gitlab-token': 's3cr3t' }))
  t.notMatch(token, /s3cr3t|wanted/)
})

t.test('a condition that fails does not pass, under not neither, and is named', async (t) => {
  const broken = { jsonata: '$error("boom")' }
  t.match(ruleOf(await judge([broken], {})), /^filters\[0\] jsonata .*\(failed: .*boom/)
  t.notOk(await passes({ not: broken }, {}))
  t.notOk(await passes({ not: { any: [{ field: 'a', equals: 1 }, broken] } }, {}))
  t.ok(await passes({ any: [broken, { field: 'a', equals: 1 }] }, { a: 1 }))
  const slow = judge({ field: 'a', regex: '(.{0,1000})z$' }, { a: `z${'x'.repeat(8000)}` })
  t.match(ruleOf(await slow), /failed: the pattern would take too long/)
})

t.test('a condition needs exactly one operator, a field where one is due, and nothing unknown', async (t) => {
  const problems = (spec: unknown): string[] => compile(spec).said.map(({ code, path }) => `${code} ${path}`)
  t.same(problems([{ field: 'a' }]), ['WH405 0'])
  t.same(problems([{ field: 'a', equals: 1, in: [1] }]), ['WH405 0'])
  t.same(problems([{ all: [], any: [] }]), ['WH405 0'])
  t.same(problems([{ all: [{ not: { equals: 1 } }] }]), ['WH405 0.all.0.not'])
  t.same(problems([{ field: 'a', jsonata: 'true' }]), ['WH405 0'])
  t.same(problems([{ field: 'a', any: [] }]), ['WH405 0'])
  t.same(problems([{ field: 'a', constructor: 1 }]), ['WH405 0.constructor'])
  t.same(problems({ field: 'a', 'x-note': 'why', equals: 1 }), [])
  t.same(problems([{ field: 'a', regex: '(' }]), ['WH401 0.regex'])
  t.same(problems([{ not: { field: 'a', regex: '(?=a)' } }]), ['WH402 0.not.regex'])
  t.same(problems([{ jsonata: '1 +' }]), ['WH412 0.jsonata'])
  t.notOk(await passes([{ not: { field: 'a' } }], { a: 1 }), 'what could not be compiled never lets through')
})

t.test('1000 conditions and 32 levels are enough', async (t) => {
  const leaf = { field: 'a', equals: 1 }
  t.same(compile(Array.from({ length: 1000 }, () => leaf)).said, [])
  t.same(
    compile(Array.from({ length: 1200 }, () => leaf)).said.map(({ code, path }) => `${code} ${path}`),
    ['WH413 1000'],
  )
  const nested = (depth: number): unknown => (depth === 1 ? leaf : { all: [nested(depth - 1)] })
  t.same(compile(nested(32)).said, [])
  t.same(
    compile(nested(33)).said.map(({ code }) => code),
    ['WH413'],
  )
  t.same(compile(nested(500)).said.length, 1)
})

t.test('in_file reads arrays, keys and lines, and follows the file', async (t) => {
  const dir = newFolder(t, {
    'a.json': '["ann", 7, true, {"x": 1}]',
    'o.json': '{"ann": 1, "__proto__": 2}',
    'l.txt': ' ann \r\n\n7\nbob\n',
  })
  for (const file of ['a.json', 'o.json', 'l.txt']) t.ok(await passes({ field: 'u', in_file: file }, { u: 'ann' }, dir), file)
  t.ok(await passes({ field: 'u', in_file: 'a.json' }, { u: 7 }, dir))
  t.ok(await passes({ field: 'u', in_file: 'a.json' }, { u: true }, dir))
  t.ok(await passes({ field: 'u', in_file: 'l.txt' }, { u: 7 }, dir))
  t.ok(await passes({ field: 'u', in_file: 'o.json' }, { u: '__proto__' }, dir))
  for (const value of ['toString', '', null, ['ann'], { ann: 1 }])
    t.notOk(await passes({ field: 'u', in_file: 'o.json' }, { u: value }, dir))

  const { run, said } = compile({ field: 'u', in_file: 'late.txt' }, dir)
  t.same(
    said.map(({ code, path }) => `${code} ${path}`),
    ['WH407 in_file'],
  )
  const holds = async (): Promise<boolean> => (await run(of({ u: 'ann' }))).pass
  t.notOk(await holds())
  writeFileSync(join(dir, 'late.txt'), 'ann')
  t.ok(await holds())
  t.notOk(run(of({ u: 'ann' })) instanceof Promise, 'an unchanged file is not read again')
  writeFileSync(join(dir, 'late.txt'), '["bob"')
  t.match(ruleOf(await run(of({ u: 'ann' }))), /failed/)
  rmSync(join(dir, 'late.txt'))
  t.match(ruleOf(await run(of({ u: 'ann' }))), /failed: ENOENT/)
  writeFileSync(join(dir, 'late.txt'), '["ann", "bob"]')
  t.same(await Promise.all([holds(), holds()]), [true, true])
})

t.test('in_file stays inside the profile, reads regular files only, and never blocks', async (t) => {
  const dir = newFolder(t, { profile: { 'ok.txt': 'ann' }, 'out.txt': 'ann' })
  const profile = join(dir, 'profile')
  symlinkSync(join(dir, 'out.txt'), join(profile, 'leak.txt'))
  symlinkSync('ok.txt', join(profile, 'fine.txt'))
  mkdirSync(join(profile, 'folder'))
  execFileSync('mkfifo', [join(profile, 'pipe')])
  writeFileSync(join(profile, 'huge.txt'), 'ann')
  truncateSync(join(profile, 'huge.txt'), 9 * 1024 * 1024)
  for (const file of ['../out.txt', join(dir, 'out.txt'), 'leak.txt', 'folder', 'pipe', 'huge.txt', '.', 'nope', 'a\u0000b']) {
    const { run, said } = compile({ field: 'u', in_file: file }, profile)
    t.equal(said[0]?.code, 'WH407', JSON.stringify(file))
    t.notOk((await run(of({ u: 'ann' }))).pass, JSON.stringify(file))
  }
  t.ok(await passes({ field: 'u', in_file: 'fine.txt' }, { u: 'ann' }, profile))
  const swapped = compile({ field: 'u', in_file: 'ok.txt' }, profile)
  rmSync(join(profile, 'ok.txt'))
  execFileSync('mkfifo', [join(profile, 'ok.txt')])
  t.match(ruleOf(await swapped.run(of({ u: 'ann' }))), /not a regular file/)
})

t.test('a megabyte against every operator', async (t) => {
  const dir = newFolder(t, { 'l.txt': 'ann' })
  const texts: Json[] = [
    'a'.repeat(1_048_576),
    ' '.repeat(1_048_575).concat('x'),
    JSON.parse('['.repeat(500_000) + ']'.repeat(500_000)),
    Array.from({ length: 400_000 }, () => 1),
  ]
  const operands = {
    exists: true,
    missing: true,
    equals: 'b',
    not_equals: { a: 1 },
    contains: 'b',
    equals_field: 'v',
    gt: 5,
    gte: '2026-01-01',
    lt: { length: 400_000 },
    lte: { length: 700_000 },
    starts_with: 'b',
    ends_with: 'b',
    in: ['b', { a: 1 }],
    not_in: ['b', { a: 1 }],
    in_file: 'l.txt',
    matches_glob: ['**/*a*/**/*b*', '**/*/*/*/*c*d*', '{a,b}*', '**'],
    regex: '^(a+)+$|\\s+$',
    jsonata: 'payload.v = "b"',
  }
  for (const value of texts)
    for (const [operator, operand] of Object.entries(operands)) {
      const condition = operator === 'jsonata' ? { jsonata: operand } : { field: 'v', [operator]: operand }
      const { run, said } = compile([condition], dir)
      t.same(said, [])
      t.type((await run(of({ v: value }))).pass, 'boolean')
    }
})

t.test('a text is found where V8 finds it, also where V8 would take minutes', async (t) => {
  const long = (unit: string, length: number): string => unit.repeat(Math.ceil(length / unit.length)).slice(0, length)
  const holds = (operator: string, operand: string, v: string): Promise<boolean> => passes({ field: 'v', [operator]: operand }, { v })
  const hidden = `${long('a', 150_000)}b${long('a', 150_000)}`
  t.notOk(await holds('contains', hidden, long('a', 700_000)))
  t.ok(await holds('contains', hidden, `${long('a', 700_000)}${hidden}`))
  const words = Array.from({ length: 20 }, (_, i) => `${long('a', 20 + i)}b${long('a', 40 - i)}`)
  t.notOk(
    await holds(
      'regex',
      words
        .join('|')
        .slice(0, 1024)
        .replace(/\|[^|]*$/, ''),
      long('a', 700_000),
    ),
  )
  t.ok(await holds('regex', `x|${words[0]}`, `${long('a', 700_000)}${words[0]}`))

  // Few letters, so that a text often begins again inside itself; long enough for the search that is not V8's.
  const texts = fc.stringMatching(/^[ab]{1,9}$/)
  fc.assert(
    fc.property(texts, texts, fc.nat(4_000), (unit, end, at) => {
      const text = `${long(unit, 5_000)}${end}${long(unit, 5_000)}`
      const wanted = `${long(unit, 4_000)}${end}`.slice(at % 2_000)
      for (const one of [wanted, `${wanted}a`, text.slice(at, at + 3_000)])
        if (finder(one)(text, at % 7) !== text.indexOf(one, at % 7)) throw new Error(`${unit} ${end} ${at}`)
    }),
    { numRuns: 200, seed: 1 },
  )
})

t.test('a payload is looked through once, however many values it is compared with', async (t) => {
  // Reading a map's keys is what takes time: a map that counts how often somebody does.
  let listed = 0
  const large = new Proxy<{ [key: string]: Json }>(
    { a: 1, b: 2 },
    {
      ownKeys(map) {
        listed++
        return Reflect.ownKeys(map)
      },
    },
  )
  const many = Array.from({ length: 1_000 }, (_, i) => ({ a: i + 2 }))
  t.notOk(await passes({ field: 'v', in: many }, { v: large }))
  t.notOk(await passes({ field: 'v', contains: { a: 2 } }, { v: [large, large] }))
  t.equal(listed, 0, 'no map that lacks a member is listed')
  t.ok(await passes({ field: 'v', in: [...many, { a: 1, b: 2 }] }, { v: large }))
  t.notOk(await passes({ field: 'v', equals: { a: 1 } }, { v: large }), 'one member more is another map')
  t.ok(await passes({ field: 'v', not_equals: { a: 1 } }, { v: large }))
})

t.test('conditions that ask for one field judge each event by its own value, while others wait too, and keep none', async (t) => {
  const { run } = compile([
    { field: 'name', exists: true },
    { field: 'text', regex: '^x+$' },
    { not: { field: 'name', equals: 'b' } },
    {
      any: [
        { field: 'name', equals: 'a' },
        { field: 'text', equals: 'x' },
      ],
    },
  ])
  const long = 'x'.repeat(9_000)
  const waiting = [{ name: 'a', text: long }, { name: 'b', text: long }, { text: long }, { name: 'c', text: long }].map((payload) =>
    run(of(payload)),
  )
  t.match(run(of({ name: 'b', text: 'x' })), { pass: false })
  t.match(run(of({ name: 'c', text: 'x' })), { pass: true })
  t.match(run(of({ name: 'a', text: 'y' })), { pass: false })
  t.ok(waiting[0] instanceof Promise)
  t.same(
    (await Promise.all(waiting)).map(({ pass }) => pass),
    [true, false, false, false],
  )

  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc')
  const seen = [{ text: 'x' }, { text: long }].map(({ text }) => {
    const event = of({ name: 'a', text, rest: {} })
    return { payload: new WeakRef(event.payload as object), verdict: run(event) }
  })
  t.same(
    (await Promise.all(seen.map(({ verdict }) => verdict))).map(({ pass }) => pass),
    [true, true],
  )
  await nextTurn()
  gc()
  t.same(
    seen.map(({ payload }) => payload.deref()),
    [undefined, undefined],
  )
})

t.test('conditions never throw, whatever the payload', async () => {
  const specs = [
    { field: 'a.b', equals: { x: [1] } },
    { field: 'a', contains: '__proto__' },
    { field: 'payload.a', regex: '^.*$' },
    { field: 'a.0', in: [null, 'x', {}] },
    { any: [{ field: '__proto__', exists: true }, { not: { field: 'constructor.name', contains: 'O' } }] },
    { jsonata: 'payload.a > payload.b' },
  ].map((spec) => compile([spec]).run)
  const key = fc.constantFrom('a', 'b', '0', 'payload', '__proto__', 'constructor')
  const payload = fc.oneof(fc.jsonValue(), fc.dictionary(key, fc.oneof(fc.jsonValue(), fc.dictionary(key, fc.jsonValue()))))
  await fc.assert(
    fc.asyncProperty(payload, async (value) => {
      for (const run of specs) ruleOf(await run(of(value as Json)))
    }),
  )
})
