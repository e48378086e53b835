/** Saving in the editor: what is shown before, what is asked, and where one is afterwards. */

import t from 'tap'
import type { YamlEdit } from '../../src/config/yaml/edit/yaml-edit.ts'
import { diagnostic } from '../../src/core/diagnostic.ts'
import type { Hunk } from '../../src/datadir/line-diff.ts'
import {
  change,
  draftAfter,
  draftOf,
  isModified,
  type OpenedRoute,
  type RouteDraft,
  redo,
  rewritten,
  undo,
} from '../../src/edit/draft/route-draft.ts'
import { textChange } from '../../src/edit/draft/route-text.ts'
import type { SavePlan } from '../../src/edit/service.ts'
import { createDraftKeeper } from '../../src/tui/keep-drafts.ts'
import { changedDrafts } from '../../src/tui/model/pending.ts'
import type { World } from '../../src/tui/model/screen.ts'
import { actionsNow, type EditorState, reduce, top } from '../../src/tui/model/state.ts'
import { homeScreen } from '../../src/tui/screens/home/home.ts'
import { models } from '../../src/tui/screens/index.ts'
import { openRouteScreen } from '../../src/tui/screens/route/route.ts'
import { until } from '../fakes/wait.ts'
import { driver, options, routeRow, stateOf } from './keys.ts'

const opened: OpenedRoute = {
  name: 'pr-review',
  source: 'config',
  file: '/data/config.yaml',
  text: 'platforms: {}\n',
  base: ['platforms', 'webhook', 'routes', 'pr-review'],
  written: { prompt: 'a', secret: 'x' },
  isNew: false,
}
const draft = change(draftOf(opened), 'set prompt', [{ kind: 'set', path: ['prompt'], value: 'b' }])
const hunk = (before: string, after: string): Hunk => ({
  head: '@@ -4,3 +4,3 @@',
  lines: [
    { kind: 'same', text: 'routes:' },
    { kind: 'removed', text: `  prompt: ${before}` },
    { kind: 'added', text: `  prompt: ${after}` },
  ],
})
const plan: SavePlan = { file: '/data/config.yaml', diff: [hunk('a', 'b')], findings: [], stops: false }
const error = diagnostic('WH601', 'script gone.py is not there', { help: 'put it into scripts/' })

const onRoute = (world: Partial<World> = {}): EditorState => ({
  ...stateOf(homeScreen, { draft, ...world }),
  screens: [homeScreen, openRouteScreen()],
})

/** The editor with the plan on the screen. */
const planned = (given: Partial<SavePlan> = {}, keys: readonly string[] = ['w']) => {
  const editor = driver(onRoute())
  editor.press(...keys)
  const answer = { ...plan, ...given }
  editor.onMessage({ type: 'plan', of: { draft }, answer })
  return {
    ...editor,
    asked: () => editor.commands.flatMap((command) => (command.kind === 'ask' ? [command.question] : [])).filter(isOfSaving),
  }
}
const isOfSaving = ({ ask }: { readonly ask: string }): boolean => !['preview', 'home'].includes(ask)

const now: RouteDraft['opened'] = { ...opened, text: 'new\n', written: { prompt: 'b' } }
const saved = {
  type: 'save',
  of: { draft, despiteErrors: false },
  answer: { ok: true, opened: now, notices: ['saved config.yaml', 'taken over'] },
} as const

t.test('w shows the diff, enter writes it, and nothing is changed any more', async (t) => {
  const waiting = driver(onRoute())
  waiting.press('w')
  t.match(waiting.frame(), 'checking what would be written')
  waiting.press('enter', 'W')
  t.strictSame(waiting.commands, [{ kind: 'ask', question: { ask: 'plan', of: { draft } } }], 'nothing is written unseen')
  const editor = planned()
  t.match(
    editor.frame(),
    /save pr-review[\s\S]*enter writes \/data\/config.yaml; esc goes back[\s\S]*@@ -4,3[\s\S]*routes:\s*\n- {3}prompt: a\s*\n\+ {3}prompt: b/,
  )
  editor.press('enter', 'enter')
  t.match(editor.frame(), 'writing /data/config.yaml')
  t.strictSame(editor.asked().slice(1), [{ ask: 'save', of: { draft, despiteErrors: false } }], 'once')
  editor.onMessage(saved)
  const { world } = editor.state()
  t.equal(top(editor.state()).kind, 'route')
  t.strictSame([world.draft?.opened, world.draft?.past, world.draft && isModified(world.draft)], [now, [], false])
  t.match(editor.frame(), 'saved config.yaml; taken over')
  t.match(editor.asked().at(-1), { ask: 'dropDraft', of: { name: 'pr-review' } })
})

t.test('undo goes on across a save: what was written is taken back as a change that is not saved yet', async (t) => {
  const editor = planned()
  editor.press('enter', 'enter')
  editor.onMessage(saved)
  const spec = () => editor.state().world.draft?.spec
  const isChanged = () => isModified(editor.state().world.draft as RouteDraft)
  editor.press('u')
  t.strictSame([spec(), isChanged()], [opened.written, true])
  editor.press('u')
  t.match(editor.frame(), 'there is nothing to take back')
  editor.say('redo')
  t.strictSame([spec(), isChanged()], [now.written, false], 'redo is the saved route again')

  const after = change(editor.state().world.draft as RouteDraft, 'set deliver', [{ kind: 'set', path: ['deliver'], value: 'log' }])
  const again = draftAfter(after, { ...now, written: after.spec })
  const steps = [again, undo(again), undo(undo(again)), undo(undo(undo(again)))]
  t.strictSame(
    steps.map(({ spec }) => spec),
    [after.spec, now.written, opened.written, opened.written],
    'across two saves',
  )
  const [, , oldest] = steps as [RouteDraft, RouteDraft, RouteDraft]
  const edited = change(oldest, 'set prompt', [{ kind: 'set', path: ['prompt'], value: 'c' }])
  t.strictSame([undo(edited).spec, undo(undo(edited)).spec], [oldest.spec, oldest.spec])
  t.strictSame([redo(undo(edited)).spec.prompt, redo(redo(oldest)).spec], ['c', after.spec])
})

t.test('errors need W, and what stops the start is not written by any key', async (t) => {
  const editor = planned({ findings: [error] })
  t.match(editor.frame(), /it has errors: W writes[\s\S]*! WH601 script gone.py is not there - put it into scripts/)
  editor.press('enter')
  t.match(editor.frame(), 'there are errors: W writes in spite of them')
  t.equal(editor.asked().length, 1)
  editor.press('W')
  t.match(editor.asked()[1], { ask: 'save', of: { despiteErrors: true } })
  const stopped = planned({ findings: [error], stops: true })
  stopped.press('enter', 'w', 'W')
  t.equal(stopped.asked().length, 1)
  t.match(stopped.frame(), 'a gateway would not serve this')
  const refused = planned({ refused: 'it stands in what an alias (*) names' })
  refused.press('W')
  t.match(refused.frame(), 'nothing is written: it stands in what an alias')
  t.equal(refused.asked().length, 1)
})

t.test('where somebody else wrote, one may take theirs, keep one’s own, or write another file', async (t) => {
  const conflict = [hunk('a', 'theirs')]
  const asked = planned({ conflict })
  t.match(asked.frame(), /config.yaml was changed since it was opened[\s\S]*Reload[\s\S]*Keep mine[\s\S]*Save as[\s\S]*> Cancel/)
  asked.press('esc')
  t.match(asked.frame(), /changed in the file since it was opened[\s\S]*theirs[\s\S]*your changes[\s\S]*prompt: b/)
  asked.press('enter', 'up', 'up', 'enter')
  t.match(asked.asked()[1], { ask: 'plan', of: { onto: 'current' } })
  asked.onMessage({ type: 'plan', of: { draft, onto: 'current' }, answer: plan })
  asked.press('enter')
  t.match(asked.asked()[2], { ask: 'save', of: { onto: 'current', despiteErrors: false } })
  const reloaded = planned({ conflict })
  reloaded.press('g', 'up', 'up', 'up', 'enter')
  t.match(reloaded.asked().slice(1), [{ ask: 'dropDraft' }, { ask: 'open', of: { name: 'pr-review', source: 'config' } }])
  reloaded.onMessage({ type: 'open', of: { name: 'pr-review' }, answer: now })
  t.strictSame(
    reloaded.state().screens.map(({ kind }) => kind),
    ['home', 'route'],
  )
  t.equal(reloaded.state().world.draft?.opened, now)
  const elsewhere = planned({ conflict })
  elsewhere.press('up', 'enter')
  elsewhere.type('/tmp/w mine.yaml')
  elsewhere.press('enter')
  t.match(elsewhere.asked()[1], { ask: 'save', of: { as: '/tmp/w mine.yaml' } })
})

t.test('what both changed cannot be kept, and somebody who is quicker at the end is seen', async (t) => {
  const conflict = [hunk('a', 'theirs')]
  const clash = planned({ conflict, refused: '"prompt" changed in the file, too' })
  t.match(clash.frame(), /"prompt" changed in the file, too[\s\S]*Reload/)
  t.notMatch(clash.frame(), 'Keep mine')
  const late = planned()
  late.press('enter')
  late.onMessage({ ...saved, answer: { ok: false, why: 'conflict', plan: { ...plan, conflict }, message: 'changed meanwhile' } })
  t.match(late.frame(), 'Keep mine')
  const failed = planned()
  failed.press('enter')
  failed.onMessage({ type: 'failed', ask: 'save', message: 'cannot write config.yaml: no space is left' })
  t.match(failed.frame(), 'no space is left')
  failed.press('enter')
  t.equal(failed.asked().length, 3, 'it can be tried again')
})

t.test('D looks only, and read-only there is nothing else', async (t) => {
  const look = planned({ conflict: [hunk('a', 'theirs')] }, ['D'])
  t.match(look.frame(), /what changed in pr-review[\s\S]*prompt: b/)
  look.press('enter', 'w', 'W')
  t.equal(look.asked().length, 1)
  const locked = driver(onRoute({ options: { ...options, readOnly: true } }))
  t.notOk(actionsNow(locked.state(), models).includes('save'))
  locked.press('w', 'D')
  locked.onMessage({ type: 'plan', of: { draft }, answer: plan })
  locked.press('enter', 'w', 'W')
  t.equal(locked.commands.length, 1)
  t.match(locked.frame(), 'prompt: b')
})

t.test('leaving by Save ends where one was going', async (t) => {
  const home = driver(onRoute())
  home.press('esc', 'up', 'up', 'enter')
  home.onMessage({ type: 'plan', of: { draft }, answer: plan })
  home.press('enter')
  home.onMessage(saved)
  t.strictSame([home.state().screens.map(({ kind }) => kind), home.state().world.draft], [['home'], undefined])
  const quit = driver(onRoute())
  quit.press('q', 'up', 'up', 'enter')
  quit.onMessage({ type: 'plan', of: { draft }, answer: plan })
  t.match(quit.frame(), 'and quits')
  quit.press('enter')
  t.notOk(quit.commands.some(({ kind }) => kind === 'quit'))
  quit.onMessage(saved)
  t.strictSame(quit.commands.at(-1), { kind: 'quit' })
})

t.test('a long diff is scrolled, and read as sentences', async (t) => {
  const lines = Array.from({ length: 80 }, (_, i) => ({ kind: 'added' as const, text: `line ${i}` }))
  const editor = planned({ diff: [{ head: '@@ -1 +1,80 @@', lines }], findings: [error] })
  t.notMatch(editor.frame(), 'line 79')
  editor.press('G')
  t.match(editor.frame(), 'line 79')
  const screen = top(editor.state())
  const rows = models.save.rows?.(screen, editor.state().world) ?? []
  t.strictSame(rows.slice(0, 3), ['error WH601 script gone.py is not there - put it into scripts/', 'at @@ -1 +1,80 @@', 'added: line 0'])
})

t.test('drafts that were left are offered, with what became of the file', async (t) => {
  const editor = driver(stateOf(homeScreen))
  editor.onMessage({ type: 'drafts', of: {}, answer: [{ draft, at: 0, note: 'the file changed meanwhile' }] })
  t.match(editor.frame(), /drafts that were left[\s\S]*pr-review +left 1970-01-01 00:00 UTC; the file changed meanwhile/)
  editor.press('enter')
  t.equal(editor.state().world.draft, draft)
  t.match(editor.frame(), /pr-review \*modified\*[\s\S]*! the file changed meanwhile/)
})

t.test('a route that is asked for is opened, but for a draft of it that was left', async (t) => {
  const first = reduce(stateOf(homeScreen), { kind: 'start', route: 'pr-review' }, models)
  t.match(first.commands, [{ question: { ask: 'home' } }, { question: { ask: 'drafts', of: { route: 'pr-review' } } }])
  const open = { kind: 'ask', question: { ask: 'open', of: { name: 'pr-review' } } }
  const without = driver(stateOf(homeScreen))
  without.onMessage({ type: 'drafts', of: { route: 'pr-review' }, answer: [] })
  t.strictSame(without.commands, [open])
  const left = driver(stateOf(homeScreen))
  left.onMessage({ type: 'drafts', of: { route: 'pr-review' }, answer: [{ draft, at: 0 }] })
  left.press('down', 'enter')
  t.strictSame(left.commands, [open])
})

t.test('a draft is kept after a change, and dropped when it is saved or undone', async (t) => {
  const asked: string[] = []
  const work: Promise<unknown>[] = []
  const service = {
    keepDraft: async ({ draft: { past } }: { draft: RouteDraft }) => String(asked.push(`keep ${past.length}`)),
    dropDraft: async ({ name }: { name: string }) => void asked.push(`drop ${name}`),
  }
  const keeper = createDraftKeeper({ service, delayMs: 0, track: (each) => work.push(each) })
  const second = change(draft, 'set deliver', [{ kind: 'set', path: ['deliver'], value: 'log' }])
  const look = (each: RouteDraft | undefined): void => keeper.update(changedDrafts({ draft: each }))
  for (const each of [undefined, draftOf(opened), draft, second, second]) look(each)
  await until(() => asked.length === 1)
  t.strictSame(asked, ['keep 2'], 'what is between is not written')
  look(undo(undo(second)))
  t.strictSame(asked, ['keep 2', 'drop pr-review'])
  look(draft)
  look(undefined)
  look(draft)
  keeper.close()
  await Promise.all(work)
  t.equal(asked.length, 2)
})

/** The list of these routes. What is asked to be opened is there at once. */
const onList = (...rows: readonly { readonly name: string; readonly source?: 'config' | 'subscription' }[]) => {
  const all = rows.map(({ name, ...each }) => routeRow(name, each))
  const editor = driver(stateOf(homeScreen, { home: { file: 'c', subscriptions: 0, rows: all }, size: { columns: 80, rows: 24 } }))
  const press = (...keys: readonly string[]): void => {
    for (const key of keys) {
      const before = editor.commands.length
      editor.press(key)
      for (const command of editor.commands.slice(before)) {
        if (command.kind !== 'ask' || command.question.ask !== 'open') continue
        const { name, source = 'config' } = command.question.of
        const answer = { ...opened, name, source, base: ['routes', name], written: { prompt: name, deliver: 'log' } }
        editor.onMessage({ type: 'open', of: command.question.of, answer })
      }
    }
  }
  const asked = () =>
    editor.commands.flatMap((command) => (command.kind === 'ask' ? [command.question] : [])).filter(({ ask }) => ask !== 'preview')
  return { ...editor, press, asked }
}

t.test('on the list space and d change nothing before a save, and u takes each back', async (t) => {
  const editor = onList({ name: 'a' }, { name: 'b' }, { name: 'c' })
  editor.press('space')
  t.strictSame(
    editor.state().screens.map(({ kind }) => kind),
    ['home'],
    'the list stays',
  )
  t.match(editor.frame(), /> a .*\*off[\s\S]*"a" is off when you save; w saves, u takes it back/)
  editor.press('j', 'space', 'j', 'd')
  t.match(editor.frame(), /a .*\*off[\s\S]* b .*\*off[\s\S]*> c .*\*deleted/)
  t.strictSame(
    editor.asked().map(({ ask }) => ask),
    ['open', 'open', 'open'],
  )
  editor.press('enter')
  t.match(editor.frame(), '"c" is deleted when you save: u takes that back')
  editor.press('u')
  t.match(editor.frame(), 'taken back: delete (c)')
  editor.press('u', 'u')
  t.notMatch(editor.frame(), /\*(?:off|deleted)/)
  editor.press('u')
  t.match(editor.frame(), 'there is nothing to take back')
  editor.press('k', 'space', 'space')
  t.match(editor.frame(), '"b" stays on')
  editor.press('q')
  t.strictSame(editor.commands.at(-1), { kind: 'quit' }, 'there and back is no change')
})

t.test('the changes of several routes are shown and saved in turn, each onto what was written before it', async (t) => {
  const editor = onList({ name: 'a' }, { name: 'b' })
  editor.press('space', 'j', 'space', 'k', 'w')
  t.match(editor.frame(), 'save a, and 1 more after it')
  const first = editor.state().world.draft as RouteDraft
  editor.onMessage({ type: 'plan', of: { draft: first }, answer: plan })
  editor.press('enter')
  const answer = { ok: true, opened: { ...first.opened, text: 'after a\n' }, notices: ['saved config.yaml'] } as const
  editor.onMessage({ type: 'save', of: { draft: first, despiteErrors: false }, answer })
  t.match(editor.frame(), /save b {2}/)
  const second = editor.state().world.draft as RouteDraft
  t.match(second.opened, { name: 'b', text: 'after a\n' }, 'what we wrote is no conflict')
  editor.onMessage({ type: 'plan', of: { draft: second }, answer: plan })
  editor.press('enter')
  editor.onMessage({ type: 'save', of: { draft: second, despiteErrors: false }, answer: { ...answer, opened: second.opened } })
  t.strictSame([editor.state().screens.length, editor.state().world.draft, editor.state().world.pending], [1, undefined, []])
  t.strictSame(
    editor.asked().flatMap((each) => (each.ask === 'dropDraft' ? [each.of.name] : [])),
    ['a', 'b'],
  )
})

t.test('changes of several routes are all asked about, and all kept', async (t) => {
  const editor = onList({ name: 'a' }, { name: 'b' })
  editor.press('space', 'j', 'space', '^c')
  t.match(editor.frame(), '"b", "a" have changes that are not saved')
  editor.press('^c')
  const kept = editor.asked().flatMap((each) => (each.ask === 'keepDraft' ? [each.of.draft.opened.name] : []))
  t.strictSame(kept, ['b', 'a'])
  const going = onList({ name: 'a' }, { name: 'b' })
  going.press('space', 'j', 'enter')
  t.match(going.frame(), /^ b /)
  going.press('esc')
  t.match(going.frame(), /a .*\*off/, 'opening another route loses nothing')
})

t.test('a subscription that is hidden is not taken for the route that hides it', async (t) => {
  const editor = onList({ name: 'x', source: 'subscription' })
  editor.press('d', 'w')
  const about = { name: 'x', source: 'subscription' }
  t.match(editor.asked(), [
    { ask: 'open', of: about },
    { ask: 'plan', of: { draft: { opened: about, past: [{ removes: true }] } } },
  ])
})

t.test('a new route: its name is checked while it is typed, it is made of a sample, and u takes it back', async (t) => {
  const editor = onList({ name: 'taken' })
  editor.press('a')
  t.match(editor.frame(), '! a name is needed')
  editor.type('taken')
  t.match(editor.frame(), '! there is a route "taken" already')
  editor.press('enter')
  t.equal(editor.state().screens.at(-1)?.kind, 'entry', 'it cannot be entered')
  editor.type(' no')
  t.match(editor.frame(), 'cannot be a name')
  editor.press('^u')
  editor.type('fresh')
  editor.press('enter')
  t.match(editor.asked().at(-1), { ask: 'payloads', of: {} })
  const row = {
    choice: { from: 'sample', name: 'github/push' },
    group: 'samples',
    title: 'github/push',
    detail: 'push',
    fits: true,
  } as const
  editor.onMessage({ type: 'payloads', of: {}, answer: [row] })
  t.match(editor.frame(), /what should "fresh" begin with\?[\s\S]*> nothing +an empty route\s+github\/push +sample {2}push/)
  editor.press('down', 'enter')
  t.strictSame(editor.asked().at(-1), { ask: 'create', of: { name: 'fresh', like: 'github/push' } })
  const answer = { ...opened, name: 'fresh', isNew: true, written: { events: ['push'] } }
  editor.onMessage({ type: 'create', of: { name: 'fresh' }, answer })
  t.match(editor.frame(), /fresh \*modified\*/)
  t.match(editor.asked().at(-1), { ask: 'payload', of: { choice: row.choice, route: 'fresh' } }, 'it is tried with what it was made of')
  editor.press('u')
  t.match(editor.frame(), /taken back: new route \(fresh\)/)
  t.strictSame([editor.state().screens.length, editor.state().world.draft], [1, undefined])
  editor.onMessage({ type: 'create', of: { name: 'fresh' }, answer })
  editor.press('esc', 'up', 'enter')
  t.strictSame([editor.state().screens.length, editor.state().world.draft], [1, undefined], 'or it is discarded')
})

t.test('of more than 500 steps the oldest are joined, and undo takes the others back one by one', (t) => {
  const textOf = (n: number): string => `prompt: '${n}'\n`
  let edited = draftOf(opened)
  for (let n = 0; n < 600; n++) {
    const edit: YamlEdit = { kind: 'set', path: ['prompt'], value: `edit ${n}` }
    edited = n < 300 ? rewritten(edited, textChange(textOf(n), textOf(n + 1))) : change(edited, 'set prompt', [edit])
  }
  t.equal(edited.past.length, 500)
  t.equal(edited.past[0]?.text?.from, textOf(0))
  t.equal(edited.spec.prompt, 'edit 599')
  for (let n = 0; n < 300; n++) edited = undo(edited)
  t.equal(edited.spec.prompt, '300', 'before the first edit')
  for (let n = 0; n < 199; n++) edited = undo(edited)
  t.equal(edited.past.length, 1)
  t.equal(edited.spec.prompt, '101', 'the joined steps are one step')
  t.end()
})
