/** Every mistake of syntax in a file is told once, where it was made, and what stands around it is read. */

import fc from 'fast-check'
import t from 'tap'
import { parseYaml } from '../../src/config/yaml/source.ts'
import type { JsonObject } from '../../src/core/json.ts'

const route = (name: string, lines: readonly string[]): string =>
  `        ${name}:\n${lines.map((line) => `          ${line}`).join('\n')}\n`
const good = ['verify: github', 'events: [push, x]', 'prompt: |', '  Look at {a}.', '  "Quote.', 'deliver: log']
/** Routes with one mistake each: their lines, and the indexes of those where the mistake may be told. */
const slips: Record<string, [lines: readonly string[], at: readonly number[]]> = {
  quote: [[...good.slice(0, 2), 'secret: "canary', ...good.slice(2)], [2]],
  squote: [[...good.slice(0, 2), "secret: 'canary", ...good.slice(2)], [2]],
  quotethen: [['secret: "canary', 'verify: "x"', 'events: [push]'], [0]],
  squotethen: [["secret: 'canary", "verify: 'x'", 'events: [push]'], [0]],
  list: [['events: [canary, "b"', ...good.slice(2)], [0]],
  longlist: [['events:', '  [canary,', '   "b"', ...good.slice(2)], [1]],
  map: [['filters:', '  - { field: a, equals: "}"', '  - { field: b, equals: c }', 'prompt: x'], [1]],
  comma: [['filters: [{ field: a } { field: b }]', 'prompt: x'], [0]],
  commalines: [
    ['filters: [', '  { field: a }', '  { field: b }', '  ]', 'prompt: x'],
    [1, 2],
  ],
  cron: [['schedule: */5 * * * *', 'prompt: x'], [0]],
  colon: [['prompt: canary: x', 'verify: github'], [0]],
  at: [['prompt: @canary', 'verify: github'], [0]],
  percent: [['prompt: %canary', 'verify: github'], [0]],
  behind: [['prompt: "canary" y', 'verify: github'], [0]],
  text: [['prompt: |', 'canary', 'y', 'deliver: log'], [1]],
  textlast: [['deliver: log', 'prompt: |', 'canary', 'y'], [2]],
  over: [['prompt: x', '   verify: github', 'deliver: log'], [1]],
  overafterlist: [['events: [push]', '   verify: github', 'deliver: log'], [1]],
  under: [['prompt: x', 'filters:', '  - a', ' - b', 'deliver: log'], [3]],
  underkey: [['prompt: x', 'coalesce:', '  a: 1', ' b: 1', 'deliver: log'], [3]],
  tab: [['prompt: x', 'coalesce:', '\ta: 1', 'deliver: log'], [2]],
  tabkey: [['prompt: x', '\tverify: github', 'deliver: log'], [1]],
  nocolon: [['prompt: x', 'verify github', 'deliver: log'], [1]],
  noblank: [['prompt: x', 'verify:github', 'deliver: log'], [1]],
  nocolonlast: [['prompt: x', 'verify github'], [1]],
  wrong: [['events: [a, b}', 'prompt: x'], [0]],
  escape: [['prompt: "a \\q b"', 'verify: github'], [0]],
  escapelines: [['prompt: "a', '  \\q b', '  c"', 'verify: github'], [1]],
  deficient: [['prompt: "x', 'canary"', 'verify: github'], [1]],
  deep: [['filters: [{ field: a,', '  equals: @x }]', 'verify: github'], [1]],
  twoinlist: [
    ['events: [a', '  b: c]', 'verify: github'],
    [0, 1],
  ],
  alias: [['prompt: *nothing', 'verify: github'], [0]],
  anchors: [['prompt: &a &b x', 'verify: github'], [0]],
  stray: [['prompt: x', ']', 'verify: github'], [1]],
  dashinmap: [['prompt: x', '- a', 'verify: github'], [1]],
  blockheader: [['prompt: |x', '  a', 'verify: github'], [0]],
}

const top = 'platforms:\n  webhook:\n    enabled: true\n    extra:\n      routes:\n'
const base = '/platforms/webhook/extra/routes'
const whole = { verify: 'github', events: ['push', 'x'], prompt: 'Look at {a}.\n"Quote.\n', deliver: 'log' }

/** Makes a file with a route for each slip, between routes without one. `told`: for each slip the lines where it may be told. */
const fileOf = (names: readonly string[]): { readonly text: string; readonly told: readonly (readonly number[])[] } => {
  let text = top + route('first', good)
  const told = names.map((name, i) => {
    const [lines, at] = slips[name] ?? [[], []]
    const line = text.split('\n').length + 1
    text += route(`bad${i}`, lines) + route(`good${i}`, good)
    return at.map((each) => line + each)
  })
  return { text, told }
}

const routesIn = (data: unknown): JsonObject =>
  (data as { platforms: { webhook: { extra: { routes: JsonObject } } } }).platforms.webhook.extra.routes

const checkFile = (names: readonly string[]): string | undefined => {
  const { text, told } = fileOf(names)
  const { diagnostics, rest } = parseYaml('f', text)
  const left = diagnostics.map(({ place }) => place?.line ?? 0)
  for (const lines of told) {
    const at = left.findIndex((line) => lines.includes(line))
    if (at < 0) return `line ${lines.join(' or ')} is not told`
    left.splice(at, 1)
  }
  if (left.length > 0) return `line ${left.join()} is told, too`
  if (!diagnostics.every(({ code, help, message }) => code === 'WH001' && help && !message.includes('canary'))) return 'it is told badly'
  const routes = rest && routesIn(rest.data)
  const others = ['first', ...names.map((_, i) => `good${i}`)].filter((name) => JSON.stringify(routes?.[name]) !== JSON.stringify(whole))
  if (others.length > 0) return `${others.join()} was not read`
  const astray = rest?.lost.filter(({ pointer }) => !pointer.startsWith(`${base}/bad`))
  return astray?.length === 0 ? undefined : `${astray?.[0]?.pointer} counts as lost`
}

t.test('a mistake is told once, and the routes beside it are read', async (t) => {
  for (const name of Object.keys(slips)) t.equal(checkFile([name]), undefined, name)
})

t.test('several mistakes are told, each once', async () => {
  const names = fc.array(fc.constantFrom(...Object.keys(slips)), { minLength: 2, maxLength: 6 })
  fc.assert(
    fc.property(names, (some) => {
      const wrong = checkFile(some)
      if (wrong !== undefined) throw new Error(`${some.join('+')}: ${wrong}`)
    }),
    { numRuns: 300 },
  )
})

t.test('what a mistake makes uncertain is known by its pointer', async (t) => {
  const cases: [lines: readonly string[], pointers: readonly string[]][] = [
    [['prompt: "x', 'verify: github'], ['/prompt']],
    [['filters:', '  - { a: b', '  - { c: d }'], ['/filters']],
    [['filters:', '- a: "x', '- b: c'], ['/filters']],
    [['coalesce:', '  key: @x', 'prompt: x'], ['/coalesce/key']],
    [
      ['prompt: x', '   verify: github', '   events: [a]'],
      ['/prompt', '/verify', '/events'],
    ],
    [['prompt: x', '\tverify: github'], ['']],
    [['prompt: x', 'verify github', 'events: [a]'], ['']],
    [['prompt: *nothing', 'verify: github'], ['/prompt']],
  ]
  for (const [lines, pointers] of cases) {
    const { rest, diagnostics } = parseYaml('f', top + route('a', lines) + route('b', good))
    const lost = rest?.lost.map(({ pointer }) => pointer)
    t.same(
      lost,
      pointers.map((each) => `${base}/a${each}`),
      lines.join(' '),
    )
    t.match(diagnostics, [{ pointer: lost?.[0] }])
  }
  const json = JSON.stringify({ routes: { a: { prompt: 'x', deliver: 'log' }, b: { prompt: 'y' } } }, null, 2).replace('"x"', '"x')
  t.match(parseYaml('f', json), { diagnostics: [{ pointer: '/routes/a' }], rest: { data: { routes: { b: { prompt: 'y' } } } } })
})

t.test('an alias is not told where its anchor is lost with a mistake', async (t) => {
  const { diagnostics, rest } = parseYaml('f', 'x-a: &a { b: [1 }\nc: *a\nd: *other\ne: 1\n')
  t.match(diagnostics, [{ place: { line: 1 } }, { place: { line: 3 } }])
  t.same(rest?.data, { e: 1 })
  t.same(
    rest?.lost.map(({ pointer }) => pointer),
    ['/x-a', '/c', '/d'],
  )
})

t.test('a key that stands twice is told beside the mistakes', async (t) => {
  const { diagnostics } = parseYaml('f', 'a: 1\na: 2\nb: "x\nc: 3\n')
  t.match(diagnostics, [
    { code: 'WH001', place: { line: 3 } },
    { code: 'WH002', place: { line: 2 } },
  ])
})

t.test('behind many mistakes a file is not read further', async (t) => {
  const lines = (count: number): string => Array.from({ length: count }, (_, i) => `k${i}: @x\nm${i}: 1\n`).join('')
  const some = parseYaml('f', lines(20))
  t.equal(some.diagnostics.length, 20)
  t.ok(some.rest)
  const many = parseYaml('f', lines(5_000))
  t.equal(many.diagnostics.length, 21)
  t.match(many.diagnostics.at(-1), { message: /too many mistakes/, place: { line: 41 } })
  t.notOk(many.rest)
  for (const yaml of ['a: @x\nb: 1\n---\nc: 1\n', `a: @x\nb: ${'['.repeat(200)}\nc: @x\n`])
    t.notOk(parseYaml('f', yaml).rest, 'of two documents, and of what is too deep, the rest is not guessed')
})

t.test('whatever a file holds, its rest keeps every character at its place, and nothing of it is told', async () => {
  const texts = fc.array(
    fc.constantFrom(
      'a: ',
      'b:',
      '\n',
      '\n  ',
      '- ',
      '"',
      "'",
      '[',
      ']',
      '{',
      '}',
      ', ',
      '|',
      '&x ',
      '*x',
      '!t ',
      '#',
      '\t',
      'zebra',
      '%',
      '---\n',
      '\r\n',
      '\\q',
    ),
    {
      maxLength: 40,
    },
  )
  fc.assert(
    fc.property(texts, (parts) => {
      const text = parts.join('')
      const { diagnostics, rest, data } = parseYaml('f', text)
      if (data === undefined && diagnostics.length === 0) throw new Error('nothing is told')
      if (diagnostics.length > 60) throw new Error('too much is told')
      for (const { message, help, place } of diagnostics) {
        if (!help || /zebra/.test(message) || (place?.line ?? 0) > text.split('\n').length)
          throw new Error(JSON.stringify({ message, place }))
      }
      if (rest && (rest.text.length !== text.length || ![...rest.text].every((char, i) => char === ' ' || char === text[i])))
        throw new Error('the rest is another text')
    }),
    { numRuns: 5_000 },
  )
})
