/** The deliver picker, by its keys; and the service that lists targets and tests one. */

import t, { type Test } from 'tap'
import { stringify } from 'yaml'
import type { JsonObject } from '../../src/core/json.ts'
import { createEditorService } from '../../src/edit/create-service.ts'
import { change, draftOf } from '../../src/edit/draft/route-draft.ts'
import type { Preview, TargetRow } from '../../src/edit/service.ts'
import { openDeliver } from '../../src/tui/screens/deliver/deliver.ts'
import { models } from '../../src/tui/screens/index.ts'
import { openRouteScreen } from '../../src/tui/screens/route/route.ts'
import { newFolder } from '../fakes/folder.ts'
import { sink } from '../fakes/sink.ts'
import { driver, options, stateOf } from './keys.ts'

const settings = (keys: readonly string[], required: readonly string[] = [], isOpen = false): JsonObject => ({
  type: 'object',
  additionalProperties: isOpen,
  required: [...required],
  properties: Object.fromEntries(keys.map((key) => [key, { title: key, type: ['string', 'integer'], description: `about ${key}` }])),
})

const targets: readonly TargetRow[] = [
  { name: 'log', isInternal: true, title: 'Log', settings: settings([]) },
  { name: 'github_comment', title: 'GitHub', settings: settings(['repo', 'pr_number'], ['repo', 'pr_number']) },
  { name: 'slack', title: 'Slack', home: 'C0', settings: settings(['chat_id', 'thread_id']) },
  { name: 'telegram', title: 'Telegram', missing: 'not connected: it needs platforms.telegram.token', settings: settings(['chat_id']) },
  { name: 'acme-chat', title: 'Acme', settings: settings([], [], true) },
]

const base = { name: 'r', source: 'config', file: 'config.yaml', text: '', base: [], isNew: false } as const

const comment: JsonObject = { deliver: 'github_comment', deliver_extra: { repo: '{repository.full_name}', pr_number: '{number}' } }

const pickerOf = (written: JsonObject, readOnly = false, preview?: Partial<Preview>) => {
  const draft = draftOf({ ...base, written })
  const editor = driver(
    stateOf(openRouteScreen(), { draft, options: { ...options, readOnly }, ...(preview ? { preview: preview as Preview } : {}) }),
  )
  const { go } = openDeliver(draft)
  const { world } = editor.state()
  const shown = driver({ world, screens: [openRouteScreen(), (go as { push: never }).push] })
  shown.onMessage({ type: 'targets', of: {}, answer: targets })
  const spec = (): JsonObject => shown.state().world.draft?.spec ?? {}
  return { ...shown, spec, steps: () => shown.state().world.draft?.past.length }
}

t.test('the screen is opened from the field, and asks for the targets', async (t) => {
  const turn = openDeliver(draftOf({ ...base, written: { profile: 'office' } }))
  t.match(turn.commands, [{ question: { ask: 'targets', of: { profile: 'office' } } }])
})

t.test('a target is shown with its state, and its settings on the payload', async (t) => {
  const editor = pickerOf(comment, false, { extra: { repo: 'acme/web', pr_number: '{number}' } })
  const frame = editor.frame()
  t.match(frame, /> \(o\) +github_comment +connected/)
  t.match(frame, /\( \) +slack +connected +home C0/)
  t.match(frame, /\( \) +telegram +not connected/)
  t.match(frame, /\* repo +\{repository\.full_name\} → acme\/web/)
  t.match(frame, /\* pr_number +\{number\} \[\?\]/, 'what has no value is marked')
  editor.resize(60, 20)
  t.notMatch(editor.frame(), 'repository.full_name')
  editor.press('tab')
  t.match(editor.frame(), 'repository.full_name')
})

t.test('another target takes the settings away that it does not read, in one step', async (t) => {
  const editor = pickerOf({ ...comment, deliver_extra: { repo: 'a/b', pr_number: '1', 'x-note': 'kept' } })
  editor.press('j', 'enter')
  t.same(editor.spec(), { deliver: 'slack', deliver_extra: { 'x-note': 'kept' } })
  t.equal(editor.steps(), 1)
  t.match(editor.frame(), 'deliver to slack; repo, pr_number removed: slack does not read them')
  editor.press('enter')
  t.equal(editor.steps(), 1, 'the same target again is no step')
  editor.press('u')
  t.match(editor.spec(), { deliver: 'github_comment', deliver_extra: { repo: 'a/b' } })
  const other = pickerOf(comment)
  other.press('j', 'enter')
  t.same(other.spec(), { deliver: 'slack' }, 'an empty deliver_extra goes, too')
})

t.test('a target that is not connected says what is missing', async (t) => {
  const editor = pickerOf({ deliver: 'slack', deliver_extra: { chat_id: 'C1', thread_id: '2' } })
  editor.press('j')
  t.match(editor.frame(), '! telegram is not connected: it needs platforms.telegram.token')
  editor.press('enter')
  t.same(editor.spec(), { deliver: 'telegram', deliver_extra: { chat_id: 'C1' } })
  t.match(editor.frame(), 'thread_id removed: telegram does not read it; not connected')
})

t.test('required settings are marked, and set', async (t) => {
  const editor = pickerOf({})
  editor.press('j', 'enter', 'tab')
  t.match(editor.frame(), /\* repo +required/)
  t.match(editor.frame(), 'about repo')
  editor.press('enter')
  editor.type('acme/web')
  editor.press('enter', 'j', 'enter')
  editor.paste('{number}')
  editor.press('enter')
  t.same(editor.spec(), { deliver: 'github_comment', deliver_extra: { repo: 'acme/web', pr_number: '{number}' } })
  editor.press('k', 'd')
  t.same(editor.spec().deliver_extra, { pr_number: '{number}' })
  editor.press('j', 'd')
  t.same(editor.spec(), { deliver: 'github_comment' })
})

t.test('several targets have settings of their own', async (t) => {
  const editor = pickerOf({ deliver: 'slack', deliver_extra: { chat_id: 'C1' } })
  editor.press('j', 'space')
  t.same(editor.spec(), { deliver: [{ target: 'slack', deliver_extra: { chat_id: 'C1' } }, 'telegram'] })
  t.match(editor.frame(), /\(2\) +telegram/)
  editor.press('tab', 'enter', 'enter')
  t.equal(editor.spec().deliver_mode, undefined, 'looking changes nothing')
  editor.press('space')
  t.equal(editor.spec().deliver_mode, 'first_success')
  editor.press('enter', 'k', 'enter')
  t.equal(editor.spec().deliver_mode, 'all')
  editor.press('space')
  t.equal(editor.spec().deliver_mode, 'first_success')
  editor.press('G', 'enter')
  editor.type('-100')
  editor.press('enter')
  t.same((editor.spec().deliver as unknown[])[1], { target: 'telegram', deliver_extra: { chat_id: '-100' } })
  editor.press('tab', 'K')
  t.match(editor.spec().deliver, [{ target: 'telegram' }, { target: 'slack' }])
  editor.press('space')
  t.same(editor.spec(), { deliver: 'slack', deliver_extra: { chat_id: 'C1' } }, 'the one that stays stands alone')
  editor.press('k', 'space')
  t.match(editor.frame(), 'slack is the only target')
})

t.test('a target of a list that shares settings gets its own when one is set', async (t) => {
  const editor = pickerOf({ deliver: ['slack', 'telegram'], deliver_extra: { chat_id: 'C1', thread_id: '9' } })
  editor.press('tab', 'G', 'enter', '^u')
  editor.type('7')
  editor.press('enter')
  t.same(editor.spec(), {
    deliver: ['slack', { target: 'telegram', deliver_extra: { chat_id: '7' } }],
    deliver_extra: { chat_id: 'C1', thread_id: '9' },
  })
})

t.test('a plugin that does not tell its settings takes any', async (t) => {
  const editor = pickerOf({ deliver: 'acme-chat', deliver_extra: { room: 'a' } })
  editor.press('tab', 'a')
  editor.type('colour')
  editor.press('enter')
  editor.type('red')
  editor.press('enter')
  t.same(editor.spec().deliver_extra, { room: 'a', colour: 'red' })
})

t.test('log is no target of a route that only delivers', async (t) => {
  const editor = pickerOf({ deliver: 'slack', deliver_only: true })
  editor.press('g', 'enter')
  t.equal(editor.spec().deliver, 'slack')
  t.match(editor.frame(), 'deliver_only needs a target other than log')
})

t.test('a test message is always asked about, and never sent in read-only', async (t) => {
  const editor = pickerOf(comment)
  editor.commands.length = 0
  editor.press('t')
  t.match(editor.frame(), 'send a real test message to github_comment?')
  editor.press('enter')
  t.same(editor.commands, [], 'Cancel comes first')
  editor.press('t', 'k', 'enter')
  t.match(editor.commands, [{ question: { ask: 'testTarget', of: { target: 'github_comment' } } }])
  editor.onMessage({ type: 'testTarget', of: {} as never, answer: { ok: false, message: 'github_comment: HTTP 404' } })
  t.match(editor.frame(), '! github_comment: HTTP 404')
  editor.press('j', 't')
  t.match(editor.frame(), 'the route does not deliver to slack')

  const fixed = pickerOf(comment, true)
  fixed.commands.length = 0
  fixed.press('t', 'j', 'enter', 'space', 'tab', 'enter', 'd')
  t.same(fixed.commands, [])
  t.same(fixed.spec(), comment)
})

t.test('secrets are not in the frame', async (t) => {
  const http: TargetRow = {
    name: 'http',
    title: 'HTTP',
    settings: { properties: { secret: { title: 'Secret', type: 'string', 'x-secret': true } } },
  }
  const editor = pickerOf({ deliver: 'http', deliver_extra: { secret: 's3cret-value-1', api_key: 'k3y-value-1' } })
  editor.onMessage({ type: 'targets', of: {}, answer: [http] })
  t.match(editor.frame(), 'set here, fp')
  t.notMatch(editor.frame(), /s3cret|k3y/)
  editor.press('esc')
  t.notMatch(editor.frame(), /s3cret|k3y/, 'nor on the route')
  t.notMatch(editor.frame(), 'Repository', 'which shows only the settings that are written')
})

t.test('a screen reader hears the targets', async (t) => {
  const editor = pickerOf(comment)
  const state = editor.state()
  const screen = state.screens.at(-1) as never
  t.match(models.deliver.rows?.(screen, state.world), [
    'log, Log, connected',
    'github_comment, GitHub, chosen, connected',
    'slack, Slack, connected, home channel C0',
  ])
})

const deskOn = (t: Test, routes: JsonObject, more: JsonObject = {}) => {
  const text = stringify({
    platforms: { webhook: { enabled: true, extra: { secret: '0f5e7d3c9a814b26c0d1e2f3a4b5c6d7', routes } }, ...more },
  })
  const dataDir = newFolder(t, { 'config.yaml': text })
  const finder = { find: async () => undefined, need: async () => Promise.reject(new Error('none')) }
  return { service: createEditorService({ dataDir, env: {}, self: 'headgate' }, finder), dataDir, text }
}

t.test('the service lists targets with what they lack', async (t) => {
  const { service, dataDir } = deskOn(t, {}, { slack: { token: 'xoxb-1', home_channel: 'C9' }, ntfy: { enabled: false } })
  const rows = new Map((await service.targets({})).map((row) => [row.name, row]))
  t.same(rows.get('log')?.missing, undefined)
  t.match(rows.get('slack'), { home: 'C9', title: 'Slack' })
  t.equal(
    rows.get('telegram')?.missing,
    `not connected: it needs platforms.telegram.token in config.yaml, or TELEGRAM_BOT_TOKEN in ${dataDir}/.env`,
  )
  t.match(rows.get('ntfy')?.missing, 'switched off: set platforms.ntfy.enabled: true')
  t.match(rows.get('github_comment')?.settings, { required: ['repo', 'pr_number'] })
})

t.test('the service sends a test with the settings of the draft on the payload', async (t) => {
  const got = await sink(t, (response) => response.writeHead(204).end())
  const { service } = deskOn(t, { r: { deliver: 'log' } })
  const opened = await service.open({ name: 'r' })
  const wanted = { deliver: 'http', deliver_extra: { url: `${got.origin}/{number}`, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' } }
  const draft = change(
    draftOf(opened),
    'http',
    Object.entries(wanted).map(([key, value]) => ({ kind: 'set', path: [key], value })),
  )
  await t.rejects(service.testTarget({ draft, target: 'slack' }), /the route does not deliver to slack/)
  await t.rejects(service.testTarget({ draft, target: 'http' }), /no payload is chosen/)
  await t.rejects(service.testTarget({ draft, target: 'http', payload: { from: 'text', text: '{}' } }), /deliver_extra\.url has no value/)
  const said = await service.testTarget({ draft, target: 'http', payload: { from: 'text', text: '{"number":7}' } })
  t.match(said, { ok: true, message: /^sent to http/ })
  t.match(got.seen, [{ method: 'POST', url: '/7', headers: { 'webhook-signature': /^v1,/ } }])
})
