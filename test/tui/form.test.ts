/** The form of a route by keys: each field is changed by the one right thing, and looking at one changes nothing. */

import t from 'tap'
import { createEditorService } from '../../src/edit/create-service.ts'
import { draftOf, isModified, type OpenedRoute, type RouteDraft } from '../../src/edit/draft/route-draft.ts'
import type { Payload, Preview } from '../../src/edit/service.ts'
import { homeScreen } from '../../src/tui/screens/home/home.ts'
import { openRouteScreen } from '../../src/tui/screens/route/route.ts'
import { openSession } from '../../src/tui/session.ts'
import { changesSaid } from '../../src/tui/spoken/spoken.ts'
import { newFolder } from '../fakes/folder.ts'
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
    ...stateOf(homeScreen, { draft: draftOf(opened(written)), payload, size: { columns: 99, rows: 90 }, ...more }),
    screens: [homeScreen, openRouteScreen()],
  })

type Driver = ReturnType<typeof onRoute>
const draftIn = (editor: Driver): RouteDraft => editor.state().world.draft as RouteDraft

const goTo = (editor: Driver, title: string): void => {
  for (const keys of [['g'], ['z', 'g']]) {
    editor.press(...keys)
    for (let i = 0; i < 90 && !editor.frame().includes(`> ${title}`); i++) editor.press('down')
    if (editor.frame().includes(`> ${title}`)) return
  }
}

t.test("a text that is too long for a terminal's clipboard is cut, and that is said", (t) => {
  const copied: string[] = []
  const copyYaml = (yaml: string) => {
    const first = onRoute({}).state()
    const world = { ...first.world, preview: { yaml } as never }
    const nothing = () => undefined as never
    const session = openSession(
      { ...first, world },
      {
        service: {} as never,
        draw: () => {},
        redraw: () => {},
        copy: (text) => void copied.push(text),
        suspend: () => {},
        editText: nothing,
        editFile: nothing,
        watch: nothing,
        previewDelayMs: 0,
        keepDelayMs: 0,
      },
    )
    session.input({ kind: 'key', key: { name: 'Y', text: 'Y' } })
    return session.state().world.notice
  }
  t.same(copyYaml('short'), { tone: 'ok', text: 'copied' })
  t.match(copyYaml('x'.repeat(80_000)), { tone: 'warn', text: /only its first 75000 characters/ })
  t.same(
    copied.map(({ length }) => length),
    [5, 75_000],
  )
  t.end()
})

const offered = [
  { name: 'pull_request', detail: 'GitHub' },
  { name: 'push', detail: 'GitHub' },
  { name: 'Push Hook', detail: 'GitLab' },
]

/** Opens the list of names of a field, as the service offers them. */
const pickIn = (editor: Driver, title: string, key: 'events' | 'verify', names = offered): void => {
  goTo(editor, title)
  editor.press('enter')
  t.match(editor.commands.at(-1), { kind: 'ask', question: { ask: 'names', of: { key } } })
  editor.onMessage({ type: 'names', of: { draft: draftIn(editor), key }, answer: names })
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
  t.match(own.commands.at(-1), { kind: 'edit-text', text: /"algorithm": "token"/ })
})

t.test('in lines: numbers mark names, and "open" takes them', async (t) => {
  const editor = onRoute({})
  pickIn(editor, 'Events', 'events')
  t.match(changesSaid(undefined, editor.state()).at(-1), /a word after a colon: :open, :back\.$/)
  editor.say('3')
  editor.say('4')
  t.match(changesSaid(undefined, editor.state()).join('\n'), /3 of 4: push, GitHub, chosen\n4 of 4: Push Hook, GitLab, chosen/)
  editor.say(':open')
  t.same(draftIn(editor).spec.events, ['push', 'Push Hook'])
})

t.test('the service offers the schemes, and the events of the sender that verify names', async (t) => {
  const text =
    'platforms: { webhook: { enabled: true, extra: { secret: "abcabcabcabcabcabc", routes: { a: { verify: gitlab }, b: {} } } } }\n'
  const dataDir = newFolder(t, { 'config.yaml': text })
  const finder = { find: async () => undefined, need: async () => Promise.reject(new Error('none')) }
  const service = createEditorService({ dataDir, env: {}, self: 'headgate' }, finder)
  const names = async (name: string, key: 'events' | 'verify') => service.names({ draft: draftOf(await service.open({ name })), key })
  const schemes = await names('a', 'verify')
  t.ok(['github', 'stripe', 'whatsapp', 'v2'].every((name) => schemes.some((each) => each.name === name)))
  const gitlab = await names('a', 'events')
  t.ok(gitlab.some(({ name }) => name === 'Push Hook'))
  t.notOk(gitlab.some(({ name }) => name === 'pull_request'))
  const all = await names('b', 'events')
  t.match(all[0], { name: 'pull_request', detail: /GitHub/ })
  t.ok(all.some(({ name }) => name === 'Push Hook'))
})

t.test('beside a field stands what it lacks, as validate says it, whether the field is set or not', async (t) => {
  const written = { prompt: 'p', payload_mismatch: 'warn', public_key: 'k', respond: { max_waiting: 3 } } as const
  const text = `platforms: { webhook: { enabled: true, extra: { secret: abcabcabcabcabcabc, routes: { pr: ${JSON.stringify(written)} } } } }\n`
  const dataDir = newFolder(t, { 'config.yaml': `agent: { runner: command, command: [cat] }\n${text}` })
  const finder = { find: async () => undefined, need: async () => Promise.reject(new Error('none')) }
  const service = createEditorService({ dataDir, env: {}, self: 'headgate' }, finder)
  const draft = draftOf(await service.open({ name: 'pr' }))
  const preview = await service.preview({ draft, revision: 0 })
  const editor = onRoute(draft.spec, { preview, size: { columns: 99, rows: 90 } })
  editor.press('z')
  const frame = editor.frame()
  t.match(preview.findings.map(({ message }) => message).join('\n'), /"payload_mismatch" has no effect without "payload_schema"/)
  t.match(frame, /warn \(has no effect without "payload_schema"\)/, 'a field that is set')
  t.match(frame, /Script time-out.*\(has no effect without "script"\)/i, 'a field that is not set')
  t.match(frame, /\(protects nothing without "verify"\)/)
  t.match(frame, /3 \(has no effect without "wait_seconds"\)/, 'a member of a group')
  t.match(preview.lacking, { '/agent/model': 'has no effect with the runner command' })
  const beside = onRoute(draft.spec, { preview, size: { columns: 100, rows: 60 } })
  const form = () =>
    beside
      .frame()
      .split('\n')
      .map((line) => line.split('│')[0]?.trim())
      .join(' ')
  const whole = /does not fit: has no effect without "payload_schema"/
  t.notMatch(form(), whole, 'a narrow form cuts the note')
  for (let down = 0; down < 30 && !whole.test(form()); down++) beside.press('j')
  t.match(form(), whole, 'it stands whole below the form while the cursor is on its row')
  t.match(changesSaid(undefined, editor.state()).join('\n'), /warn, has no effect without "payload_schema"/, 'in lines')
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
  t.match(editor.commands.at(-1), { kind: 'edit-text', text: /github\/push is accepted/ })
  editor.onMessage({ type: 'returned', id: 'test edit', value: 'no JSON' })
  t.match(editor.frame(), /a test is a JSON object; enter goes on with the text/)
  editor.press('enter')
  t.match(editor.commands.at(-1), { kind: 'edit-text', text: 'no JSON' })
  editor.press('K', 'd', 'd')
  t.same(draftIn(editor).spec, {})
  editor.press('enter')
  t.match(editor.frame(), 'there is no test yet: a makes one of the payload')
  t.notMatch(editor.commands.at(-1), { text: '' }, 'no empty text is opened')
  const locked = onRoute(written, { options: { ...options, readOnly: true } })
  goTo(locked, 'Tests')
  locked.press('enter')
  t.match(locked.frame(), /> a draft/, 'they are read with --read-only, too')
})

const written = {
  description: '5',
  enabled: false,
  profile: 'default',
  tests: [{ name: 'a' }],
  allow_from: ['192.0.2.0/24', '10.0.0.1'],
  client_certificate: { header: 'X-A', equals: ['a', 'b'] },
  secrets: ['with, a comma', 'and-another-one'],
  verify: 'github',
  public_key: ['one', 'two'],
  events: ['push', 'a, b'],
  filters: [{ field: 'a', equals: '5' }, { field: 'b', in: [1, '2'] }, { not: { field: 'c', equals: true } }, { jsonata: 'x = 1' }],
  script_timeout_seconds: 5,
  prompt: 'one\n\ntwo\n',
  deliver: ['log', { target: 'http', deliver_extra: { url: 'http://a/', headers: { 'X-A': 'b' } } }],
  deliver_mode: 'first_success',
  respond: { body: '' },
  agent: { timeout_seconds: 5, budget: { tokens: 5 } },
  skills: ['a, b', 'c'],
  coalesce: { key: 'number', keep: 'last' },
  mirror_to_session: false,
} as const

/** Opens whatever enter opens, and takes what stands there. */
const lookAt = (editor: Driver): void => {
  const [asked, depth] = [editor.commands.length, editor.state().screens.length]
  editor.press('enter')
  for (const command of editor.commands.slice(asked)) {
    if (command.kind === 'edit-text') editor.onMessage({ type: 'returned', id: command.id, value: `${command.text.replace(/\n$/, '')}\n` })
    if (command.kind !== 'ask' || command.question.ask !== 'names') continue
    editor.onMessage({ type: 'names', of: command.question.of, answer: offered })
    editor.press('enter')
  }
  const { kind } = editor.state().screens.at(-1) ?? {}
  if (kind === 'entry' || kind === 'pick' || kind === 'choose') editor.press('enter')
  while (editor.state().screens.length > depth) editor.press('esc')
}

t.test('to look at a field changes nothing, whatever is set in it or not', async (t) => {
  for (const spec of [written, { ...written, deliver: 'log', verify: ['github', 'gitlab'] }, {}]) {
    const editor = onRoute(JSON.parse(JSON.stringify(spec)))
    let rows = 0
    for (let last = ''; last !== editor.frame() && rows < 99; rows++) {
      last = editor.frame()
      lookAt(editor)
      t.same(draftIn(editor).spec, spec, last.match(/^> .*/m)?.[0] ?? '')
      t.equal(draftIn(editor).past.length, 0)
      editor.press('down')
    }
    t.ok(rows > 30, `${rows} rows`)
  }
})

t.test('to look at a condition, a prompt in $EDITOR or a target changes nothing', async (t) => {
  const spec = JSON.parse(JSON.stringify(written)) as OpenedRoute['written']
  const editor = onRoute(spec)
  goTo(editor, 'Filters')
  editor.press('enter')
  for (const key of ['enter', 'o', 'v', '^g']) {
    for (let row = 0; row < 4; row++) {
      const [asked, depth] = [editor.commands.length, editor.state().screens.length]
      editor.press('home', ...Array.from({ length: row }, () => 'down'), key)
      for (const command of editor.commands.slice(asked))
        if (command.kind === 'edit-text') editor.onMessage({ type: 'returned', id: command.id, value: command.text })
      if (editor.state().screens.length > depth) editor.press('enter')
      while (editor.state().screens.length > depth) editor.press('esc')
      t.same(draftIn(editor).spec, spec, `${key} on row ${row}`)
    }
  }
  editor.press('esc')
  goTo(editor, 'Prompt')
  editor.press('enter', '^g')
  editor.onMessage({ type: 'returned', id: 'prompt', value: 'one\n\ntwo\n' })
  editor.press('esc')
  t.equal(draftIn(editor).past.length, 0)
})

t.test('a group is unfolded, not set: its first member makes it', async (t) => {
  const editor = onRoute({})
  goTo(editor, 'Coalesce')
  t.match(editor.frame(), /> Coalesce +- \.\.\./)
  editor.press('enter')
  t.match(editor.frame(), /> Coalesce +-\s+Key +- needed\s+Quiet time +- \(30\)/)
  editor.press('down', 'enter')
  editor.type('number')
  editor.press('enter')
  t.same(draftIn(editor).spec, { coalesce: { key: 'number' } })
  editor.press('up', 'enter')
  t.match(editor.frame(), /> Coalesce +set \.\.\.\s+Key +number/)
  goTo(editor, 'Agent')
  editor.press('enter')
  goTo(editor, '  Budget')
  editor.press('enter', 'down', 'enter')
  editor.type('5')
  editor.press('enter')
  t.match(draftIn(editor).spec.agent, { budget: Object })
})

t.test('the form has sections: what is set is shown, the rest is folded until it is asked for', async (t) => {
  const editor = onRoute({ prompt: 'p', coalesce: { key: 'number' }, skills: ['a'] }, { size: { columns: 99, rows: 84 } })
  const titles = (): readonly string[] =>
    [...editor.frame().matchAll(/^[> ] ([-+ ] )?([A-Z][\w-]+(?: \w+)?)/gm)].map(([, , title = '']) => title.trim())
  t.same(titles(), [
    ...['Mode', 'Description', 'Enabled', 'Tests', 'ARRIVES', 'Events', 'Verify', 'Secret'],
    ...['RULES', 'Filters', 'WORK', 'Prompt', 'Skills', 'DELIVERY', 'Deliver', 'LIMITS', 'Coalesce', 'Key'],
  ])
  t.match(editor.frame(), /\+ ARRIVES ─+ 17 not set/)
  goTo(editor, '+ RULES')
  editor.press('enter', 'down', 'down')
  t.match(editor.frame(), /- RULES ─+ *\n +Filters +-\s+> Payload schema +-/)
  editor.press('up', 'up', 'enter')
  t.same(titles().includes('Script'), false)
  editor.press('z')
  t.match(editor.frame(), /- RULES[\s\S]*Script +-/)
  t.match(editor.frame(), /> - RULES/, 'the cursor stays on its row')
  goTo(editor, 'Script ')
  editor.press('z')
  t.match(editor.frame(), /> \+ RULES/, 'or goes to the heading')
  t.notOk(isModified(draftIn(editor)))
  const said = changesSaid(undefined, editor.state()).join('\n')
  t.match(said, /Section rules, 5 not set/)
  editor.say('fold')
  t.match(changesSaid(undefined, editor.state()).join('\n'), /Section rules, unfolded/)
})

t.test('/ finds a row on every screen with rows: what is folded too, and n and N go on', async (t) => {
  const editor = onRoute({ prompt: 'p', filters: ['a', 'b', 'needle', 'c', 'needle.two'].map((field) => ({ field, exists: true })) })
  editor.press('/')
  editor.type('retr')
  t.match(editor.frame(), /> Retry +- \.\.\./)
  t.match(editor.frame(), /^\/retr/m)
  editor.type('zzz')
  t.match(editor.frame(), /\/retrzzz +nothing found/)
  editor.press('esc')
  t.match(editor.frame(), /> Mode[\s\S]*\+ LIMITS/, 'as it was before')
  editor.press('/')
  editor.type('filters')
  editor.press('enter', 'enter', '/')
  editor.type('NEEDLE')
  t.match(editor.frame(), /> .*needle exists/)
  editor.press('enter', 'n')
  t.match(editor.frame(), /> .*needle\.two exists/)
  editor.press('n')
  t.match(editor.frame(), /> .*needle exists/, 'round and round')
  editor.press('N')
  t.match(editor.frame(), /> .*needle\.two exists/)
  editor.press('esc')
  t.equal(editor.state().screens.at(-1)?.kind, 'filters', 'esc ends the search first')
  editor.press('esc')
  t.equal(editor.state().screens.at(-1)?.kind, 'route')
  t.notOk(editor.state().search, 'a search is about one screen')
  t.notOk(isModified(draftIn(editor)))
})

t.test('in lines: "find" takes a text, and says the row', async (t) => {
  const editor = onRoute({ prompt: 'p' })
  const said = (text: string): readonly string[] => {
    const before = editor.state()
    editor.say(text)
    return changesSaid(before, editor.state())
  }
  t.same(said('find'), ['Type what to look for and press enter.'])
  t.match(said('retry'), [/^\d+ of \d+: Retry: not set, folded$/])
  t.same(said('find'), ['Type what to look for and press enter.'])
  t.same(said('nowhere'), ['Nothing found.'])
})
