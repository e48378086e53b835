import fc from 'fast-check'
import t, { type Test } from 'tap'
import type { Merged, NewRun } from '../../src/core/new-run.ts'
import type { Event } from '../../src/core/request.ts'
import { compileKey, keyName } from '../../src/expr/event-key.ts'
import { mergedPrompt } from '../../src/runs/merged-prompt.ts'

const open = (text: string, more: Partial<Event> = {}): Event => ({
  eventId: 'e-1',
  route: 'r',
  profile: 'default',
  headers: {},
  text,
  payload: JSON.parse(text),
  eventType: 'push',
  eventAlias: undefined,
  pathAndQuery: '/webhooks/r',
  deliveryId: 'd-1',
  at: 0,
  ...more,
})

/** The key of a payload, which must need no report. */
const keyOf = (t: Test, written: string, payload: unknown, more?: Partial<Event>): ReturnType<ReturnType<typeof compileKey>> => {
  const text = typeof payload === 'string' ? payload : JSON.stringify(payload)
  return compileKey(written, { report: (message) => t.fail(message) })(open(text, more))
}

t.test('a key without a placeholder is a field, read as filters read it', async (t) => {
  const payload = {
    a: { b: 'deep', 'c d': 'blank' },
    n: 7,
    yes: true,
    no: false,
    zero: 0,
    list: [{ id: 'x' }],
    event: 'mine',
    route: 'own',
  }
  for (const [field, key] of [
    ['a.b', 'deep'],
    ['a.c d', 'blank'],
    ['n', '7'],
    ['zero', '0'],
    ['yes', 'true'],
    ['no', 'false'],
    ['list.0.id', 'x'],
    ['payload.a.b', 'deep'],
    ['event', 'push'],
    ['event_type', 'push'],
    ['route', 'own'],
    ['headers.X-Target', 'h'],
  ] as const)
    t.equal(await keyOf(t, field, payload, { headers: { 'x-target': 'h' } }), key, field)
  t.equal(await keyOf(t, 'payload.a', { payload: { a: 'wrapped' }, a: 'flat' }), 'wrapped')
  t.equal(await keyOf(t, 'delivery_id', {}), undefined, 'a field is not looked for around the payload')
})

t.test('a key with a placeholder is a template', async (t) => {
  const payload = { repo: { name: 'a/b' }, n: 7, empty: '' }
  t.equal(await keyOf(t, '{repo.name}#{n}', payload), 'a/b#7')
  t.equal(await keyOf(t, '{route} {event_type}', payload), 'r push')
  t.equal(await keyOf(t, '{repo.name}/{empty}', payload), 'a%2Fb/', 'an empty part is a part')
  t.equal(await keyOf(t, '{= repo.name & "#" & $string(n + 1) }', payload), 'a/b#8')
  t.equal(await keyOf(t, '{n} {= n * 2 }', payload), '7 14')
})

t.test('values of a key are told apart, and a key is read as it is written where they need not be', async (t) => {
  for (const [written, payload, key] of [
    ['{org}-{user}', { org: 'acme', user: 'ops-bob' }, 'acme-ops-bob'],
    ['{org}-{user}', { org: 'acme-ops', user: 'bob' }, 'acme%2Dops-bob'],
    ['{org}{user}', { org: 'a,b', user: 'c,d' }, 'a%2Cb,c,d'],
    ['{org} → {user}', { org: 'a b', user: 'c → d' }, 'a%20b → c → d'],
    ['{org}→{user}', { org: 'a→b', user: 'c' }, 'a%E2%86%92b→c'],
    ['{org}%2D{user}', { org: '50%', user: '50%' }, '50%25,%2D50%'],
    ['<{user}>', { user: '<a-b>%,' }, '<<a-b>%,>'],
    ['{user}', { user: 'a-b%2D,' }, 'a-b%2D,'],
    ['{= org & "-" & user }', { org: 'a-b', user: 'c' }, 'a-b-c'],
  ] as const)
    t.equal(await keyOf(t, written, payload), key, written)
  const odd = ['-', '%', ',', '2', 'D', '%2', '%2D', '%25', '-x', 'x-', '→', '\u{1f600}', '\ud83d', '\ude00']
  const values = ['', ...odd, ...odd.map((text) => `${text}${text}`)]
  for (const between of ['', ...odd]) {
    const pairs = values.flatMap((a) => values.map((b) => ({ a, b })))
    const keys = pairs.map((payload) => keyOf(t, `x{a}${between}{b}%`, payload))
    t.equal(new Set(keys).size, pairs.length, JSON.stringify(between))
    const few = values.slice(0, 9)
    const threes = pairs.filter(({ a, b }) => few.includes(a) && few.includes(b)).flatMap((pair) => few.map((c) => ({ ...pair, c })))
    t.equal(new Set(threes.map((payload) => keyOf(t, `{a}${between}{b}${between}{c}`, payload))).size, threes.length)
  }
})

t.test('a key is unresolved when a part of it is missing, null, a list or a map, when it fails, and when it is empty', async (t) => {
  const payload = { a: 'x', none: null, empty: '', list: [1], map: { b: 1 } }
  const fields = ['nope', 'a.b', 'none', 'empty', 'list', 'map', '__proto__', 'constructor', 'toString', 'a.length', 'headers.x-none']
  const templates = [
    '{nope}',
    'pre {a} {nope}',
    '{nope} {a}',
    '{none}',
    '{a}{list}',
    '{map}',
    '{empty}',
    '{a.__proto__}',
    '{constructor.name}',
  ]
  const expressions = ['{= nope }', '{= $error("no") }', '{a} {= map }', '{= [1, 2] }', '{= null }', '{= "" }', '{= $sum }']
  for (const written of [...fields, ...templates, ...expressions]) t.equal(await keyOf(t, written, payload), undefined, written)
  for (const body of ['[]', '"text"', '7', 'null', 'true', '{}']) t.equal(await keyOf(t, '{a}', body), undefined, body)
})

t.test('what a payload says is never looked at for placeholders', async (t) => {
  for (const text of ['{x}', '{nope}', '{= 1 }', '{__raw__}', '{', '$&', '{{a}}']) {
    t.equal(await keyOf(t, 'a', { a: text }), text)
    t.equal(await keyOf(t, '{a}', { a: text }), text)
    t.equal(await keyOf(t, '<{a}>{= a }', { a: text }), `<${text}>${text}`)
  }
})

t.test('numbers too long for JavaScript stay different keys', async (t) => {
  const [one, other] = ['12345678901234567890', '12345678901234567891']
  t.equal(Number(one), Number(other))
  for (const written of ['a.id', '{a.id}', 'payload.a.id'])
    for (const id of [one, other]) {
      t.equal(await keyOf(t, written, `{"a": {"id": ${id}}}`), id, written)
      if (written.startsWith('payload')) t.equal(await keyOf(t, written, `{"payload": {"a": {"id": ${id}}}}`), id, 'wrapped')
    }
})

t.test('a key of more than 100,000 characters is unresolved', async (t) => {
  const text = 'x'.repeat(100_000)
  for (const written of ['a', '{a}', '{= a }']) {
    t.equal(await keyOf(t, written, { a: text }), text)
    t.equal(await keyOf(t, written, { a: `${text}x` }), undefined)
    t.equal(await keyOf(t, written, { a: 'x'.repeat(1_000_000) }), undefined)
  }
})

t.test('a template without an expression gives its key at once', async (t) => {
  t.equal(keyOf(t, '{a}-{b}', { a: 1, b: 2 }), '1-2')
  t.equal(keyOf(t, 'a', { a: 1 }), '1')
})

t.test('a bad expression is reported; it merges nothing, and neither do braces that are no placeholder', async (t) => {
  const cases = { '{= ( }': 1, '{= a': 0, '{ a }': 0, '{"a"}': 0, 'a}': 0, '{}': 0 }
  for (const [written, reports] of Object.entries(cases)) {
    const told: string[] = []
    const key = compileKey(written, { report: (message) => told.push(message) })
    // The check of the route's paths reports the others (WH503).
    t.equal(told.length, reports, `${written}: ${told.join('; ')}`)
    t.equal(await key(open('{"a": "x"}')), undefined, 'and such a key merges nothing')
  }
})

t.test('the name of a key is short and says profile, route and key without a doubt', async (t) => {
  const part = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,9}$/)
  const key = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('__proto__', '/', 'a/b', '\0', '\ud800', '\udfff'))
  const one = fc.record({ kind: fc.constantFrom('group', 'lane'), profile: part, route: part, key: fc.option(key, { nil: undefined }) })
  const nameOf = ({ kind, profile, route, key }: { kind: string; profile: string; route: string; key: string | undefined }): string =>
    keyName(kind as 'group' | 'lane', open('{}', { profile, route }), key)
  fc.assert(fc.property(one, one, (a, b) => (nameOf(a) === nameOf(b)) === (JSON.stringify(a) === JSON.stringify(b))))
  const alike = ['a', 'a ', 'A', 'á', 'a\u0301', '\ud800', '\udfff', '\ufffd', '__proto__', '/', '', '1/a']
  t.equal(new Set(alike.map((text) => keyName('group', open('{}'), text))).size, alike.length)
  t.ok(keyName('group', open('{}'), 'x'.repeat(1_000_000)).length < 100)
})

const run = (prompt: string, merged?: Merged): NewRun => ({
  eventId: 'e',
  profile: 'default',
  route: 'r',
  event: 'push',
  deliveryId: 'd',
  prompt,
  delivery: { target: 'log', extra: {} },
  acceptedAt: 0,
  ...(merged ? { merged } : {}),
})

const textOf = (of: NewRun): string => mergedPrompt(of).text

t.test('a run of one event has no note', async (t) => {
  t.equal(textOf(run('hello')), 'hello')
  for (const keep of ['latest', 'first', 'all'] as const) t.equal(textOf(run('hello', { group: 'e', count: 1, keep })), 'hello')
})

t.test('a merged run says how many earlier events were replaced and how many there were in all', async (t) => {
  const latest = (count: number): string => textOf(run('hello', { group: 'e', count, keep: 'latest' }))
  t.equal(latest(2), 'hello\n\n[headgate] 1 earlier event for this target was replaced by this one; 2 arrived in all.')
  t.equal(latest(5), 'hello\n\n[headgate] 4 earlier events for this target were replaced by this one; 5 arrived in all.')
  const first = (count: number): string => textOf(run('hello', { group: 'e', count, keep: 'first' }))
  t.equal(first(2), 'hello\n\n[headgate] 1 later event for this target was left out; 2 arrived in all.')
  t.equal(first(5), 'hello\n\n[headgate] 4 later events for this target were left out; 5 arrived in all.')
})

t.test('with all events kept, each stands under its number, and the first line says how many are gone', async (t) => {
  const all = (count: number, prompts: string[]): string => textOf(run('c', { group: 'e', count, keep: 'all', prompts }))
  t.equal(all(2, ['a', 'b']), '[headgate] event 1 of 2\na\n\n[headgate] event 2 of 2\nb')
  t.equal(
    all(5, ['b', 'c']),
    '[headgate] The oldest 3 of 5 events for this target are left out.\n\n[headgate] event 4 of 5\nb\n\n[headgate] event 5 of 5\nc',
  )
  t.match(textOf(run('c', { group: 'e', count: 3, keep: 'all' })), /oldest 2 of 3[\s\S]*event 3 of 3\nc$/)
})
