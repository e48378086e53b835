/** The editor by keys: its route screen, prompt, live view, help, palette, the way out, and the same in sentences. */

import t from 'tap'
import type { Payload, Preview } from '../../src/app/editor/desk.ts'
import { draftOf, type OpenedRoute } from '../../src/app/editor/draft/route-draft.ts'
import type { Traffic } from '../../src/app/live/traffic.ts'
import { actions } from '../../src/tui/model/actions.ts'
import { homeScreen } from '../../src/tui/screens/home/home.ts'
import { openRoute } from '../../src/tui/screens/route/route.ts'
import { meaningOf, tell } from '../../src/tui/spoken/spoken.ts'
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
  choice: { from: 'text', text: '{}' },
  title: 'pasted',
  body: '{}',
  bytes: 2,
  headers: {},
  values: [
    { path: 'pull_request.title', type: 'string', shown: '"Fix it"' },
    { path: 'pull_request.number', type: 'number', shown: '7' },
    { path: 'headers.X-One', type: 'string', shown: '"1"' },
  ],
}

const preview = (revision: number, more: Partial<Preview> = {}): Preview => ({
  revision,
  findings: [],
  fixes: [],
  yaml: 'pr:\n  prompt: p',
  tallies: {},
  ...more,
})

const onRoute = (written: OpenedRoute['written'], more = {}) =>
  driver({
    ...stateOf(homeScreen, { draft: draftOf(opened(written)), payload, size: { columns: 99, rows: 40 }, ...more }),
    screens: [homeScreen, openRoute()],
  })

type Driver = ReturnType<typeof onRoute>
const spec = (editor: Driver) => editor.state().world.draft?.spec
const titleOf = (editor: Driver): string => editor.frame().split('\n')[0]?.trim() ?? ''

/** Moves from the top to the row of the form that begins so. */
const goTo = (editor: Driver, title: string): void => {
  editor.press('g')
  for (let i = 0; i < 60 && !editor.frame().includes(`> ${title}`); i++) editor.press('down')
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
  const asked = editor.wishes.filter((wish) => wish.kind === 'ask' && wish.question.ask === 'preview')
  t.equal(asked.length, 5, 'a preview for each state')
})

t.test('a preview of an older state is not shown', async (t) => {
  const editor = onRoute({ prompt: 'p' })
  goTo(editor, 'Enabled')
  editor.press('space')
  const { revision } = editor.state().world
  const told = (number: number) => editor.hear({ told: 'preview', of: {} as never, answer: preview(number, { untraced: `of ${number}` }) })
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
})

t.test('read-only: nothing changes, is written or is sent', async (t) => {
  const editor = onRoute({ prompt: 'p', filters: [{ field: 'a', equals: 1 }] }, { options: { ...options, readOnly: true } })
  for (let i = 0; i < 25; i++) editor.press('enter', 'esc', 'd', 'space', 'f', 'w', 't', 'down', 'right', 'u')
  t.same(spec(editor), { prompt: 'p', filters: [{ field: 'a', equals: 1 }] })
  const writing = ['save', 'remove', 'switch', 'test', 'testTarget', 'replay', 'addSample', 'addTest', 'create', 'keepDraft']
  t.same(
    editor.wishes.filter((wish) => wish.kind === 'ask' && writing.includes(wish.question.ask)),
    [],
  )
})

t.test('the prompt is one step, with paths behind a brace', async (t) => {
  const editor = onRoute({ prompt: 'About ' })
  goTo(editor, 'Prompt')
  editor.press('enter')
  editor.type('{tit')
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
  t.same(clean.wishes.at(-1), { kind: 'quit' })
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
  t.notOk(careful.wishes.some(({ kind }) => kind === 'quit'))
  careful.press('q', 'up', 'enter')
  t.same(
    careful.wishes.slice(-2).map((wish) => (wish.kind === 'ask' ? wish.question.ask : wish.kind)),
    ['dropDraft', 'quit'],
  )
  const hasty = changed()
  hasty.press('^c', '^c')
  t.same(
    hasty.wishes.slice(-2).map((wish) => (wish.kind === 'ask' ? wish.question.ask : wish.kind)),
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
const traffic = (more: Partial<Traffic>): Traffic => ({ ...whose, ...more }) as Traffic

t.test('live: the newest is followed until the cursor moves', async (t) => {
  const editor = onRoute({ prompt: 'p' })
  editor.resize(160, 30)
  editor.press('L')
  t.same(editor.wishes.at(-1), { kind: 'watch', route: 'pr' })
  editor.hear({ told: 'watching', state: 'open' })
  const arrive = (id: string, outcome: string) => {
    editor.hear({ told: 'traffic', line: traffic({ event_id: id, type: 'event', bytes: 2, remote: null }) })
    editor.hear({
      told: 'traffic',
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
  t.same(editor.wishes.at(-1), { kind: 'ask', question: { ask: 'replay', of: { eventId: 'e1' } } })
  editor.press('G')
  t.match(editor.frame(), /following/)
  editor.press('esc')
  t.same(editor.wishes.at(-1), { kind: 'unwatch' })
})

t.test('in sentences: numbers choose, words act, and only what changed is told', async (t) => {
  const editor = onRoute({ prompt: 'p', filters: [{ field: 'a', equals: 1 }] })
  const first = tell(undefined, editor.state())
  t.match(first.join('\n'), /^pr\.\n1 of \d+: Mode: agent/)
  t.notMatch(first.join('\n'), /[│─…]/)
  const before = editor.state()
  goTo(editor, 'Enabled')
  editor.press('space')
  t.match(tell(before, editor.state()).join('\n'), /Enabled: false/)
  t.match(meaningOf('save', editor.state()), { inputs: [{ kind: 'action', action: 'save' }] })
  t.match(meaningOf('undo', editor.state()), { inputs: [{ kind: 'action', action: 'undo' }] })
  t.match(meaningOf('2', editor.state()), {
    inputs: [
      { kind: 'point', row: 1 },
      { kind: 'action', action: 'open' },
    ],
  })
  t.match(meaningOf('99', editor.state()), { say: [/There are \d+ rows/] })
  t.match(meaningOf('frobnicate', editor.state()), { say: [/No "frobnicate" here/] })
  goTo(editor, 'Description')
  editor.press('enter')
  t.match(meaningOf('a text', editor.state()), {
    inputs: [{ kind: 'key' }, { kind: 'key' }, { kind: 'paste', text: 'a text' }, { kind: 'action', action: 'open' }],
  })
})
