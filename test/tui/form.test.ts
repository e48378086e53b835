/** The form of a route by keys: each field is changed by the one right thing, and looking at one changes nothing. */

import t from 'tap'
import { createDesk } from '../../src/app/editor/create-desk.ts'
import type { Payload, Preview } from '../../src/app/editor/desk.ts'
import { draftOf, isModified, type OpenedRoute, type RouteDraft } from '../../src/app/editor/draft/route-draft.ts'
import { homeScreen } from '../../src/tui/screens/home/home.ts'
import { openRoute } from '../../src/tui/screens/route/route.ts'
import { tell } from '../../src/tui/spoken/spoken.ts'
import { driver, options, stateOf } from './keys.ts'

const opened = (written: OpenedRoute['written']): OpenedRoute => ({
  name: 'pr',
  source: 'config',
  file: '/data/config.yaml',
  text: '',
  base: ['routes', 'pr'],
  written,
  isNew: false,
})

const payload: Payload = {
  choice: { from: 'sample', name: 'github/push' },
  title: 'github/push',
  body: '{}',
  bytes: 2,
  headers: {},
  values: [],
}

const onRoute = (written: OpenedRoute['written'], more = {}) =>
  driver({
    ...stateOf(homeScreen, { draft: draftOf(opened(written)), payload, size: { columns: 99, rows: 60 }, ...more }),
    screens: [homeScreen, openRoute()],
  })

type Driver = ReturnType<typeof onRoute>
const draftIn = (editor: Driver): RouteDraft => editor.state().world.draft as RouteDraft

const goTo = (editor: Driver, title: string): void => {
  editor.press('g')
  for (let i = 0; i < 60 && !editor.frame().includes(`> ${title}`); i++) editor.press('down')
}

const offered = [
  { name: 'pull_request', detail: 'GitHub' },
  { name: 'push', detail: 'GitHub' },
  { name: 'Push Hook', detail: 'GitLab' },
]

/** Opens the list of names of a field, as the desk offers them. */
const pickIn = (editor: Driver, title: string, key: 'events' | 'verify', names = offered): void => {
  goTo(editor, title)
  editor.press('enter')
  t.match(editor.wishes.at(-1), { kind: 'ask', question: { ask: 'names', of: { key } } })
  editor.hear({ told: 'names', of: { draft: draftIn(editor), key }, answer: names })
}

t.test('events are picked from a list: several, narrowed by typing, and others by their name', async (t) => {
  const editor = onRoute({ events: ['push', 'mine'] })
  pickIn(editor, 'Events', 'events')
  t.match(editor.frame(), /> \[x\] push +GitHub\s+\[x\] mine\s+\[ \] pull_request +GitHub\s+\[ \] Push Hook +GitLab/)
  editor.press('enter')
  t.notOk(isModified(draftIn(editor)), 'enter changes nothing where nothing was marked')
  pickIn(editor, 'Events', 'events')
  editor.type('pull')
  t.match(editor.frame(), /> \[ \] pull_request/)
  editor.press('space', '^u')
  editor.type('own.event')
  editor.press('space', '^u', 'enter')
  t.same(draftIn(editor).spec.events, ['push', 'mine', 'pull_request', 'own.event'])
  t.same(
    draftIn(editor).past.flatMap(({ edits }) => edits.map(({ kind }) => kind)),
    ['insert', 'insert'],
    'the items that were there keep their lines',
  )
  pickIn(editor, 'Events', 'events')
  editor.press('space', 'down', 'space', 'down', 'space', 'down', 'space', 'enter')
  t.same(draftIn(editor).spec, {}, 'without a name the key goes')
  editor.press('u', 'u')
  pickIn(editor, 'Events', 'events')
  editor.type('hook')
  editor.press('enter')
  t.same(draftIn(editor).spec.events, ['push', 'mine', 'Push Hook'], 'a row is taken without a mark, too')
})

t.test('verify is one name, or several where they are marked; a scheme of its own is edited as it is', async (t) => {
  const editor = onRoute({ verify: 'github' })
  const schemes = ['github', 'gitlab', 'stripe'].map((name) => ({ name, detail: name }))
  pickIn(editor, 'Verify', 'verify', schemes)
  editor.press('down', 'enter')
  t.equal(draftIn(editor).spec.verify, 'gitlab')
  pickIn(editor, 'Verify', 'verify', schemes)
  editor.press('down', 'down', 'space', 'enter')
  t.same(draftIn(editor).spec.verify, ['gitlab', 'stripe'])
  const own = onRoute({ verify: { algorithm: 'token' } })
  goTo(own, 'Verify')
  own.press('enter')
  t.match(own.wishes.at(-1), { kind: 'edit-text', text: /"algorithm": "token"/ })
})

t.test('in lines: numbers mark names, and "open" takes them', async (t) => {
  const editor = onRoute({})
  pickIn(editor, 'Events', 'events')
  t.match(tell(undefined, editor.state()).at(-1), /a word after a colon: :open, :back\.$/)
  editor.say('2')
  editor.say('3')
  t.match(tell(undefined, editor.state()).join('\n'), /2 of 3: push, GitHub, chosen\n3 of 3: Push Hook, GitLab, chosen/)
  editor.say(':open')
  t.same(draftIn(editor).spec.events, ['push', 'Push Hook'])
})

t.test('the desk offers the schemes, and the events of the sender that verify names', async (t) => {
  const text =
    'platforms: { webhook: { enabled: true, extra: { secret: "abcabcabcabcabcabc", routes: { a: { verify: gitlab }, b: {} } } } }\n'
  const dataDir = t.testdir({ 'config.yaml': text })
  const finder = { find: async () => undefined, need: async () => Promise.reject(new Error('none')) }
  const desk = createDesk({ dataDir, env: {}, self: 'headgate' }, finder)
  const names = async (name: string, key: 'events' | 'verify') => desk.names({ draft: draftOf(await desk.open({ name })), key })
  const schemes = await names('a', 'verify')
  t.ok(['github', 'stripe', 'whatsapp', 'v2'].every((name) => schemes.some((each) => each.name === name)))
  const gitlab = await names('a', 'events')
  t.ok(gitlab.some(({ name }) => name === 'Push Hook'))
  t.notOk(gitlab.some(({ name }) => name === 'pull_request'))
  const all = await names('b', 'events')
  t.match(all[0], { name: 'pull_request', detail: /GitHub/ })
  t.ok(all.some(({ name }) => name === 'Push Hook'))
})

t.test('the tests of a route are a list; one is made of the payload, and none is written blindly', async (t) => {
  const preview = {
    revision: 0,
    findings: [],
    fixes: [],
    yaml: '',
    tallies: {},
    trace: { name: 'accepted', stages: [] },
  } as unknown as Preview
  const written = { tests: [{ name: 'a draft', send: { sample: 'github/push', set: { a: 1 } }, expect: { outcome: 'ignored' } }] }
  const editor = onRoute(written, { preview })
  goTo(editor, 'Tests')
  t.match(editor.frame(), /> Tests +1 test *$/m)
  editor.press('enter')
  t.match(editor.frame(), /> a draft +github\/push with 1 change +outcome ignored[\s\S]*"set": \{/)
  editor.press('a', 'enter')
  t.same(draftIn(editor).spec.tests, [
    ...written.tests,
    { name: 'github/push is accepted', send: { sample: 'github/push' }, expect: { outcome: 'accepted' } },
  ])
  editor.press('enter')
  t.match(editor.wishes.at(-1), { kind: 'edit-text', text: /github\/push is accepted/ })
  editor.hear({ told: 'returned', id: 'test edit', value: 'no JSON' })
  t.match(editor.frame(), /a test is a JSON map; enter goes on with the text/)
  editor.press('enter')
  t.match(editor.wishes.at(-1), { kind: 'edit-text', text: 'no JSON' })
  editor.press('K', 'd', 'd')
  t.same(draftIn(editor).spec, {})
  editor.press('enter')
  t.match(editor.frame(), 'there is no test yet: a makes one of the payload')
  t.notMatch(editor.wishes.at(-1), { text: '' }, 'no empty text is opened')
  const locked = onRoute(written, { options: { ...options, readOnly: true } })
  goTo(locked, 'Tests')
  locked.press('enter')
  t.match(locked.frame(), /> a draft/, 'they are read with --read-only, too')
})
