/** The filter builder: what keys do to the conditions of a draft, what is shown of each, and how many samples it holds for. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import t from 'tap'
import { parse, stringify } from 'yaml'
import { loadConfig } from '../../src/config/load.ts'
import { systemClock } from '../../src/core/clock.ts'
import type { JsonObject } from '../../src/core/json.ts'
import type { Workspace } from '../../src/datadir/workspace.ts'
import { listSamples, readSample } from '../../src/dryrun/samples/gallery.ts'
import { createEditorService } from '../../src/edit/create-service.ts'
import { createDraftTexts } from '../../src/edit/draft/draft-text.ts'
import { openConfigured } from '../../src/edit/draft/open-route.ts'
import { draftOf, editsOf, type OpenedRoute, specAfter } from '../../src/edit/draft/route-draft.ts'
import { storeDraft, storedDrafts } from '../../src/edit/saving/stored-drafts.ts'
import type { Payload, Preview } from '../../src/edit/service.ts'
import { talliesOf } from '../../src/edit/tallies.ts'
import { builtinCatalogue } from '../../src/plan/catalogue.ts'
import { quietBook } from '../../src/plan/check.ts'
import type { World } from '../../src/tui/model/screen.ts'
import { openFilters } from '../../src/tui/screens/filters/filters.ts'
import { models } from '../../src/tui/screens/index.ts'
import { fakeClock } from '../fakes/clock.ts'
import { newFolder } from '../fakes/folder.ts'
import { secret } from '../fakes/gateway.ts'
import { driver, options, stateOf } from './keys.ts'

const opened = (text: string): OpenedRoute => ({
  name: 'pr',
  source: 'config',
  file: '/data/config.yaml',
  text,
  base: ['route'],
  written: (parse(text) as { route: JsonObject }).route,
  isNew: false,
})

const payload: Payload = {
  choice: { from: 'sample', name: 'github/pull_request.opened' },
  title: 'github/pull_request.opened',
  body: '',
  bytes: 0,
  headers: {},
  values: [
    { path: 'event', type: 'string', shown: '"pull_request"' },
    { path: 'headers.X-Env', type: 'string', shown: '"5"' },
    { path: 'action', type: 'string', shown: '"opened"' },
    { path: 'pull_request.draft', type: 'boolean', shown: 'false' },
    { path: 'pull_request.labels', type: 'array', shown: '["bug"]' },
    { path: 'number', type: 'number', shown: '2' },
  ],
}

const editor = (filters: string, world: Partial<World> = {}) => {
  const text = `# kept\nroute:\n  prompt: hello # kept too\n${filters}`
  const keys = driver(stateOf(openFilters(), { draft: draftOf(opened(text)), payload, ...world }))
  const textOf = createDraftTexts()
  const draft = () => {
    const { draft: now } = keys.state().world
    if (!now) throw new Error('no draft')
    return now
  }
  return {
    ...keys,
    draft,
    filters: () => draft().spec.filters,
    /** The edits of the latest step, from the route. */
    step: () => draft().past.at(-1)?.edits,
    text: () => {
      const made = textOf(draft())
      return made.ok ? made.text : `refused: ${made.why}`
    },
    /** Types what a question above asks for. */
    answer(...texts: readonly string[]): void {
      for (const each of texts) {
        keys.type(each)
        keys.press('enter')
      }
    },
  }
}

t.test('a condition is asked for by field, operator and value', async (t) => {
  const keys = editor('')
  keys.press('a')
  t.match(keys.frame(), /action +"opened"/, 'the fields stand with what they hold')
  keys.answer('draft')
  t.match(keys.frame(), /operator for pull_request\.draft.*equals.*exists/s)
  t.notMatch(keys.frame(), 'regex', 'a pattern says nothing of a flag')
  keys.answer('equals')
  t.match(keys.frame(), /> false +in this payload/, 'what was seen is offered first')
  keys.press('enter')
  t.same(keys.filters(), [{ field: 'pull_request.draft', equals: false }])
  t.same(keys.step(), [{ kind: 'insert', path: ['filters'], at: 0, value: { field: 'pull_request.draft', equals: false } }])
  t.match(keys.text(), /^# kept\nroute:\n {2}prompt: hello # kept too\n {2}filters:\n/)
  keys.press('u')
  t.equal(keys.filters(), undefined)
  keys.press('^r', 'd')
  t.equal(keys.filters(), undefined, 'with the last condition the key goes')
  t.same(keys.step(), [{ kind: 'remove', path: ['filters'] }])
})

t.test('a value is JSON where it is that, and a text where the field is one', async (t) => {
  const added = (field: string, operator: string, value: string) => {
    const keys = editor('')
    keys.press('a')
    keys.answer(field, operator)
    // A line, or a list whose last row is what was typed.
    if (!keys.frame().includes('search')) keys.press('^u')
    keys.type(value)
    if (keys.frame().includes('as it is typed')) keys.press('down', 'down', 'down', 'down')
    keys.press('enter')
    const [made] = keys.filters() as JsonObject[]
    return made?.[operator]
  }
  t.same(added('number', 'equals', '5'), 5)
  t.same(added('headers.X-Env', 'equals', '5'), '5', 'a header is a text')
  t.same(added('no.such', 'equals', 'true'), true)
  t.same(added('no.such', 'equals', '"true"'), 'true')
  t.same(added('action', 'in', 'opened, reopened'), ['opened', 'reopened'])
  t.same(added('number', 'in', '[1, 2]'), [1, 2])
  t.same(added('number', 'in', '1, two'), [1, 'two'])
  t.same(added('headers.X-Env', 'in', '1, "2,3"'), ['1', '"2', '3"'])
  t.same(added('action', 'regex', '^o'), '^o')
  t.same(added('action', 'equals', 'open'), 'open', 'although a value that was seen has its letters')
  const asked = editor('')
  asked.press('a')
  asked.answer('no.such', 'wrong')
  t.match(asked.frame(), /! "wrong" is not an operator/)
})

t.test('whole numbers past 2^53 keep their digits, in the form and in the text', (t) => {
  const [id, neighbour, third] = ['1234567890123456789', '1234567890123456788', '1234567890123456787']
  const text = `route:\n  filters:\n    - { field: no.such, equals: ${id} }\n    - { field: b, in: [${id}, 7] } # kept\n`
  const draft = draftOf(openConfigured('/data/config.yaml', 'pr', ['route'], text))
  const keys = editor('', { draft })
  t.match(keys.frame(), `equals ${id}`)
  keys.press('v', 'backspace')
  keys.answer('8')
  t.match(keys.text(), `{ field: no.such, equals: ${neighbour} }`, 'a neighbour that has the same double is another value')
  keys.press('j', 'v')
  keys.answer(`, ${neighbour}`)
  t.match(keys.text(), `{ field: b, in: [${id}, 7, ${neighbour}] } # kept`)
  keys.press('a')
  keys.answer('no.other', 'equals', third)
  t.match(keys.text(), new RegExp(`field: no\\.other,? *\\n? *equals: ${third}`))
  keys.press('k', 'k', 'o')
  keys.answer('in')
  t.match(keys.text(), `{ field: no.such, in: [${neighbour}] }`)
  keys.press('J', 'g')
  t.match(keys.frame(), `no.such in [${neighbour}]`)
  t.notMatch(keys.frame() + keys.text(), 'number-')
  const home = newFolder(t)
  const kept = { dataDir: home } as Workspace
  const { opened, past } = keys.draft()
  const { name, source, base, written, isNew } = opened
  return storeDraft(kept, { v: 1, at: 1, name, source, base, written, isNew, digest: '', past }).then((file) => {
    t.match(readFileSync(file, 'utf8'), `"value":[${neighbour}]`)
    const [stored] = storedDrafts(kept)
    t.same(stored && specAfter(stored.written, stored.past), keys.draft().spec)
  })
})

t.test('a change names what changes, and leaves the other lines', async (t) => {
  const before =
    '  filters:\n    # first\n    - field: action # of the event\n      equals: opened # only\n    - { field: number, exists: true } # second\n'
  const keys = editor(before)
  keys.press('o')
  keys.answer('in')
  t.same(keys.step(), [
    { kind: 'rename', path: ['filters', 0, 'equals'], key: 'in' },
    { kind: 'set', path: ['filters', 0, 'in'], value: ['opened'] },
  ])
  t.match(keys.text(), /# first\n {4}- field: action # of the event\n/)
  t.match(keys.text(), '    - { field: number, exists: true } # second\n')
  keys.press('v')
  keys.answer(', closed')
  t.same(keys.step(), [{ kind: 'set', path: ['filters', 0, 'in'], value: ['opened', 'closed'] }])
  keys.press('enter')
  keys.answer('event')
  t.same(keys.step(), [{ kind: 'set', path: ['filters', 0, 'field'], value: 'event' }])
  keys.press('j', 'v')
  t.same(keys.step(), [{ kind: 'set', path: ['filters', 1, 'exists'], value: false }], 'a flag is turned round')
  keys.press('o')
  keys.answer('equals', '2')
  t.same(keys.step(), [
    { kind: 'rename', path: ['filters', 1, 'exists'], key: 'equals' },
    { kind: 'set', path: ['filters', 1, 'equals'], value: 2 },
  ])
  keys.press('k', 'o')
  keys.answer('regex')
  t.match(keys.frame(), /> opened, closed/, 'the old value is there to be changed')
  keys.press('esc', 'j')
  keys.press('K')
  t.same(keys.step(), [{ kind: 'move', path: ['filters'], from: 1, to: 0 }])
  t.same(keys.filters(), [
    { field: 'number', equals: 2 },
    { field: 'event', in: ['opened', 'closed'] },
  ])
  t.same(parse(keys.text()).route, keys.draft().spec)
})

t.test('groups: made, renamed, filled, left, taken away', async (t) => {
  const keys = editor('  filters:\n    - { field: a, equals: 1 }\n    - { field: b, equals: 2 }\n    - { field: c, equals: 3 }\n')
  const [a, b, c] = keys.filters() as JsonObject[]
  keys.press('g', 'j', 'enter')
  t.same(keys.filters(), [{ any: [a] }, b, c])
  keys.press('j', 'j', 'K')
  t.same(keys.filters(), [{ any: [a, b] }, c], 'a condition moves into the group above it')
  t.same(keys.step(), [
    { kind: 'remove', path: ['filters', 1] },
    { kind: 'insert', path: ['filters', 0, 'any'], at: 1, value: b },
  ])
  t.match(keys.frame(), /any one of these must hold.*\| a equals 1.*> \| b equals 2/s)
  keys.press('J')
  t.same(keys.filters(), [{ any: [a] }, b, c], 'and out of it')
  keys.press('u', 'home', 'g', 'enter')
  t.same(keys.step(), [{ kind: 'rename', path: ['filters', 0, 'any'], key: 'all' }])
  keys.press('a')
  keys.answer('number', 'exists')
  t.same(keys.filters(), [{ all: [a, b, { field: 'number', exists: true }] }, c], 'a group takes what is added on it')
  keys.press('home', 'g', 'j', 'j', 'enter')
  t.same(keys.filters(), [a, b, { field: 'number', exists: true }, c])
  keys.press('g', 'j', 'j', 'enter', 'j')
  t.same((keys.filters() as JsonObject[])[0], { not: a })
  keys.press('d')
  t.same((keys.filters() as JsonObject[])[0], b, 'an empty group goes with what it held')
})

t.test('a single condition becomes a list, and an expression is a text', async (t) => {
  const keys = editor('  filters: { field: a, equals: 1 }\n')
  keys.press('end', 'enter')
  t.match(keys.frame(), /jsonata/)
  keys.answer('jsonata')
  keys.answer('$count(payload.list) > 1')
  t.same(keys.filters(), [{ field: 'a', equals: 1 }, { jsonata: '$count(payload.list) > 1' }])
  keys.press('^g')
  t.same(keys.commands.at(-1), { kind: 'edit-text', id: 'filters.expression', text: '$count(payload.list) > 1' })
  keys.onMessage({ type: 'returned', id: 'filters.expression', value: 'event = "push"\n' })
  t.same(keys.step(), [{ kind: 'set', path: ['filters', 1, 'jsonata'], value: 'event = "push"' }])
  keys.press('home', 'd', 'd')
  t.equal(keys.filters(), undefined)
})

const judged: Preview = {
  revision: 0,
  findings: [
    {
      code: 'WH403',
      severity: 'warning',
      message: 'never both',
      pointer: '/route/filters/1/any/0/equals',
      stopsStart: false,
    },
  ],
  places: [],
  fixes: [{ title: 'drop it', edits: [{ kind: 'remove', path: ['filters', 1] }] }],
  yaml: '',
  trace: {
    route: 'pr',
    profile: 'default',
    name: 'ignored',
    answer: { status: 200, body: 'ok' },
    stoppedAt: 'filters',
    stage: 'filters',
    stages: ['events', 'filters'].map((stage) => ({ stage, result: 'pass', ms: 0 })),
    conditions: [
      { name: 'filters[0]', path: [0], operator: 'in', field: 'action', holds: true, seen: '"opened"' },
      { name: 'filters[1]', path: [1], operator: 'any', holds: false, why: 'filters[1].any' },
      { name: 'filters[1].any[0]', path: [1, 'any', 0], operator: 'equals', field: 'headers.X-Env', holds: false, seen: 'missing' },
    ],
    placeholders: [],
    ranScript: false,
    notes: [],
  } as unknown as NonNullable<Preview['trace']>,
  tallies: {
    'filters[0]': { holds: 5, of: 12, seen: ['"opened"', '"closed"'] },
    'filters[1]': { holds: 0, of: 12, seen: [] },
    'filters[1].any[0]': { holds: 0, of: 12, seen: [] },
  },
  untallied: 3,
}
const written = '  filters:\n    - { field: action, in: [opened, reopened] }\n    - any: [{ field: headers.X-Env, equals: prod }]\n'

t.test('each row has its verdict, the value that was seen, and its count', async (t) => {
  const keys = editor(written, { preview: judged })
  const frame = keys.frame()
  t.match(frame, /filters \(all must hold\) +this payload +samples 12 \(3 not tried\)/)
  t.match(frame, /> action in \[opened, reopened\] +pass +"opened" +5\/12/)
  t.match(frame, /any one of these must hold +fail +0\/12 {2}never true here/)
  t.match(frame, /! \| headers\.X-Env equals "prod" +fail +\(missing\) +0\/12/)
  keys.press('j', 'j')
  t.match(keys.frame(), /! WH403 never both/)
  keys.press('f')
  t.same(keys.filters(), [{ field: 'action', in: ['opened', 'reopened'] }])
  t.match(keys.frame(), /reopened\] +…/, 'an answer about another draft is none')
  keys.press('home', 'v')
  t.match(keys.frame(), /Seen: opened, closed/, 'values of the samples are offered')
  keys.press('esc')
  t.equal(keys.commands.filter(({ kind }) => kind === 'ask').length, 1, 'one preview for one change')
})

t.test('sixty columns hold a row, forty do not break it', async (t) => {
  for (const columns of [40, 60, 80, 150]) {
    const keys = editor(written, { preview: judged, size: { columns, rows: 16 } })
    for (const text of keys.frame().split('\n')) t.ok(text.length <= columns, `${columns}: ${text}`)
  }
  const keys = editor(written, { preview: judged, size: { columns: 60, rows: 16 } })
  t.match(keys.frame(), /action in \[opened.* pass .*5\/12/)
})

t.test('it says why the payload has no verdicts, or why they do not matter', async (t) => {
  const { trace } = judged
  if (!trace) throw new Error('no trace')
  t.match(
    editor(written, { preview: { ...judged, trace: { ...trace, stage: 'events', reason: 'event' } } }).frame(),
    /events stops it \(event\)/,
  )
  const { trace: _, ...bare } = judged
  t.match(editor(written, { preview: { ...bare, untraced: 'the route is not valid as it is now' } }).frame(), /! the route is not valid/)
})

t.test('read-only nothing is changed, and rows are sentences', async (t) => {
  const keys = editor(written, { preview: judged, options: { ...options, readOnly: true } })
  t.notMatch(keys.frame(), 'adds a condition')
  keys.press('d', 'a', 'enter', 'J', 'g', 'v', 'o', 'f')
  t.equal(keys.draft().past.length, 0)
  t.equal(keys.state().screens.length, 1)
  const { world, screens } = keys.state()
  t.same(models.filters.rows?.(screens[0], world), [
    'Filter 1 of 3, action in [opened, reopened], holds: value is "opened", holds for 5 of 12 samples',
    'Filter 2 of 3, any one of these must hold, fails, holds for 0 of 12 samples',
    'Filter 3 of 3, level 2, headers.X-Env equals "prod", fails: the field is missing, holds for 0 of 12 samples',
    'Add a condition',
  ])
})

const leaf = fc.constantFrom<JsonObject>(
  { field: 'a', equals: 1 },
  { field: 'b', in: ['x'] },
  { field: 'c', exists: true },
  { jsonata: 'a' },
)
const { condition } = fc.letrec<{ condition: JsonObject }>((tie) => ({
  condition: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.record({ any: fc.array(tie('condition'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ all: fc.array(tie('condition'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ not: tie('condition') }),
  ),
}))
const press = fc.constantFrom(
  ['j'],
  ['k'],
  ['J'],
  ['K'],
  ['d'],
  ['u'],
  ['^r'],
  ['g', 'enter'],
  ['g', 'j', 'enter'],
  ['g', 'j', 'j', 'enter'],
  ['o', 'enter'],
  ['esc'],
)

t.test('whatever is pressed, the text means what the draft says', (t) => {
  const ways = fc.property(
    fc.oneof(fc.array(condition, { minLength: 1, maxLength: 4 }), condition),
    fc.array(press, { maxLength: 12 }),
    (filters, pressed) => {
      const keys = editor(stringify({ filters }, { aliasDuplicateObjects: false }).replace(/^(?=.)/gm, '  '))
      for (const names of pressed) if (keys.state().screens.length > 1 || names[0] !== 'esc') keys.press(...names)
      const text = keys.text()
      assert.doesNotMatch(text, /^refused/, JSON.stringify(editsOf(keys.draft())))
      assert.deepEqual(parse(text).route, keys.draft().spec)
      assert.doesNotMatch(JSON.stringify(keys.filters() ?? null), /\[\]/, 'no list is left empty')
    },
  )
  fc.assert(ways, { numRuns: 60 })
  t.end()
})

t.test('a condition is tried on the samples that get to the filters', async (t) => {
  const world = (route: JsonObject, clock = systemClock) => {
    const settings = { secret, routes: { pr: { prompt: 'hi', ...route } } }
    const dir = newFolder(t, { 'config.yaml': stringify({ platforms: { webhook: { enabled: true, extra: settings } } }) })
    const { config } = loadConfig({ dataDir: dir, env: {} })
    const source = config.routes.get('pr')
    if (!source) throw new Error('no route')
    return { source, config, catalogue: builtinCatalogue, effects: { jobs: quietBook(config, builtinCatalogue), clock } }
  }
  const samples = listSamples({ dataDir: '/nowhere' })
  const filters = [{ field: 'action', in: ['opened'] }, { not: { field: 'no.such', exists: true } }]
  // The clock stands still: however slow the machine is, all are tried.
  const pulls = await talliesOf(samples, readSample, world({ events: ['pull_request'], verify: 'github', filters }, fakeClock()))
  t.same(pulls.tallies['filters[0]'], { holds: 2, of: 4, seen: ['"opened"', '"closed"', '"synchronize"'] })
  t.same(pulls.tallies['filters[1].not'], { holds: 0, of: 4, seen: [] })
  t.equal(pulls.untallied, 0)
  const lab = await talliesOf(samples, readSample, world({ verify: 'gitlab', filters }, fakeClock()))
  t.equal(lab.tallies['filters[0]']?.of, samples.filter(({ name }) => name.startsWith('gitlab/')).length)
  const late = {
    ...fakeClock(),
    monotonic: (() => {
      let now = 0
      return () => (now += 200)
    })(),
  }
  const few = await talliesOf(samples, readSample, world({ filters }, late))
  t.ok((few.untallied ?? 0) > 30, 'when the time is over the rest is left out')
  t.same(await talliesOf(samples, readSample, world({})), { tallies: {} }, 'nothing is tried without filters')
})

t.test('a preview of an event that filters stop can go to another thread', async (t) => {
  const routes = { pr: { prompt: 'hi', secret, filters: [{ field: 'action', equals: 'closed' }] } }
  const dataDir = newFolder(t, { 'config.yaml': stringify({ platforms: { webhook: { enabled: true, extra: { routes } } } }) })
  const finder = { find: async () => undefined, need: () => Promise.reject(new Error('no gateway')) }
  const service = createEditorService({ dataDir, env: {}, self: 'headgate' }, finder)
  const draft = draftOf(await service.open({ name: 'pr' }))
  const preview = await service.preview({ draft, payload: { from: 'text', text: '{"action":"opened"}' }, revision: 1 })
  const { trace, tallies } = structuredClone(preview)
  t.match(trace, { stoppedAt: 'filters', conditions: [{ holds: false, seen: '"opened"' }] })
  t.ok(tallies['filters[0]'])
})
