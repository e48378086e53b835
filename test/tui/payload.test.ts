/** The payload picker, by its keys; and the service that lists and reads payloads. */

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { stringify } from 'yaml'
import { draftOf } from '../../src/edit/draft/route-draft.ts'
import { payloadValues } from '../../src/edit/payload/payload-values.ts'
import { payloadRows, readPayload } from '../../src/edit/payload/payloads.ts'
import type { Payload, PayloadChoice, PayloadRow } from '../../src/edit/service.ts'
import type { Command } from '../../src/tui/model/screen.ts'
import { homeScreen } from '../../src/tui/screens/home/home.ts'
import { openPayload } from '../../src/tui/screens/payload/payload.ts'
import { openRouteScreen } from '../../src/tui/screens/route/route.ts'
import { newFolder } from '../fakes/folder.ts'
import { driver, routeRow, stateOf } from './keys.ts'

const opened = {
  name: 'pr-review',
  source: 'config' as const,
  file: '/data/config.yaml',
  text: '',
  base: [],
  written: { events: ['pull_request'], prompt: '{number}' },
  isNew: false,
}
const draft = draftOf(opened)

const sample = (name: string, fits = true): PayloadRow => ({
  choice: { from: 'sample', name },
  group: 'samples',
  title: name,
  detail: 'pull_request  1 kB',
  fits,
})
const event: PayloadRow = {
  choice: { from: 'event', id: 'e1' },
  group: 'recorded',
  title: '2026-11-22 10:00:00',
  detail: 'push',
  fits: true,
}
const rows = [sample('github/push', false), sample('github/pull_request.opened'), sample('gitlab/push', false), event]

const payloadOf = (choice: PayloadChoice, more: Partial<Payload> = {}): Payload => ({
  choice,
  title: 'a payload',
  body: '{\n  "number": 7\n}',
  bytes: 12,
  headers: { 'x-github-event': 'pull_request' },
  values: [],
  ...more,
})

/** The picker of the route that is open, with what the service has answered. */
const picker = (payload?: Payload) => {
  const world = { draft, ...(payload ? { payload } : {}) }
  const editor = driver(stateOf(openRouteScreen(), world))
  editor.press('p')
  editor.onMessage({ type: 'payloads', of: { route: 'pr-review' }, answer: rows })
  editor.commands.length = 0
  return editor
}

/** The payload that was asked for. */
const askedFor = (commands: readonly Command[]): unknown => {
  const asked = commands.flatMap((command) => (command.kind === 'ask' && command.question.ask === 'payload' ? [command.question.of] : []))
  return asked.at(-1)
}

t.test('a route is opened with the first payload that fits', async (t) => {
  const editor = driver(stateOf(homeScreen))
  editor.onMessage({ type: 'open', of: { name: 'pr-review' }, answer: opened })
  t.match(editor.commands, [{ question: { ask: 'payloads', of: { route: 'pr-review' } } }, { question: { ask: 'preview' } }])
  editor.onMessage({ type: 'payloads', of: { route: 'other' }, answer: rows })
  t.equal(askedFor(editor.commands), undefined, 'those of another route are not for it')
  editor.onMessage({ type: 'payloads', of: { route: 'pr-review' }, answer: rows })
  const choice = { from: 'sample', name: 'github/pull_request.opened' } as const
  t.same(askedFor(editor.commands), { choice, route: 'pr-review' })
  editor.onMessage({ type: 'payload', of: { choice, route: 'other' }, answer: payloadOf(choice) })
  t.equal(editor.state().world.payload, undefined, 'nor is its payload')
  editor.onMessage({ type: 'payload', of: { choice, route: 'pr-review' }, answer: payloadOf(choice) })
  t.equal(editor.state().world.payload?.choice, choice)
  editor.commands.length = 0
  editor.onMessage({ type: 'payloads', of: { route: 'pr-review' }, answer: rows })
  t.same(editor.commands, [], 'one that is chosen stays')
  editor.onMessage({ type: 'open', of: { name: 'alerts' }, answer: { ...opened, name: 'alerts' } })
  t.equal(editor.state().world.payload, undefined, 'but not for another route')
})

t.test('a sample is picked', async (t) => {
  const editor = picker()
  t.match(editor.frame(), /\[Samples 3\] .*Recorded 1/)
  t.match(editor.frame(), /github\/pull_request\.opened +fits/)
  editor.press('/')
  editor.type('gitlab')
  editor.press('enter')
  t.notMatch(editor.frame(), 'github/push')
  editor.press('enter')
  t.same(askedFor(editor.commands), { choice: { from: 'sample', name: 'gitlab/push' }, route: 'pr-review' })
  t.equal(editor.state().screens.at(-1)?.kind, 'route', 'and the screen is left')
})

t.test('a recorded event is picked, and a file', async (t) => {
  const editor = picker()
  editor.press('tab', 'enter')
  t.same(askedFor(editor.commands), { choice: { from: 'event', id: 'e1' }, route: 'pr-review' })
  const other = picker()
  other.press('tab', 'tab', 'enter')
  other.type('~/a b.json')
  other.press('enter')
  t.same(askedFor(other.commands), { choice: { from: 'file', file: '~/a b.json' }, route: 'pr-review' })
})

t.test('JSON is pasted', async (t) => {
  const editor = picker()
  editor.press('l', 'l', 'l')
  t.match(editor.frame(), '[Paste JSON]')
  editor.press('enter')
  t.match(editor.frame(), 'nothing is pasted yet')
  editor.paste('{\n  "q": 1,\n  oops\n}')
  t.match(editor.frame(), '! no JSON: line 3, column 3')
  editor.press('enter')
  t.equal(askedFor(editor.commands), undefined)
  editor.press('backspace', 'backspace', '^w', '^k', 'backspace', 'backspace', 'backspace')
  editor.press('^u', 'backspace', '^u', 'backspace', '^u')
  editor.paste('{"q": [1]}')
  t.match(editor.frame(), 'JSON, 10 characters: enter takes it')
  editor.press('enter')
  t.same(askedFor(editor.commands), { choice: { from: 'text', text: '{"q": [1]}' }, route: 'pr-review' })

  const other = picker()
  other.press('l', 'l', 'l')
  other.paste('\n{}')
  other.press('up', 'home', '^u', 'enter')
  t.same(askedFor(other.commands), { choice: { from: 'text', text: '\n{}' }, route: 'pr-review' }, 'nothing stands before the beginning')
})

t.test('a paste that is too long to be shown is taken at once, or not at all', async (t) => {
  const text = JSON.stringify({ q: 'x'.repeat(150_000) })
  const editor = picker()
  editor.press('l', 'l', 'l')
  editor.paste(text.slice(0, -1))
  t.match(editor.frame(), 'no JSON: line 1, column 150008; the text is too long')
  editor.paste(text)
  t.same(askedFor(editor.commands), { choice: { from: 'text', text }, route: 'pr-review' })
})

t.test('the current payload is edited, and keeps its headers', async (t) => {
  const choice = { from: 'sample', name: 'github/push' } as const
  const editor = picker(payloadOf(choice))
  editor.press('h', 'enter')
  t.match(editor.commands.at(-1), { kind: 'edit-text', text: '{\n  "number": 7\n}' })
  editor.onMessage({ type: 'returned', id: 'payload edit', value: '{ "number": }' })
  t.match(editor.frame(), 'no JSON: line 1, column 13')
  editor.press('enter')
  t.match(editor.commands.at(-1), { kind: 'edit-text', text: '{ "number": }' }, 'what was written is not lost')
  editor.onMessage({ type: 'returned', id: 'payload edit', value: '{ "number": 8 }' })
  const headers = { 'x-github-event': 'pull_request' }
  t.same(askedFor(editor.commands), { choice: { from: 'text', text: '{ "number": 8 }', headers }, route: 'pr-review' })

  const long = picker(payloadOf(choice, { isCut: true }))
  long.press('h', 'enter')
  t.match(long.frame(), 'too large to be edited here')
  const none = picker()
  none.press('h', 'enter')
  t.match(none.frame(), 'no payload is chosen')
})

t.test('a sample is picked for a route that is not open yet', async (t) => {
  const home = { file: 'config.yaml', subscriptions: 0, rows: [routeRow('pr-review')] }
  const editor = driver(stateOf(homeScreen, { home }))
  editor.press('s')
  editor.onMessage({ type: 'payloads', of: { route: 'pr-review' }, answer: rows })
  editor.press('j', 'j', 'enter')
  t.match(editor.commands.at(-1), { question: { ask: 'open', of: { name: 'pr-review' } } })
  editor.onMessage({ type: 'open', of: { name: 'pr-review' }, answer: opened })
  t.same(askedFor(editor.commands), { choice: { from: 'sample', name: 'gitlab/push' }, route: 'pr-review' })
})

t.test('a screen reader hears whether a payload is for the route', async (t) => {
  const { models } = await import('../../src/tui/screens/index.ts')
  const turn = openPayload(draft, {})
  const editor = driver(stateOf(openRouteScreen(), { draft }))
  const screen = { ...(turn.go as { push: object }).push, all: rows } as never
  t.equal(models.payload.rows?.(screen, editor.state().world)[0], 'github/push, pull_request, 1 kB, not for this route')
})

const dataDir = (t: Test): string => {
  const routes = {
    'pr-review': { events: ['pull_request'], filters: [{ field: 'action', in: ['closed'] }], prompt: '{number} {pull_request.title}' },
    merges: { verify: 'gitlab' },
  }
  const extra = { secret: '0f5e7d3c9a814b26c0d1e2f3a4b5c6d7', routes }
  return newFolder(t, { 'config.yaml': stringify({ platforms: { webhook: { enabled: true, extra } } }) })
}

t.test('the service lists first what a route takes', async (t) => {
  const workspace = { dataDir: dataDir(t), env: {}, self: 'headgate' }
  const [best, ...others] = await payloadRows(workspace, { route: 'pr-review' })
  t.match(best, { title: 'github/pull_request.closed', fits: true }, 'one that its filters let through')
  t.equal(others.find(({ title }) => title === 'github/push')?.fits, false)
  const merges = await payloadRows(workspace, { route: 'merges' })
  t.match(
    merges.filter(({ fits }) => fits).map(({ title }) => title.split('/')[0]),
    ['gitlab', 'gitlab', 'gitlab', 'gitlab', 'gitlab'],
  )
  t.ok((await payloadRows(workspace, { route: 'not-there' })).length > 40)
})

t.test('the service reads a payload as the route gets it', async (t) => {
  const dir = dataDir(t)
  const workspace = { dataDir: dir, env: {}, self: 'headgate' }
  const read = (choice: PayloadChoice, route = 'pr-review') => readPayload(workspace, { choice, route })
  const known = await read({ from: 'sample', name: 'github/pull_request.opened' })
  const shown = new Map(known.values.map(({ path, type, shown }) => [path, `${type} ${shown}`]))
  t.equal(shown.get('event'), 'string "pull_request"')
  t.equal(shown.get('headers.x-hub-signature-256'), 'string "***"', 'a signature is not shown')
  t.equal(shown.get('action'), 'string "opened"')
  t.equal(shown.get('pull_request.number'), 'number 2')
  t.match(shown.get('pull_request'), /^object \d+ keys$/)
  t.match(known.body, '\n  "number": 2,\n')

  mkdirSync(join(dir, 'own'))
  writeFileSync(join(dir, 'own', 'plain.json'), '{"a":{"b":[true]}}')
  writeFileSync(join(dir, 'own', 'sample.json'), '{"headers":{"X-GitHub-Event":"star"},"body":{"id":12345678901234567890}}')
  writeFileSync(join(dir, 'own', 'broken.json'), '{"headers":\n nope}')
  const plain = await read({ from: 'file', file: join(dir, 'own', 'plain.json') })
  t.match(plain, { title: 'plain.json' })
  t.match(
    plain.values.find(({ path }) => path === 'a.b.0'),
    { type: 'boolean', shown: 'true' },
  )
  t.match(
    (await read({ from: 'file', file: join(dir, 'own', 'sample.json') })).values.find(({ path }) => path === 'event'),
    { shown: '"star"' },
  )
  t.match((await read({ from: 'file', file: join(dir, 'own', 'sample.json') })).body, '12345678901234567890', 'digits stay')
  await t.rejects(read({ from: 'file', file: join(dir, 'own', 'broken.json') }), /not JSON \(line 2, column 3\)/)
  await t.rejects(read({ from: 'file', file: '~/no such file' }), { message: /^there is no file \/.*\/no such file$/ })
  await t.rejects(read({ from: 'file', file: dir }), /no regular file/)
  await t.rejects(read({ from: 'sample', name: 'github/nope' }), /no sample/)
  t.match(await read({ from: 'text', text: '{"number":1}' }, 'not-there'), { title: 'pasted', body: '{\n  "number": 1\n}' })
})

t.test('the values of a large payload are bounded', async (t) => {
  const wide = { top: 1, list: Array.from({ length: 20_000 }, (_, i) => ({ id: i })), 'a.b': 1, '': 2, last: 'x'.repeat(500) }
  const values = payloadValues(wide, 'push', {})
  t.equal(values.length, 5_000)
  t.match(
    values.find(({ path }) => path === 'list'),
    { type: 'array', shown: '20000 items' },
  )
  t.equal(values.find(({ path }) => path === 'last')?.shown.length, 80)
  t.notOk(
    values.some(({ path }) => path === 'a.b' || path === ''),
    'what no path leads to is left out',
  )
  const deep = JSON.parse(`${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`)
  t.same(
    payloadValues({ n: 1 }, undefined, {}, { pathAndQuery: '/webhooks/r?team=a&team=b&x=%20' }).map(({ path, shown }) => [path, shown]),
    [
      ['request.method', '"POST"'],
      ['request.path', '"/webhooks/r"'],
      ['request.query.team', '2 items'],
      ['request.query.x', '" "'],
      ['n', '1'],
    ],
  )
  t.equal(payloadValues(deep, undefined, {}).length, 32)
})
