import fc from 'fast-check'
import t from 'tap'
import type { Json, JsonObject } from '../../src/core/json.ts'
import type { Event } from '../../src/core/request.ts'
import { compileField, compilePath } from '../../src/expr/path.ts'
import { partsOf, pathOfParts } from '../../src/expr/path-parts.ts'
import { pathSlip } from '../../src/expr/path-slip.ts'
import { placeholders } from '../../src/expr/placeholder.ts'
import { compileTemplate, wholePayload } from '../../src/expr/template.ts'
import { compileTexts } from '../../src/expr/template-map.ts'

const open = (text: string, headers: Event['headers'] = {}): Event => ({
  eventId: 'e',
  route: 'pr-review',
  profile: 'default',
  headers,
  text,
  payload: JSON.parse(text) as Json,
  eventType: 'pull_request',
  eventAlias: undefined,
  pathAndQuery: '/webhooks/r',
  deliveryId: 'd-1',
  at: 0,
})
const of = (payload: unknown, headers?: Event['headers']): Event => open(JSON.stringify(payload), headers)
const noReport = { report: (message: string) => t.fail(`unexpected report: ${message}`) }
const asText = (): 'text' => 'text'
const render = (template: string, opened: Event): string => {
  const text = compileTemplate(template, noReport)(opened)
  if (typeof text !== 'string') throw new Error('a template without an expression has to be synchronous')
  return text
}

t.test('a path reads maps by key and lists by index', async (t) => {
  const root = { a: { b: [{ c: 1 }, null] }, '': { '': 2 }, '0': 'zero' }
  t.equal(compilePath('a.b.0.c')(root), 1)
  t.equal(compilePath('a.b.1')(root), null)
  t.equal(compilePath('0')(root), 'zero')
  t.equal(compilePath('.')(root), 2)
  for (const missing of ['a.b.2', 'a.b.-1', 'a.b.00', 'a.b.1.c', 'a.b.length', 'a.x.y', 'a.b.0.c.d'])
    t.equal(compilePath(missing)(root), undefined)
})

t.test('a part in single quotes is one key; all other quotes belong to their keys', async (t) => {
  const value = (path: string, keys: readonly string[]): void => {
    const root = keys.reduceRight<Json>((inner, key) => ({ [key]: inner }), 1)
    t.equal(compilePath(path)(root), 1, path)
    t.equal(compileField(path)(of(root)), 1, path)
  }
  value("a.'b.c'.d", ['a', 'b.c', 'd'])
  value("'a'", ['a'])
  value("'it''s'.''.''''", ["it's", '', "'"])
  for (const path of ["it's", "a'b'", "'a", "a.'b", "'a'b.c", "'a''", "''a'.b", "o'.'p", "'.x", "x.'", "a..'b", '"a.b"', 'a`b'])
    value(path, path.split('.'))
  t.equal(render("{a.'b.c'} {a.'b}.c'}", of({ a: { 'b.c': 'x' } })), "x {a.'b}.c'}")
  const part = fc.string({ unit: fc.constantFrom('a', '.', "'", '0', '*'), maxLength: 5 })
  fc.assert(fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), (parts) => t.same(partsOf(pathOfParts(parts)), parts)))
  fc.assert(fc.property(fc.string({ unit: fc.constantFrom('a', '.', '"', '`') }), (path) => t.same(partsOf(path), path.split('.'))))
})

t.test('a path never returns what an object inherits', async (t) => {
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'length', 'name', 'valueOf', 'at', 'map']
  const path = fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 4 }).map((keys) => keys.join('.'))
  const enter = (at: unknown, key: string): unknown =>
    typeof at === 'object' && at !== null && !Array.isArray(at) ? Object.getOwnPropertyDescriptor(at, key)?.value : undefined
  fc.assert(
    fc.property(fc.jsonValue(), path, (value, dotted) => {
      const expected = dotted.split('.').reduce<unknown>(enter, value)
      return compilePath(dotted)(value as Json) === expected
    }),
  )
  t.equal(compilePath('__proto__.polluted')(JSON.parse('{"__proto__":{"polluted":1}}')), 1, 'an own key of that name is a key')
})

t.test('a field reads the event type, headers in any case and under both names, and payload paths', async (t) => {
  const opened = of({ event: 'mine', action: 'opened', payload: { action: 'wrapped' } }, { 'x-github-event': 'push', 'x-hostb-token': 't' })
  const field = (name: string, from = opened): unknown => compileField(name)(from)
  t.equal(field('event'), 'pull_request')
  t.equal(field('event_type'), 'pull_request')
  t.equal(field('headers.X-GitHub-Event'), 'push')
  t.equal(field('headers.x-hosta-event'), 'push')
  t.equal(field('headers.X-Gitlab-Token'), 't')
  t.equal(field('headers.constructor'), undefined)
  t.equal(field('action'), 'opened')
  t.equal(field('payload.action'), 'wrapped')
  t.equal(field('payload.action', of({ action: 'flat' })), 'flat')
  t.equal(field('payload.event', of({ event: 'mine' })), 'mine')
  t.equal(field('payload.action', of({ payload: 'text', action: 'flat' })), 'flat')
})

t.test('placeholders are filled, missing ones stay as they are written', async (t) => {
  const opened = of({ number: 7, title: 'A "b"', user: { login: 'ann' }, list: [{ id: 'x' }], ok: true, none: null, 'First Name': 'Bo' })
  t.equal(render('PR {number}: {title} by {user.login} {list.0.id}', opened), 'PR 7: A "b" by ann x')
  t.equal(render('{ok} {none} {user} {list} {First Name}', opened), 'true null {"login":"ann"} [{"id":"x"}] Bo')
  t.equal(render('{nope} {user.nope} {list.9}', opened), '{nope} {user.nope} {list.9}')
  t.equal(render('{event_type} {route} {delivery_id}', opened), 'pull_request pr-review d-1')
  t.equal(render('{event_type} {route}', of({ event_type: 'own', route: null })), 'own null')
  t.equal(render('', opened), '')
})

t.test('text that only looks like a placeholder stays', async (t) => {
  const opened = of({ x: 'X', ' x ': 'no', '"a": 1': 'no', a: 'A' })
  for (const text of ['{"a": 1}', '{ x }', '{}', '{', '}', '}{', '{x', 'x}', '{\nx}', '{"x"}']) t.equal(render(text, opened), text)
  t.equal(render('{{x}}', opened), '{X}')
  t.equal(render('{"k": "{x}"}', opened), '{"k": "X"}')
  t.equal(render('{x}{x}', opened), 'XX')
})

t.test('hostile payloads: nothing inherited, nothing expanded twice, no replacement patterns', async (t) => {
  const opened = of({ title: 'abc', trap: '{__raw__} {title} {= 1+1 }', money: "$& $1 $$ $` $'", list: [1] })
  for (const text of ['{__proto__}', '{constructor.name}', '{title.length}', '{toString}', '{list.length}', '{title.0}'])
    t.equal(render(text, opened), text)
  t.equal(render('a {trap} b', opened), 'a {__raw__} {title} {= 1+1 } b')
  t.equal(render('a {money} b', opened), "a $& $1 $$ $` $' b")
})

t.test('nested values are cut at 2000, the payload at 4000, never inside a surrogate pair', async (t) => {
  for (const [limit, template] of [
    [2000, '{v}'],
    [4000, '{__raw__}'],
  ] as const)
    for (let shift = -4; shift <= 4; shift++) {
      const value = { k: `${'a'.repeat(limit - 8 + shift)}😀😀😀` }
      const payload = template === '{v}' ? { v: value } : value
      const whole = template === '{v}' ? JSON.stringify(value) : JSON.stringify(value, null, 2)
      const text = render(template, of(payload))
      t.ok(!/\p{Cs}/u.test(text) && whole.startsWith(text) && text.length <= limit && text.length >= Math.min(limit - 1, whole.length))
    }
  t.equal(render('{__raw__}!', of({ a: [1] })), '{\n  "a": [\n    1\n  ]\n}!')
  t.equal(wholePayload(of([1])), '[\n  1\n]')
})

t.test('a prompt ends at 200,000 characters', async (t) => {
  t.equal(render('{s}{s}{s}', of({ s: 'x'.repeat(150_000) })).length, 200_000)
  t.equal(render('{s}', of({ s: '😀'.repeat(100_001) })).length, 200_000)
})

t.test('no template and no payload makes rendering throw, and inserted text is never expanded', async () => {
  const name = fc.constantFrom('a', 'b', '__raw__', 'a.b', 'a.0', '__proto__', 'event_type')
  const part = fc.oneof(
    name.map((path) => `{${path}}`),
    fc.constantFrom('{', '}', '{}', ' ', '"', '$&', '\n'),
    fc.string({ maxLength: 8 }),
  )
  const template = fc.array(part, { maxLength: 8 }).map((parts) => parts.join('').replaceAll('{=', '{'))
  fc.assert(fc.property(template, fc.jsonValue(), (text, payload) => typeof render(text, of(payload)) === 'string'))
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
      const inserted = parts.join('')
      return render('<{a}>', of({ a: inserted })) === `<${inserted}>`
    }),
  )
})

t.test('expressions are JSONata; what fails or gives nothing is empty', async (t) => {
  const opened = of({ title: 'fix', commits: [{ id: 'a' }, { id: 'b' }], o: { b: 1 } })
  const later = (text: string): string | Promise<string> => compileTemplate(text, noReport)(opened)
  t.equal(await later('{= $uppercase(title) }!'), 'FIX!')
  t.equal(await later('{= $count(commits) } {=$count(payload.commits)} {= event }'), '2 2 pull_request')
  t.equal(await later('{= {"a": "}"} } {= commits.id } {= 1 = 1 } {= null }'), '{"a":"}"} ["a","b"] true null')
  t.equal(await later('<{= nope }{= $error("x") }{= $uppercase }> {title}'), '<> fix')
  t.equal(await later('{= commits[id = "a"].id & /* } */ `title` }'), 'afix')
})

t.test('an expression that fails or that a limit stops is empty, and is told without a word of the payload', async (t) => {
  const told: unknown[] = []
  const kit = { ...noReport, failed: (opened: Event, message: string) => told.push([opened.deliveryId, message]) }
  const opened = of({ secret: 'x'.repeat(200_000), list: Array.from({ length: 30_000 }, () => 'secret'), hidden: 'sëcret "1"' })
  const fails =
    '{= $number(hidden) }{= hidden < 1 }{= $sum(hidden) }{= $error(hidden) }{= $assert(false, hidden) }{= -hidden }{= $round("1") }'
  const text = `{= $uppercase(secret) }{= $sum(list) }{= [1..20000] }${fails}`
  t.equal(await compileTemplate(text, kit)(opened), '')
  t.match(told.sort(), [
    ['d-1', '{= $assert(false, hidden) }: an $assert of it does not hold'],
    ['d-1', '{= $error(hidden) }: it calls $error'],
    ['d-1', '{= $number(hidden) }: Unable to cast value to a number: …'],
    ['d-1', /^\{= \$round\("1"\) \}: Argument 1 of function "round"/],
    ['d-1', /^\{= \$sum\(hidden\) \}: Argument 1 of function "sum"/],
    ['d-1', /^\{= \$sum\(list\) \}: the list is too long/],
    ['d-1', /^\{= \$uppercase\(secret\) \}: the text is too long for this function/],
    ['d-1', '{= -hidden }: Cannot negate a non-numeric value: …'],
    ['d-1', /^\{= \[1\.\.20000\] \}: The maximum sequence length/],
    ['d-1', /^\{= hidden < 1 \}: The values … and … either side/],
  ])
  t.equal(told.length, 10)
  t.notMatch(JSON.stringify(told), /s[eë]cret "|sëcret/)
})

t.test('a bad expression is reported and is empty', async (t) => {
  const said: string[] = []
  const kit = { report: (message: string) => said.push(message) }
  const opened = of({ x: 1 })
  t.equal(compileTemplate('{= 1 + } {x}', kit)(opened) instanceof Promise, true)
  t.equal(await compileTemplate('{= 1 + } {x}', kit)(opened), ' 1')
  t.equal(await compileTemplate('{= "a } {x}', kit)(opened), '{= "a } 1')
  t.match(said, [/^\{= 1 \+ \}: /, /^\{= 1 \+ \}: /, /no closing brace/])
})

t.test('every text of deliver_extra is a template, other values pass, maps and lists are walked', async (t) => {
  const opened = of({ number: 7, repo: 'a/b' })
  const extra = { repo: '{repo}', n: 5, flag: true, none: null, deep: { list: ['#{number}', 1] } }
  t.same(compileTexts(extra, noReport, asText)(opened), { repo: 'a/b', n: 5, flag: true, none: null, deep: { list: ['#7', 1] } })
  const promised = compileTexts({ ...extra, e: { f: '{= number + 1 }' } } as JsonObject, noReport, asText)(opened)
  t.ok(promised instanceof Promise)
  t.same((await promised).e, { f: '8' })
  const odd = compileTexts(JSON.parse('{"__proto__":{"x":"{number}"}}'), noReport, asText)(opened) as JsonObject
  t.equal(Object.getPrototypeOf(odd), Object.prototype)
  t.same(Object.entries(odd), [['__proto__', { x: '7' }]])
})

t.test('the placeholders of a template are listed', async (t) => {
  t.same(placeholders('a {b.c} {__raw__} {"x": 1} {= a + 1 } {d}'), ['b.c', '__raw__', '= a + 1 ', 'd'])
})

t.test('a path in the signs of another language is told how it is written here', (t) => {
  for (const [path, use, why, help] of [
    ['commits[0].id', 'field', /has brackets/, 'write commits.0.id'],
    ['$.a."b".c', 'field', /quotes that belong to no key/, 'write a.b.c'],
    ['$json', 'field', /another tool/, 'name a key of the payload'],
    ['$json.body.a', 'template', /another tool/, 'write a'],
    ['{}', 'field', /has braces/, 'name a key of the payload'],
    ['a .b', 'field', /has a blank/, 'write a.b'],
    ['$', 'field', /names no field/, 'name a key of the payload: a.dotted.path'],
    ['labels.*.name', 'path', /no single value/, 'write the number of an item, or the key'],
    ['labels.*.name', 'field', /no single value/, 'use any_item, or jsonata: "…" in payload.labels.name; for one item, write its number'],
    ['labels.*.name', 'template', /no single value/, /^use an expression, for example \{= \$join\(labels\.name, ", "\) \}/],
    ["a['b.c']", 'template', /a path is cut at each dot/, "write a.'b.c'"],
    ["a['b.c']", 'field', /a path is cut at each dot/, "write a.'b.c'"],
    ['a ?? "x"', 'template', /a value for where there is none/, 'use an expression: {= $exists(a) ? a : "x" }'],
    ['a | upper', 'template', /a filter/, /\$uppercase\(a\)/],
    ['a ?? "x"', 'field', /no other value/, 'write a'],
    ['user[email]', 'field', /belong to the name of a key/, /^write user\.email, unless/],
  ] as const)
    t.match(pathSlip(path, use), { why, help }, `${path} (${use})`)
  for (const path of ['a.b', 'headers.x-a', 'a-b.0.c', 'a:b']) t.equal(pathSlip(path, 'field'), undefined, path)
  t.equal(pathSlip('labels.*.name', 'list'), undefined)
  t.end()
})
