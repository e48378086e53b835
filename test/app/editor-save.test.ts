/** What the editor saves: one route's lines, onto the text that was opened, and nothing that a gateway would not start with. */

import { execFileSync } from 'node:child_process'
import { appendFileSync, chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import type { YamlEdit } from '../../src/config/yaml/edit/yaml-edit.ts'
import { parseSource } from '../../src/config/yaml/source.ts'
import type { Json } from '../../src/core/json.ts'
import type { Hunk } from '../../src/datadir/line-diff.ts'
import type { GatewayFinder, RunningGateway } from '../../src/datadir/running-gateway.ts'
import { createEditorService } from '../../src/edit/create-service.ts'
import { createDraftTexts } from '../../src/edit/draft/draft-text.ts'
import {
  change,
  draftOf,
  isModified,
  type OpenedRoute,
  type RouteDraft,
  redo,
  removed,
  switched,
  undo,
} from '../../src/edit/draft/route-draft.ts'
import type { EditorService, Saved } from '../../src/edit/service.ts'
import { newFolder } from '../fakes/folder.ts'
import { noChanges } from '../fakes/operations.ts'

const config = `# The gateway of the office. Ask Kim before you change it.
platforms:
  webhook:
    enabled: true   # since May
    extra:
      port: 0
      secret: "the-secret-of-all-routes-1"

      routes:
        # Reviews, as agreed.
        pr-review:
          events: [pull_request]   # no pushes
          description: 'first look'
          filters:
            # only what is new
            - field: payload.action
              in: [opened, reopened]  # and no drafts
            - { field: payload.draft, not_equals: true }
          prompt: |
            Review "{pull_request.title}".

            Be kind.
          deliver: log

        # The one below is on trial.
        deploy-note:
          prompt: 'Deployed {ref}'
          secret: canary-canary-canary
# end
`

const bare = async (): Promise<undefined> => undefined
const none: GatewayFinder = {
  find: bare,
  need: () => Promise.reject(new Error('none runs')),
}

type Bench = {
  readonly dir: string
  readonly file: string
  readonly service: EditorService
  readonly another: () => EditorService
  readonly text: () => string
}

const bench = (t: Test, { text = config, finder = none, files = {} as { [name: string]: string } } = {}): Bench => {
  const dir = newFolder(t, { ...files, 'config.yaml': text })
  const file = join(dir, 'config.yaml')
  const another = (): EditorService => createEditorService({ dataDir: dir, env: {}, self: 'headgate' }, finder)
  return { dir, file, service: another(), another, text: () => readFileSync(file, 'utf8') }
}

const opened = async (service: EditorService, name: string): Promise<RouteDraft> => draftOf(await service.open({ name }))
const set = (draft: RouteDraft, key: string, value: Json): RouteDraft => change(draft, `set ${key}`, [{ kind: 'set', path: [key], value }])
const diffText = (hunks: readonly Hunk[]): string =>
  hunks
    .flatMap(({ lines }) => lines)
    .filter(({ kind }) => kind !== 'same')
    .map(({ kind, text }) => `${kind === 'added' ? '+' : '-'}${text}`)
    .join('\n')

const good = (saved: Saved): Extract<Saved, { ok: true }> => {
  if (!saved.ok) throw new Error(`${saved.why}: ${saved.message}`)
  return saved
}

t.test('one value changed in a commented file is one line of git diff', async (t) => {
  const { dir, service } = bench(t)
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', dir, '-c', 'user.name=x', '-c', 'user.email=x@x', ...args], { encoding: 'utf8' })
  git('init', '-q')
  git('add', 'config.yaml')
  git('commit', '-qm', 'x')
  const draft = set(await opened(service, 'pr-review'), 'description', "Kim's look")
  const plan = await service.plan({ draft })
  t.equal(diffText(plan.diff), "-          description: 'first look'\n+          description: 'Kim''s look'")
  t.strictSame([plan.stops, plan.conflict, plan.refused], [false, undefined, undefined])
  const saved = good(await service.save({ draft, despiteErrors: false }))
  t.equal(git('diff', '--numstat').trim(), '1\t1\tconfig.yaml')
  t.strictSame(saved.notices, ['saved config.yaml'])
  t.match(saved.opened, { name: 'pr-review', written: { description: "Kim's look" }, isNew: false })
  t.strictSame((await service.plan({ draft: draftOf(saved.opened) })).diff, [])
})

const word = fc.constantFrom('a', 'x: y', "it's", '"q"', '- z', '#no', 'ünï', 'two words', ' edge ', '0755', 'yes', 'l1\nl2', 'l1\n\nl3\n')
const condition = fc.record({ field: fc.constantFrom('payload.a', 'payload.b.c', 'event'), equals: word }, { noNullPrototype: true })
/** Edits about one key each, some of which a draft cannot take. */
const edit = fc.oneof(
  fc.record({
    kind: fc.constant('set' as const),
    path: fc.constantFrom(['description'], ['prompt'], ['events', 0], ['filters', 0, 'field'], ['deliver_extra', 'to']),
    value: word,
  }),
  fc.record({
    kind: fc.constant('set' as const),
    path: fc.constantFrom(['filters'], ['skills']),
    value: fc.array(condition, { maxLength: 2 }),
  }),
  fc.record({
    kind: fc.constant('remove' as const),
    path: fc.constantFrom(
      ['description'],
      ['prompt'],
      ['events'],
      ['filters', 0],
      ['filters', 1],
      ['filters', 0, 'in'],
      ['deliver_extra', 'to'],
    ),
  }),
  fc.record({ kind: fc.constant('insert' as const), path: fc.constant(['filters']), at: fc.nat(3), value: condition }),
  fc.record({ kind: fc.constant('insert' as const), path: fc.constant(['events']), at: fc.nat(2), value: word }),
  fc.record({ kind: fc.constant('move' as const), path: fc.constant(['filters']), from: fc.nat(2), to: fc.nat(2) }),
) as fc.Arbitrary<YamlEdit>

const openedIn = (text: string): OpenedRoute => {
  const base = ['platforms', 'webhook', 'extra', 'routes', 'pr-review']
  const written = base.reduce<unknown>((value, key) => (value as { [key: string]: unknown })[key], parseSource('', text).source?.data)
  return { name: 'pr-review', source: 'config', file: 'x', text, base, written: written as OpenedRoute['written'], isNew: false }
}

t.test('any edits and their undo give the same bytes, and redo the same as before', async () => {
  for (const text of [config, config.replaceAll('\n', '\r\n'), config.slice(0, -1)]) {
    const first = draftOf(openedIn(text))
    const textOf = createDraftTexts()
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 8 }), (edits) => {
        const last = edits.reduce((draft, each) => change(draft, 'x', [each]), first)
        const made = textOf(last)
        const undone = last.past.reduce((draft) => undo(draft), last)
        const redone = undone.future.reduce((draft) => redo(draft), undone)
        const again = textOf(redone)
        return textOf(undone).text === text && again.text === made.text && (!made.ok || openedIn(made.text).written !== undefined)
      }),
      { numRuns: 40 },
    )
  }
})

/** The lines of a key of the route, 0-based, the end not included; none where it does not stand there. */
const linesOfKey = (text: string, key: string): readonly [from: number, to: number] | undefined => {
  const { base, written } = openedIn(text)
  const place = parseSource('', text).source?.place
  if (!place || written[key] === undefined) return undefined
  const [start, end] = [place([...base, key], 'key'), place([...base, key])]
  return [start.line - 1, end.endColumn === 1 && end.endLine > start.line ? end.endLine - 1 : end.endLine]
}

t.test('any edit changes only the lines of the key that it names', async () => {
  const textOf = createDraftTexts()
  const first = draftOf(openedIn(config))
  fc.assert(
    fc.property(edit, (each) => {
      const draft = change(first, 'x', [each])
      const made = textOf(draft)
      if (!made.ok || made.text === config) return true
      const [before, after] = [config.split('\n'), made.text.split('\n')]
      const range = linesOfKey(config, String(each.path[0])) ?? linesOfKey(made.text, String(each.path[0]))
      let head = 0
      while (before[head] === after[head]) head++
      let tail = 0
      while (tail < before.length - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++
      return range !== undefined && head >= range[0] && before.length - tail <= Math.max(range[1], head)
    }),
    { numRuns: 120 },
  )
})

t.test('what is saved reads as the draft, and nothing outside of the route is touched', async (t) => {
  const { service, file, text } = bench(t)
  const [head, tail] = [config.slice(0, config.indexOf('        pr-review:')), config.slice(config.indexOf('        # The one below'))]
  await fc.assert(
    fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 4 }), async (edits) => {
      writeFileSync(file, config)
      const draft = edits.reduce((each, one) => change(each, 'x', [one]), await opened(service, 'pr-review'))
      const saved = await service.save({ draft, despiteErrors: true })
      const now = text()
      if (!saved.ok) return now === config && (saved.why === 'stops' || saved.why === 'refused')
      t.strictSame(saved.opened.written, draft.spec)
      return now === saved.opened.text && now.startsWith(head) && now.endsWith(tail)
    }),
    { numRuns: 12 },
  )
})

t.test('of two who edit the same route none loses what was saved', async (t) => {
  const { dir, service, another, text } = bench(t)
  const second = another()
  const mine = set(await opened(service, 'pr-review'), 'deliver', 'webhook')
  const events = set(await opened(service, 'pr-review'), 'events', ['push'])
  const prompt = set(await opened(second, 'pr-review'), 'prompt', 'theirs')
  good(await second.save({ draft: prompt, despiteErrors: false }))
  const plan = await service.plan({ draft: events })
  t.match(diffText(plan.conflict ?? []), /\+ {12}theirs$/)
  t.match(await service.save({ draft: events, despiteErrors: true }), {
    ok: false,
    why: 'conflict',
    message: /was changed since it was opened/,
  })
  t.notMatch(text(), 'push]')
  const onto = await service.plan({ draft: events, onto: 'current' })
  t.equal(diffText(onto.diff), '-          events: [pull_request]   # no pushes\n+          events: [push]   # no pushes')
  t.equal(onto.conflict, undefined)
  t.match(good(await service.save({ draft: events, despiteErrors: false, onto: 'current' })).opened.written, {
    prompt: 'theirs',
    events: ['push'],
  })
  const same = set(mine, 'prompt', 'mine')
  t.match(await service.plan({ draft: same, onto: 'current' }), { refused: '"prompt" changed in the file, too', diff: [] })
  const before = text()
  t.match(await service.save({ draft: same, despiteErrors: true, onto: 'current' }), { ok: false, why: 'conflict' })
  t.equal(text(), before)
  const other = join(dir, 'mine.yaml')
  const saved = good(await service.save({ draft: same, despiteErrors: true, as: other }))
  t.match(readFileSync(other, 'utf8'), /prompt: \|-\n {12}mine\n/)
  t.equal(statSync(other).mode & 0o777, 0o600)
  t.match(saved.opened.written, { prompt: 'theirs' })
  await t.rejects(service.save({ draft: same, despiteErrors: true, as: other }), { message: /is there already/ })
  const home = process.env.HOME
  process.env.HOME = dirname(other)
  t.teardown(() => Object.assign(process.env, { HOME: home }))
  await t.rejects(service.save({ draft: same, despiteErrors: true, as: ` ~/${basename(other)} ` }), {
    message: `${other} is there already`,
  })
})

t.test('of two who save at once one is told, and a program that appends is seen', async (t) => {
  const { service, another, file, text } = bench(t)
  const [a, b] = [
    set(await opened(service, 'pr-review'), 'description', 'a'),
    set(await opened(service, 'deploy-note'), 'description', 'b'),
  ]
  const both = await Promise.all([service.save({ draft: a, despiteErrors: false }), another().save({ draft: b, despiteErrors: false })])
  t.strictSame(both.map(({ ok }) => ok).sort(), [false, true])
  t.match(
    both.find(({ ok }) => !ok),
    { why: 'conflict' },
  )
  const draft = set(await opened(service, 'pr-review'), 'prompt', 'new')
  appendFileSync(file, '# by hand\n')
  t.match(await service.save({ draft, despiteErrors: true }), { why: 'conflict' })
  good(await service.save({ draft, despiteErrors: true, onto: 'current' }))
  t.match(text(), /prompt: \|-\n {12}new\n[\s\S]*# by hand\n$/)
})

t.test('what stops the start is never written, other errors when that is asked for', async (t) => {
  const { service, text } = bench(t)
  const first = await opened(service, 'pr-review')
  const stopping = set(first, 'deliver_only', true)
  t.match(await service.plan({ draft: stopping }), { stops: true, findings: [{ code: 'WH202' }] })
  t.match(await service.save({ draft: stopping, despiteErrors: true }), { ok: false, why: 'stops', message: /WH202/ })
  t.equal(text(), config)
  const wrong = set(first, 'script', 'gone.py')
  t.match(await service.save({ draft: wrong, despiteErrors: false }), { ok: false, why: 'errors', message: /WH601/ })
  t.equal(text(), config)
  good(await service.save({ draft: wrong, despiteErrors: true }))
  t.match(text(), 'script: gone.py')
  const other = set(await opened(service, 'deploy-note'), 'description', 'x')
  t.notMatch(await service.plan({ draft: other }), { findings: [{ code: 'WH601' }] }, 'an old finding of another route is not said')
})

t.test('the file keeps its mode; a link is not touched; a diff shows no secret', async (t) => {
  const { dir, service, file } = bench(t)
  chmodSync(file, 0o640)
  const draft = set(await opened(service, 'deploy-note'), 'secret', 'canary-2-canary-2-canary')
  const plan = await service.plan({ draft })
  t.equal(diffText(plan.diff), '-          secret: ***\n+          secret: ***')
  t.notMatch(JSON.stringify(plan), 'canary')
  good(await service.save({ draft, despiteErrors: false }))
  t.equal(statSync(file).mode & 0o777, 0o640)
  t.notOk(existsSync(`${file}.bak`))
  const linked = join(dir, 'linked')
  mkdirSync(linked)
  symlinkSync(file, join(linked, 'config.yaml'))
  const there = createEditorService({ dataDir: linked, env: {}, self: 'headgate' }, none)
  const away = set(await opened(there, 'pr-review'), 'description', 'x')
  await t.rejects(there.save({ draft: away, despiteErrors: false }), { message: /symbolic link/ })
  t.strictSame(readdirSync(dir).sort(), ['config.yaml', 'linked'])
})

t.test('a read-only file is not replaced: what is said names its mode and what to do', async (t) => {
  const { service, file, text, dir } = bench(t)
  const draft = set(await opened(service, 'pr-review'), 'description', 'x')
  chmodSync(file, 0o444)
  const refused = { code: 'read_only', message: /config\.yaml may not be written \(mode 0444\)/, hint: /chmod u\+w / }
  await t.rejects(service.save({ draft, despiteErrors: false }), refused)
  await t.rejects(service.save({ draft: switched(await opened(service, 'pr-review')), despiteErrors: false }), refused)
  await t.rejects(service.save({ draft: removed(await opened(service, 'pr-review')), despiteErrors: false }), refused)
  t.equal(text(), config)
  t.strictSame(readdirSync(dir), ['config.yaml'])
  chmodSync(file, 0o644)
  good(await service.save({ draft, despiteErrors: false }))
})

t.test('a running gateway takes over what is saved, or says why not', async (t) => {
  let answer: Awaited<ReturnType<RunningGateway['reload']>> = { ok: true, diagnostics: [], restart: ['port'], changes: noChanges }
  const gateway = { reload: async () => answer } as unknown as RunningGateway
  const { service } = bench(t, { finder: { find: async () => gateway, need: async () => gateway } })
  const draft = set(await opened(service, 'pr-review'), 'description', 'a')
  const saved = good(await service.save({ draft, despiteErrors: false }))
  t.strictSame(saved.notices.slice(1), ['the running gateway took it over', 'these need a restart: port'])
  answer = { ok: false, diagnostics: [], restart: [], changes: noChanges }
  const again = good(await service.save({ draft: set(draftOf(saved.opened), 'description', 'b'), despiteErrors: false }))
  t.match(again.notices[1], /refused it and serves what it had/)
})

t.test('a new route is put where routes stand, as a whole; a clone has no secret', async (t) => {
  const { service, text } = bench(t)
  for (const name of ['', 'no/way', '-x', 'x'.repeat(65)]) await t.rejects(service.create({ name }), { message: /cannot be a name/ })
  await t.rejects(service.create({ name: 'pr-review' }), { message: /there is a route "pr-review" already/ })
  const made = await service.create({ name: 'new-one' })
  t.match(made, { isNew: true, written: {}, base: ['platforms', 'webhook', 'extra', 'routes', 'new-one'] })
  const draft = set(set(draftOf(made), 'events', ['push']), 'prompt', 'hello\nyou\n')
  const saved = good(await service.save({ draft, despiteErrors: false }))
  const added = '        new-one:\n          events:\n            - push\n          prompt: |\n            hello\n            you\n'
  t.equal(text(), config.replace('# end\n', `${added}# end\n`))
  t.match(saved.opened, { isNew: false, written: { events: ['push'] } })
  const clone = await service.create({ name: 'twin', clone: 'deploy-note' })
  t.strictSame(clone.written, { prompt: 'Deployed {ref}' })
  good(await service.save({ draft: draftOf(clone), despiteErrors: false }))
  t.match(text(), '        twin:\n          prompt: Deployed {ref}\n')
  const late = draftOf(await service.create({ name: 'late' }))
  good(await service.save({ draft: draftOf(await service.create({ name: 'late' })), despiteErrors: false }))
  t.match(await service.plan({ draft: late, onto: 'current' }), { refused: /there is a route "late" in the file by now/ })
})

t.test('a new route like a sample names the variable that holds the key of its sender, as the command does', async (t) => {
  const { service } = bench(t)
  const keyOf = async (name: string, like: string) => {
    const { written } = await service.create({ name, like })
    return [written.secret, written.public_key]
  }
  t.strictSame(await keyOf('pay', 'stripe/charge.refunded'), ['${STRIPE_SIGNING_SECRET}', undefined])
  t.strictSame(await keyOf('mail', 'sendgrid/delivered'), [undefined, '${SENDGRID_PUBLIC_KEY}'])
  t.strictSame(await keyOf('code', 'github/push'), [undefined, undefined], 'the secret of all routes serves, which is entered there')
  const draft = draftOf(await service.create({ name: 'pay', like: 'stripe/charge.refunded' }))
  t.match(await service.text({ draft }), /verify: stripe\n *secret: \$\{STRIPE_SIGNING_SECRET\}\n/)
  const { findings } = await service.preview({ draft, revision: 0 })
  t.match(findings, [{ code: 'WH305' }], 'what belongs into .env is a finding')
})

t.test('routes that stand beside extra, or not yet, get a new one in the right place', async (t) => {
  const rows: readonly (readonly [text: string, after: string])[] = [
    [
      'platforms:\n  webhook:\n    port: 0\n    routes:\n      a: {}\n',
      'platforms:\n  webhook:\n    port: 0\n    routes:\n      a: {}\n      b: {}\n',
    ],
    ['platforms:\n  webhook:\n    port: 0\n', 'platforms:\n  webhook:\n    port: 0\n    routes:\n      b: {}\n'],
    [
      'platforms:\n  webhook:\n    enabled: true\n',
      'platforms:\n  webhook:\n    enabled: true\n    extra:\n      routes:\n        b: {}\n',
    ],
    ['# none\n', '# none\nplatforms:\n  webhook:\n    extra:\n      routes:\n        b: {}\n'],
  ]
  for (const [text, after] of rows) {
    const { service, text: now } = bench(t, {
      text,
      files: { '.env': 'WEBHOOK_ENABLED=true\nWEBHOOK_SECRET=the-secret-of-all-routes-1\n' },
    })
    good(await service.save({ draft: draftOf(await service.create({ name: 'b' })), despiteErrors: false }))
    t.equal(now(), after)
  }
})

t.test('a route is switched and deleted in its lines; of a deleted one the text before is kept', async (t) => {
  const { service, file, text } = bench(t)
  const off = switched(await opened(service, 'pr-review'))
  good(await service.save({ draft: off, despiteErrors: false }))
  t.equal(text(), config.replace('          deliver: log\n', '          deliver: log\n          enabled: false\n'))
  good(await service.save({ draft: switched(await opened(service, 'pr-review')), despiteErrors: false }))
  t.match(text(), '          enabled: true\n')
  const twice = switched(switched(await opened(service, 'deploy-note')))
  t.notOk(isModified(twice), 'there and back changes nothing')
  t.strictSame((await service.plan({ draft: twice })).diff, [])
  const before = text()
  const draft = removed(await opened(service, 'deploy-note'))
  t.match(diffText((await service.plan({ draft })).diff), /^-.*deploy-note:\n-.*Deployed/m)
  t.equal(text(), before, 'nothing is written before it is saved')
  const { notices, isDeleted } = good(await service.save({ draft, despiteErrors: false }))
  t.ok(isDeleted)
  t.notMatch(text(), 'Deployed')
  t.equal(statSync(`${file}.bak`).mode & 0o777, 0o600)
  const undoing = notices.join('; ')
  execFileSync('sh', ['-c', undoing.slice(undoing.indexOf('cp '))])
  t.equal(text(), before)
})

t.test('a route that somebody changed meanwhile is not deleted over it, and a kept draft remembers that it deletes', async (t) => {
  const { service, another, text, file } = bench(t)
  const draft = removed(await opened(service, 'pr-review'))
  await service.keepDraft({ draft })
  t.match(await service.drafts({}), [{ draft: { past: [{ removes: true }] } }])
  good(await another().save({ draft: set(await opened(another(), 'pr-review'), 'description', 'theirs'), despiteErrors: false }))
  t.match(await service.save({ draft, despiteErrors: true }), { why: 'conflict' })
  t.match((await service.plan({ draft, onto: 'current' })).refused, '"description" changed in the file, too')
  t.match(text(), 'theirs')
  appendFileSync(file, '# by hand\n')
  const again = removed(await opened(service, 'deploy-note'))
  appendFileSync(file, '# and again\n')
  good(await service.save({ draft: again, despiteErrors: false, onto: 'current' }))
  t.match(text(), '# and again')
  t.notMatch(text(), 'deploy-note')
})

const stored = {
  'pr-review': {
    description: 'hidden',
    events: ['push'],
    secret: 'canary-canary-canary-1',
    prompt: 'x',
    deliver: 'log',
    created_at: '2026-01-01T00:00:00Z',
  },
  sub: {
    description: '',
    events: ['push'],
    secret: 'canary-canary-canary-2',
    prompt: 'x',
    deliver: 'log',
    created_at: '2026-01-01T00:00:00Z',
  },
}

t.test('a subscription is saved by its own rules: secrets stay hidden and kept, errors are never saved', async (t) => {
  const { dir, service, another } = bench(t, { files: { 'webhook_subscriptions.json': JSON.stringify(stored) } })
  const entries = (): typeof stored => JSON.parse(readFileSync(join(dir, 'webhook_subscriptions.json'), 'utf8'))
  const first = await opened(service, 'sub')
  t.notMatch(JSON.stringify(first), 'canary')
  const draft = set(first, 'prompt', 'new')
  t.equal(diffText((await service.plan({ draft })).diff), '-prompt: x\n+prompt: new')
  const theirs = set(await opened(another(), 'sub'), 'description', 'theirs')
  good(await another().save({ draft: theirs, despiteErrors: false }))
  t.match(await service.save({ draft, despiteErrors: true }), { why: 'conflict' })
  good(await service.save({ draft, despiteErrors: false, onto: 'current' }))
  t.match(entries().sub, { prompt: 'new', description: 'theirs', secret: stored.sub.secret })
  const wrong = set(await opened(service, 'sub'), 'deliver', 'telegrm')
  t.match(await service.save({ draft: wrong, despiteErrors: true }), { why: 'stops', message: /WH704/ })
  const tools = set(await opened(service, 'sub'), 'toolsets', ['shell'])
  t.match(await service.save({ draft: tools, despiteErrors: true }), { why: 'refused', message: /toolsets/ })
  good(await service.save({ draft: switched(await opened(service, 'sub')), despiteErrors: false }))
  t.match(entries().sub, { enabled: false, secret: stored.sub.secret })
  const hidden = removed(draftOf(await service.open({ name: 'pr-review', source: 'subscription' })))
  t.match(diffText((await service.plan({ draft: hidden })).diff), '-description: hidden')
  t.match(good(await service.save({ draft: hidden, despiteErrors: false })).notices, [
    'saved webhook_subscriptions.json',
    /deleted "pr-review"; undo: cp /,
  ])
  t.strictSame(Object.keys(entries()), ['sub'])
  t.match(readFileSync(join(dir, 'config.yaml'), 'utf8'), 'pr-review:')
})

t.test('drafts are kept for their owner alone, and offered on the file as it is', async (t) => {
  const { dir, service, file } = bench(t)
  const draft = set(set(await opened(service, 'pr-review'), 'prompt', 'mine'), 'secret', 'typed-typed-typed')
  t.match(await service.keepDraft({ draft }), /kept as .*\.drafts/)
  const kept = join(dir, '.drafts', 'pr-review.json')
  t.strictSame([statSync(kept).mode & 0o777, statSync(join(dir, '.drafts')).mode & 0o777], [0o600, 0o700])
  t.notMatch(readFileSync(kept, 'utf8'), 'the-secret-of-all-routes', 'only the route is in it')
  const [same] = await service.drafts({})
  t.strictSame([same?.draft.spec, same?.draft.past, same?.note], [draft.spec, draft.past, undefined])
  appendFileSync(file, '# by hand\n')
  t.match(await service.drafts({}), [{ note: 'the file changed meanwhile', draft: { spec: draft.spec } }])
  writeFileSync(file, readFileSync(file, 'utf8').replace('Be kind.', 'Be brief.'))
  const [clash] = await service.drafts({})
  t.match(clash, { note: 'changed in the file, too: prompt', draft: { spec: { prompt: 'mine' } } })
  t.match(diffText((await service.plan({ draft: clash?.draft as RouteDraft })).diff), /-.*Be brief/)
  writeFileSync(file, config.replace(/ {8}pr-review:[\s\S]*deliver: log\n/, ''))
  const [gone] = await service.drafts({})
  t.match(gone, { note: 'the route is not in the file any more', draft: { opened: { isNew: true }, spec: draft.spec } })
  good(await service.save({ draft: gone?.draft as RouteDraft, despiteErrors: false }))
  await service.dropDraft({ name: 'pr-review', source: 'config' })
  t.strictSame(await service.drafts({}), [])
})

t.test('drafts have bounds, and what is none of ours is left out', async (t) => {
  const { dir, service } = bench(t)
  const draft = set(await opened(service, 'pr-review'), 'prompt', 'x')
  for (let i = 0; i < 22; i++) await service.keepDraft({ draft: { ...draft, opened: { ...draft.opened, name: `r${i}` } } })
  t.equal((await service.drafts({})).length, 20)
  t.equal(readdirSync(join(dir, '.drafts')).length, 20)
  await t.rejects(service.keepDraft({ draft: set(draft, 'prompt', 'x'.repeat(1_100_000)) }), { message: /is larger than/ })
  for (const [name, text] of Object.entries({
    a: '',
    b: '{}',
    c: '[1]',
    d: '{"v":1,"at":1,"name":"x","past":[{"edits":[{"kind":"boom"}]}]}',
  }))
    writeFileSync(join(dir, '.drafts', `${name}.json`), text)
  await service.keepDraft({ draft: { ...draft, opened: { ...draft.opened, name: '../../evil' } } })
  t.notOk(existsSync(join(dir, '..', 'evil.json')))
  t.equal((await service.drafts({})).length, 20)
})
