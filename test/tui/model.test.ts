/** The editor by keys: its route screen, prompt, live view, help, palette, the way out, and the same in sentences. */

import t from 'tap'
import { actions } from '../../src/edit/actions.ts'
import { draftOf, type OpenedRoute } from '../../src/edit/draft/route-draft.ts'
import type { Payload, Preview } from '../../src/edit/service.ts'
import type { TrafficLine } from '../../src/generated/control.ts'
import { type EntryScreen, entryScreen, pickScreen } from '../../src/tui/model/overlays.ts'
import { homeScreen } from '../../src/tui/screens/home/home.ts'
import { openRouteScreen } from '../../src/tui/screens/route/route.ts'
import { changesSaid, takesSecret, typedMeaning } from '../../src/tui/spoken/spoken.ts'
import { driver, options, routeRow, stateOf } from './keys.ts'

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
  choice: { from: 'text', text: '{}' },
  title: 'pasted',
  body: '{}',
  bytes: 2,
  headers: {},
  values: [
    { path: 'pull_request.title', type: 'string', shown: '"Fix it"' },
    { path: 'pull_request.number', type: 'number', shown: '7' },
    { path: 'headers.X-One', type: 'string', shown: '"1"' },
    { path: 'event', type: 'string', shown: '"pull_request"' },
  ],
}

const preview = (revision: number, more: Partial<Preview> = {}): Preview => ({
  revision,
  findings: [],
  fixes: [],
  places: [],
  yaml: 'pr:\n  prompt: p',
  tallies: {},
  ...more,
})

const onRoute = (written: OpenedRoute['written'], more = {}) =>
  driver({
    ...stateOf(homeScreen, { draft: draftOf(opened(written)), payload, size: { columns: 99, rows: 40 }, ...more }),
    screens: [homeScreen, openRouteScreen()],
  })

type Driver = ReturnType<typeof onRoute>
const spec = (editor: Driver) => editor.state().world.draft?.spec
const titleOf = (editor: Driver): string => editor.frame().split('\n')[0]?.trim() ?? ''

const titleSaid = (editor: Driver): string => changesSaid(undefined, editor.state())[0] ?? ''

/** Moves from the top to the row of the form that begins so; what is not set is shown where it must be. */
const goTo = (editor: Driver, title: string): void => {
  for (const keys of [['g'], ['z', 'g']]) {
    editor.press(...keys)
    for (let i = 0; i < 60 && !editor.frame().includes(`> ${title}`); i++) editor.press('down')
    if (editor.frame().includes(`> ${title}`)) return
  }
}

t.test('the mode excludes what stops the start', async (t) => {
  const editor = onRoute({ prompt: 'p', coalesce: { key: 'number' } })
  editor.press('right')
  t.same(spec(editor), { prompt: 'p', coalesce: { key: 'number' } })
  t.match(editor.frame(), /! coalesce does not go with mode direct/)
  goTo(editor, 'Coalesce')
  editor.press('d', 'g', 'right')
  t.same(spec(editor), { prompt: 'p', deliver_only: true })
  editor.press('right')
  t.same(spec(editor), { prompt: 'p', cron_job: 'job-name' })
  t.match(editor.frame(), /Deliver +.*has no effect with cron_job/)
})

t.test('every change is one step, and each can be taken back and again', async (t) => {
  const editor = onRoute({ prompt: 'p' })
  goTo(editor, 'Description')
  editor.press('enter')
  editor.type('For people')
  editor.press('enter')
  goTo(editor, 'Enabled')
  editor.press('space')
  t.same(spec(editor), { prompt: 'p', description: 'For people', enabled: false })
  t.match(titleOf(editor), /pr \*modified\*/)
  editor.press('u', 'u', 'u')
  t.same(spec(editor), { prompt: 'p' })
  t.notMatch(titleOf(editor), /modified/)
  editor.press('^r')
  t.same(spec(editor), { prompt: 'p', description: 'For people' })
  const asked = editor.commands.filter((command) => command.kind === 'ask' && command.question.ask === 'preview')
  t.equal(asked.length, 5, 'a preview for each state')
})

t.test('a preview of an older state is not shown', async (t) => {
  const editor = onRoute({ prompt: 'p' })
  goTo(editor, 'Enabled')
  editor.press('space')
  const { revision } = editor.state().world
  const told = (number: number) =>
    editor.onMessage({ type: 'preview', of: {} as never, answer: preview(number, { untraced: `of ${number}` }) })
  editor.press('tab')
  told(revision - 1)
  t.notMatch(editor.frame(), /of \d/)
  told(revision)
  t.match(editor.frame(), new RegExp(`of ${revision}`))
})

t.test('toolsets are shown and never edited; secrets are never shown', async (t) => {
  const editor = onRoute({ prompt: 'p', toolsets: ['web_search'], secret: 'do-not-show-this-secret' })
  goTo(editor, 'Toolsets')
  t.match(editor.frame(), /Toolsets +web_search \(set by hand in the file only\)/)
  for (const key of ['enter', 'd', 'space']) {
    editor.press(key)
    t.same(spec(editor)?.toolsets, ['web_search'], key)
  }
  t.notMatch(editor.frame(), /do-not-show/)
  t.match(editor.frame(), /set here, fp [0-9a-f]{8}/)
  const named = onRoute({ prompt: 'p', secret: 'credential:webhook' })
  goTo(named, 'Secret')
  t.match(named.frame(), /credential:webhook/, 'the name of a credential is no secret')
})

t.test('read-only: nothing changes, is written or is sent', async (t) => {
  const editor = onRoute({ prompt: 'p', filters: [{ field: 'a', equals: 1 }] }, { options: { ...options, readOnly: true } })
  for (let i = 0; i < 25; i++) editor.press('enter', 'esc', 'd', 'space', 'f', 'w', 't', 'down', 'right', 'u')
  t.same(spec(editor), { prompt: 'p', filters: [{ field: 'a', equals: 1 }] })
  const writing = ['save', 'test', 'testTarget', 'replay', 'addSample', 'addTest', 'create', 'keepDraft']
  t.same(
    editor.commands.filter((command) => command.kind === 'ask' && writing.includes(command.question.ask)),
    [],
  )
})

t.test('the prompt is one step, with paths behind a brace', async (t) => {
  const editor = onRoute({ prompt: 'About ' })
  goTo(editor, 'Prompt')
  editor.press('enter')
  editor.type('{')
  t.match(editor.frame(), /event_type +"/, 'the type of the event has the name that a template knows')
  t.notMatch(editor.frame(), /^.?event +"/m)
  editor.type('tit')
  t.match(editor.frame(), /pull_request\.title +"Fix it"/)
  t.notMatch(editor.frame(), /headers\.X-One/, 'a template sees the payload alone')
  editor.press('enter', 'enter')
  editor.type('more')
  t.same(spec(editor), { prompt: 'About {pull_request.title}\nmore' })
  editor.press('esc')
  t.equal(editor.state().world.draft?.past.length, 1)
  editor.press('u')
  t.same(spec(editor), { prompt: 'About ' })
})

t.test('quitting asks where changes would be lost; ^c twice keeps a draft', async (t) => {
  const clean = onRoute({ prompt: 'p' })
  clean.press('q')
  t.same(clean.commands.at(-1), { kind: 'quit' })
  const changed = (): Driver => {
    const editor = onRoute({ prompt: 'p' })
    goTo(editor, 'Enabled')
    editor.press('space')
    return editor
  }
  const careful = changed()
  careful.press('q')
  t.match(careful.frame(), /"pr" has changes that are not saved/)
  t.match(careful.frame(), /> Cancel/)
  careful.press('enter')
  t.notOk(careful.commands.some(({ kind }) => kind === 'quit'))
  careful.press('q', 'up', 'enter')
  t.same(
    careful.commands.slice(-2).map((command) => (command.kind === 'ask' ? command.question.ask : command.kind)),
    ['dropDraft', 'quit'],
  )
  const hasty = changed()
  hasty.press('^c', '^c')
  t.same(
    hasty.commands.slice(-2).map((command) => (command.kind === 'ask' ? command.question.ask : command.kind)),
    ['keepDraft', 'quit'],
  )
})

t.test('help and palette have every action of the screen', async (t) => {
  const editor = onRoute({ prompt: 'p' })
  editor.press('?')
  t.match(editor.frame(), /w \^s +save/)
  editor.press('esc', ':')
  editor.type('what changed')
  t.match(editor.frame(), /show what changed/)
  editor.press('enter')
  t.equal(editor.state().screens.at(-1)?.kind, 'save')
})

t.test('no two actions of one screen have one key, but for those that count first', async (t) => {
  const bad = Object.values(actions).flatMap(({ keys }) => keys.filter((key) => /^\^[imh[]$/.test(key)))
  t.same(bad, [], 'these are tab, enter, backspace and escape')
})

const whose = { at: '2026-11-22T10:00:00.000Z', event_id: 'e1', profile: 'default', route: 'pr', event_type: 'push', delivery_id: 'd1' }
const traffic = (more: Partial<TrafficLine>): TrafficLine => ({ ...whose, ...more }) as TrafficLine

t.test('live: the newest is followed until the cursor moves', async (t) => {
  const editor = onRoute({ prompt: 'p' })
  editor.resize(160, 30)
  editor.press('L')
  t.same(editor.commands.at(-1), { kind: 'watch', route: 'pr' })
  editor.onMessage({ type: 'watching', state: 'open' })
  const arrive = (id: string, outcome: string) => {
    editor.onMessage({ type: 'traffic', line: traffic({ event_id: id, type: 'event', bytes: 2, remote: null }) })
    editor.onMessage({
      type: 'traffic',
      line: traffic({
        event_id: id,
        type: 'outcome',
        status: 200,
        outcome,
        stage: 'filters',
        duration_ms: 1,
        reason: 'filters[0] a',
        target: null,
      }),
    })
  }
  arrive('e1', 'ignored')
  arrive('e2', 'accepted')
  t.match(editor.frame(), /following/)
  t.match(editor.frame(), /> 10:00:00 pr +push +200 accepted/)
  editor.press('up')
  t.match(editor.frame(), /stopped: G follows again/)
  arrive('e3', 'accepted')
  t.match(editor.frame(), /> 10:00:00 pr +push +200 ignored: filters\[0\] a/)
  editor.press('r')
  t.same(editor.commands.at(-1), { kind: 'ask', question: { ask: 'replay', of: { eventId: 'e1' } } })
  editor.press('G')
  t.match(editor.frame(), /following/)
  editor.press('esc')
  t.same(editor.commands.at(-1), { kind: 'unwatch' })
})

t.test('in sentences: numbers choose, words act, and only what changed is told', async (t) => {
  const editor = onRoute({ prompt: 'p', filters: [{ field: 'a', equals: 1 }] })
  const first = changesSaid(undefined, editor.state())
  t.match(first.join('\n'), /^pr\.\n1 of \d+: Mode: agent/)
  t.notMatch(first.join('\n'), /[│─…]/)
  const before = editor.state()
  goTo(editor, 'Enabled')
  editor.press('space')
  t.match(changesSaid(before, editor.state()).join('\n'), /Enabled: false/)
  t.match(typedMeaning('save', editor.state()), { inputs: [{ kind: 'action', action: 'save' }] })
  t.match(typedMeaning('undo', editor.state()), { inputs: [{ kind: 'action', action: 'undo' }] })
  t.match(typedMeaning('2', editor.state()), {
    inputs: [
      { kind: 'point', row: 1 },
      { kind: 'action', action: 'open' },
    ],
  })
  t.match(typedMeaning('99', editor.state()), { say: [/There are \d+ rows/] })
  t.match(typedMeaning('frobnicate', editor.state()), { say: [/No "frobnicate" here/] })
  goTo(editor, 'Description')
  editor.press('enter')
  t.match(typedMeaning('a text', editor.state()), {
    inputs: [
      { kind: 'line', text: 'a text' },
      { kind: 'action', action: 'open' },
    ],
  })
  editor.say('a text')
  t.equal(spec(editor)?.description, 'a text')
})

t.test('in lines: panes are words, a prompt is written line by line, and findings and results are told', async (t) => {
  t.same(changesSaid(undefined, stateOf(homeScreen)), ['Reading the routes.'])
  const editor = onRoute({ prompt: 'one\ntwo\n' })
  editor.say('payload')
  t.match(changesSaid(undefined, editor.state()).join('\n'), /^payload of pr, samples\.[\s\S]* recorded, file, paste, edit\.$/)
  for (const pane of ['edit', 'Recorded', 'paste', ':samples']) {
    editor.say(pane)
    t.match(titleSaid(editor), `payload of pr, ${pane.replace(':', '').toLowerCase()}.`)
  }
  editor.say('back')

  goTo(editor, 'Prompt')
  editor.press('enter')
  t.match(
    changesSaid(undefined, editor.state()).join('\n'),
    /1 of 3: one\n2 of 3: two\n3 of 3: a new line\nType the text .* :back, :edit text\.$/,
  )
  editor.say('2')
  editor.say('second {title')
  t.match(changesSaid(undefined, editor.state()).join('\n'), /1 of 1: pull_request\.title: "Fix it"/)
  editor.say('1')
  editor.say('3')
  editor.say('third')
  t.equal(spec(editor)?.prompt, 'one\nsecond {pull_request.title}\nthird\n')
  const before = editor.state()
  const { revision } = before.world
  const finding = { code: 'WH501', severity: 'warning', message: 'no value', help: 'use title', pointer: '' }
  const prompt = { text: 'one\nsecond', unresolved: ['{x}'], cuts: [] }
  editor.onMessage({ type: 'preview', of: {} as never, answer: preview(revision, { findings: [finding] as never, prompt }) })
  t.same(changesSaid(before, editor.state()), [
    'warning WH501: no value - use title',
    'It becomes 10 characters, without a value: {x}:',
    'one',
    'second',
  ])
  const found = editor.state()
  editor.onMessage({ type: 'preview', of: {} as never, answer: preview(revision, { prompt }) })
  t.same(changesSaid(found, editor.state()), ['No findings any more.'])
})

t.test('in lines: a number on the screen of saving writes nothing, and an answer is a word, too', async (t) => {
  const editor = onRoute({ prompt: 'p' })
  goTo(editor, 'Enabled')
  editor.press('space')
  editor.say('save')
  const diff = [{ head: '@@ -1 +1 @@', lines: [{ kind: 'added', text: 'enabled: false' }] }]
  editor.onMessage({ type: 'plan', of: {} as never, answer: { file: '/data/config.yaml', findings: [], diff } as never })
  t.match(
    changesSaid(undefined, editor.state()).join('\n'),
    /2 of 2: added: enabled: false\n"save" writes \/data\/config\.yaml\.\nType a word: /,
  )
  const asked = editor.commands.length
  editor.say('2')
  t.equal(editor.commands.length, asked)
  editor.say('back')
  editor.say('quit')
  editor.say('cancel')
  t.equal(titleOf(editor).split('  ')[0], 'pr *modified*')
  editor.say('save')
  editor.onMessage({ type: 'plan', of: {} as never, answer: { file: '/data/config.yaml', findings: [], diff } as never })
  editor.say('save')
  t.match(editor.commands.at(-1), { kind: 'ask', question: { ask: 'save' } })
})

t.test('in lines: a list is narrowed anew by each line, and what is typed of a secret is not shown', async (t) => {
  const editor = onRoute({ prompt: 'p' })
  editor.say('palette')
  editor.say('undo')
  t.match(editor.frame(), /filter undo/)
  editor.say('what changed')
  t.match(editor.frame(), /filter what changed/, 'in the place of what was there')
  t.match(editor.frame(), /show what changed/)
  editor.say('no such action')
  t.match(changesSaid(undefined, editor.state()).join('\n'), /Nothing fits the filter\./i)
  editor.say(':back')
  editor.say(':back')
  editor.say('help')
  editor.say('undo')
  editor.say('trace')
  t.match(editor.frame(), /filter trace/)
  editor.say(':back')
  editor.say(':back')
  goTo(editor, 'Secret')
  editor.press('enter')
  t.ok(takesSecret(editor.state()))
  t.match(changesSaid(undefined, editor.state()).at(-1), /What you type is not shown\.$/)
})

t.test('the palette has the keys of the user', async (t) => {
  const editor = onRoute({ prompt: 'p' }, { options: { ...options, keymap: { ...options.keymap, undo: ['U'] } } })
  editor.press(':')
  editor.type('undo')
  t.match(editor.frame(), /undo +U/)
})

t.test('numbers jump to a pane, where there is one of that number', async (t) => {
  const editor = onRoute({ prompt: 'p', deliver: 'http' })
  editor.press('2')
  t.match(editor.frame(), /^TRACE/m)
  editor.press('3', '1')
  t.match(editor.frame(), /> Mode/)
  editor.press('p', '2')
  t.match(editor.frame(), /\[Recorded/)
  editor.press('1')
  t.match(editor.frame(), /\[Samples/)
  editor.press('esc', 'L', '3')
  t.equal((editor.state().screens.at(-1) as unknown as { pane: string }).pane, 'Body')
  editor.press('esc')
  goTo(editor, 'Deliver')
  editor.press('enter', '2')
  t.equal((editor.state().screens.at(-1) as unknown as { pane: string }).pane, 'settings')
})

t.test('every list that typing narrows has the same keys, the same message and the same way out', async (t) => {
  const home = { file: '/data/config.yaml', subscriptions: 0, rows: ['one-b', 'b'].map((name) => routeRow(name)) }
  const shown = { home, size: { columns: 100, rows: 30 } }
  const samples = ['one-b', 'b'].map((title) => ({
    ...{ title, detail: '', group: 'samples' as const, fits: true },
    choice: { from: 'sample' as const, name: title },
  }))
  const offered = ['one-b', 'b'].map((title) => ({ value: title, title }))
  const afterSlash = (editor: Driver): Driver => {
    editor.press('/')
    return editor
  }
  const atPayloads = (): Driver => {
    const editor = driver(stateOf(homeScreen, shown))
    editor.press('s')
    editor.onMessage({ type: 'payloads', of: { route: 'one-b' }, answer: samples })
    return editor
  }
  const lists: { readonly [kind: string]: () => Driver } = {
    home: () => afterSlash(driver(stateOf(homeScreen, shown))),
    payload: () => afterSlash(atPayloads()),
    pick: () => driver({ ...stateOf(homeScreen, shown), screens: [homeScreen, pickScreen('x', 'pick', offered)] }),
    help: () => {
      const editor = driver(stateOf(homeScreen, shown))
      editor.press('?')
      return editor
    },
  }
  for (const [kind, open] of Object.entries(lists)) {
    const editor = open()
    const isShown = (): boolean => editor.state().screens.at(-1)?.kind === kind
    editor.type('zzqq')
    t.match(editor.frame(), /filter zzqq[\s\S]*nothing fits the filter/, kind)
    editor.press('esc')
    t.ok(isShown(), `${kind}: esc shows all rows, and leaves nothing`)
    t.notMatch(editor.frame(), /zzqq|nothing fits/, kind)
    editor.press('esc')
    t.equal(isShown(), kind === 'home', `${kind}: then it leaves`)
    const other = open()
    other.type(kind === 'help' ? 'draw again' : 'b')
    t.match(other.frame(), kind === 'help' ? /> \^l +draw again/ : /> b /, `${kind}: the best row is the first`)
    other.press('pgdn')
    t.match(other.frame(), kind === 'help' ? /> \^l +draw again/ : /> one-b/, `${kind}: pages`)
  }
  for (const kind of ['home', 'payload']) {
    const editor = lists[kind]?.() as Driver
    editor.type('zzqq')
    editor.press('enter', 'esc')
    t.equal(editor.state().screens.at(-1)?.kind, kind, `${kind}: also after enter`)
    t.match(editor.frame(), /one-b/, kind)
  }
})

t.test('n and N go round the rows that a filter leaves, and mean nothing without one', async (t) => {
  const home = { file: '/data/config.yaml', subscriptions: 0, rows: ['fix-a', 'other', 'fix-b', 'fix-c'].map((name) => routeRow(name)) }
  const editor = driver(stateOf(homeScreen, { home }))
  editor.press('n')
  t.match(editor.frame(), /> fix-a/)
  editor.press('/')
  editor.type('fix')
  editor.press('enter', 'n', 'n')
  t.match(editor.frame(), /> fix-c/)
  editor.press('n')
  t.match(editor.frame(), /> fix-a/)
  editor.press('N')
  t.match(editor.frame(), /> fix-c/)
  editor.press('?')
  t.match(editor.frame(), /n +to the next row that fits/)
})

const stages = Array.from({ length: 12 }, (_, i) => ({ stage: `stage_${i}`, result: 'pass' as const }))
const traced = {
  stages,
  conditions: [],
  placeholders: [],
  notes: [],
  name: 'accepted',
  answer: { status: 202, body: 'ok' },
}

t.test('a trace is scrolled to its end and no further', async (t) => {
  const shown = { ...preview(0), trace: traced as unknown as NonNullable<Preview['trace']> }
  for (const open of ['T', '2']) {
    const editor = onRoute({ prompt: 'p' }, { preview: shown, size: { columns: 80, rows: 14 } })
    editor.press(open, ...Array.from({ length: 9 }, () => 'pgdn'))
    const last = editor.frame()
    t.match(last, /answer +202 ok/, open)
    editor.press('up')
    t.not(editor.frame(), last, `${open}: one row up is seen at once`)
  }
})

t.test('beside the filters stands how many hold, not what is below a "not"', async (t) => {
  const conditions = [
    { path: [0], stage: 'filters', holds: true },
    { path: [1], stage: 'filters', holds: true },
    { path: [1, 'not'], stage: 'filters', holds: false },
  ]
  const of = (judged: readonly object[]): string => {
    const trace = { ...traced, stages: [{ stage: 'filters', result: 'pass' }], conditions: judged }
    return onRoute({ prompt: 'p' }, { preview: { ...preview(0), trace }, size: { columns: 120, rows: 20 } }).frame()
  }
  t.match(of(conditions), /filters +ok +2\/2/)
  t.match(
    of([
      { path: [], stage: 'filters', holds: true },
      { path: ['not'], stage: 'filters', holds: false },
    ]),
    /filters +ok +1\/1/,
  )
  t.match(of([]), 'enter edit f fix w save')
})

t.test('the paths for a brace are fitted once for each key, and again for another payload', async (t) => {
  let reads = 0
  const counted: Payload = {
    ...payload,
    get values() {
      reads++
      return payload.values
    },
  }
  const editor = onRoute({ prompt: 'About ' }, { payload: counted })
  goTo(editor, 'Prompt')
  editor.press('enter')
  editor.type('{ti')
  reads = 0
  editor.type('t')
  t.match(editor.frame(), /pull_request\.title/)
  t.equal(reads, 1)
  const title = { path: 'issue.title', type: 'string', shown: '"Other"' }
  editor.onMessage({ type: 'payload', of: { choice: payload.choice, route: 'pr' }, answer: { ...payload, values: [title] } })
  t.match(editor.frame(), /issue\.title +"Other"/)
})

t.test('of a long list only the rows that are shown are made into lines', async (t) => {
  let made = 0
  const all = Array.from({ length: 2_000 }, (_, i) => ({
    value: String(i),
    title: `row ${i}`,
    get detail() {
      made++
      return 'detail'
    },
  }))
  const editor = driver({ ...stateOf(homeScreen), screens: [homeScreen, pickScreen('one', 'one of many', all)] })
  t.match(editor.frame(), /> row 0 +detail/)
  t.ok(made < 60, `${made}`)
})

t.test('keys in a text move over characters as people see them', async (t) => {
  const editor = driver({ ...stateOf(homeScreen), screens: [homeScreen, entryScreen('one', 'a line')] })
  const text = (): string => (editor.state().screens.at(-1) as EntryScreen).field.text
  editor.paste('ab e\u0301👍🏽')
  editor.press('backspace')
  t.equal(text(), 'ab e\u0301')
  editor.press('left', 'delete')
  t.equal(text(), 'ab ')
  editor.press('left', 'left', 'delete')
  t.equal(text(), 'a ')
  editor.press('right', 'right', 'backspace', 'backspace', 'backspace', 'delete')
  t.equal(text(), '')
})

t.test('live of all routes: from the list, and A changes between all of them and one', async (t) => {
  const home = { file: '/data/config.yaml', subscriptions: 0, rows: ['pr', 'other'].map((name) => routeRow(name)) }
  const editor = driver(stateOf(homeScreen, { home, size: { columns: 140, rows: 30 } }))
  editor.press('L')
  t.same(editor.commands.at(-1), { kind: 'watch' })
  t.match(editor.frame(), /live: all routes/)
  editor.press('A')
  t.same(editor.commands.at(-1), { kind: 'watch', route: 'pr' }, 'without an event the route of the list')
  editor.press('A')
  editor.onMessage({ type: 'watching', state: 'open' })
  const arrive = (id: string, route: string, profile = 'default') =>
    editor.onMessage({ type: 'traffic', line: traffic({ event_id: id, route, profile, type: 'event', bytes: 2, remote: null }) })
  arrive('e1', 'pr')
  arrive('e2', 'other')
  arrive('e3', 'pr')
  t.match(editor.frame(), /TIME +ROUTE +EVENT +ANSWER[\s\S]* pr +push[\s\S]* other +push[\s\S]*> 10:00:00 pr +push/)
  editor.press('up', 'A')
  t.same(editor.commands.filter(({ kind }) => kind === 'watch').at(-1), { kind: 'watch', route: 'other' })
  t.match(editor.frame(), /live: other/)
  t.notMatch(editor.frame(), / pr +push/)
  const ops = driver(stateOf(homeScreen, { home, options: { ...options, profile: 'ops' } }))
  ops.press('L')
  ops.onMessage({ type: 'watching', state: 'open' })
  for (const profile of ['default', 'ops'])
    ops.onMessage({ type: 'traffic', line: traffic({ event_id: profile, route: profile, profile, type: 'event', bytes: 2, remote: null }) })
  t.match(ops.frame(), /> 10:00:00 ops/)
  t.notMatch(ops.frame(), '10:00:00 default')
})
