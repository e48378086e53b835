/** The text of a route as a person edits it: what is shown of a file, and what becomes of the file. */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { stringify } from 'yaml'
import { parseSource } from '../../src/config/yaml/source.ts'
import { isObject } from '../../src/core/json.ts'
import { createEditorService } from '../../src/edit/create-service.ts'
import { change, draftOf, isModified, type RouteDraft, rewritten } from '../../src/edit/draft/route-draft.ts'
import { routeTextIn, textChange, withRouteText } from '../../src/edit/draft/route-text.ts'
import { newFolder } from '../fakes/folder.ts'
import { yamlTexts } from '../fakes/yaml-texts.ts'

const config = `# of the office
platforms:
  webhook:
    enabled: true
    extra:
      secret: "secret-of-all"
      routes:
        # Reviews
        pr:
          # first

    # further to the left
          events: [push]   # no
          secrets: ["secret-one", 'secret-two', '\${NAME}']
          prompt: |
            Review

            kind
          deliver: slack
          deliver_extra: { endpoint: "https://user:password-one@host/x?token=token-one" }
          # the end
        # next
        braces: { prompt: x, secret: secret-three }
        empty: {}   # nothing
        none:
`

const serviceOn = (t: Test, text = config, files: { readonly [name: string]: string } = {}) => {
  const dataDir = newFolder(t, { 'config.yaml': text, ...files })
  const workspace = { dataDir, env: { NAME: 'secret-of-env' }, self: 'headgate' }
  const service = createEditorService(workspace, { find: async () => undefined, need: async () => Promise.reject(new Error('none')) })
  return { service, dataDir, text: () => readFileSync(join(dataDir, 'config.yaml'), 'utf8') }
}
type Service = ReturnType<typeof serviceOn>['service']

/** Opens a route and changes its text. */
const edited = async (service: Service, name: string, edit: (text: string) => string): Promise<RouteDraft> => {
  const draft = draftOf(await service.open({ name }))
  const from = await service.text({ draft })
  return rewritten(draft, textChange(from, edit(from)))
}

t.test('a text shows a route from column 0, with its comments, and stars for secrets', async (t) => {
  const { service } = serviceOn(t)
  const text = await service.text({ draft: draftOf(await service.open({ name: 'pr' })) })
  const [first, blank, left, ...others] = text.split('\n')
  t.same([first, blank, left], ['# first', '', '# further to the left'])
  t.match(others.join('\n'), /^events: \[push\] {3}# no\nsecrets: \[.*\]\nprompt: \|\n {2}Review\n\n {2}kind\n/)
  t.match(text, /# the end$/)
  t.notMatch(text, /secret-one|secret-two|password-one|token-one/)
  t.match(text, /\$\{NAME\}/, 'a reference is no secret')
  t.equal(await service.text({ draft: draftOf(await service.open({ name: 'empty' })) }), '')
  const credential = serviceOn(t, 'platforms:\n  webhook:\n    routes:\n      a:\n        secret: credential:webhook\n').service
  t.equal(await credential.text({ draft: draftOf(await credential.open({ name: 'a' })) }), 'secret: credential:webhook', 'nor is its name')
})

t.test('a saved text changes its own lines and nothing else', async (t) => {
  const cases: readonly (readonly [route: string, edit: (text: string) => string, from: string, to: string])[] = [
    ['pr', (text) => text.replace('# no', '# none'), '# no\n', '# none\n'],
    [
      'pr',
      (text) => text.replace('prompt: |', 'description: x\nprompt: |'),
      '          prompt',
      '          description: x\n          prompt',
    ],
    ['pr', (text) => text.replace(/secrets: \[(.*?), /, "secrets: ['secret-new', $1, "), '["secret-one"', `['secret-new', "secret-one"`],
    ['pr', (text) => text.replace(/"https.*"/, (url) => url.replace('/x?', '/y?')), '@host/x?', '@host/y?'],
    ['braces', (text) => text.replace('prompt: x', 'prompt: y'), 'prompt: x,', 'prompt: y,'],
    ['braces', () => 'prompt: y\n', ' { prompt: x, secret: secret-three }\n', '\n          prompt: y\n'],
    ['empty', () => 'prompt: y', ' {}   # nothing\n', '   # nothing\n          prompt: y\n'],
  ]
  for (const [name, edit, from, to] of cases) {
    const { service, text } = serviceOn(t)
    const draft = await edited(service, name, edit)
    const plan = await service.plan({ draft })
    t.equal(plan.refused, undefined)
    t.notMatch(JSON.stringify(plan), /secret-one|secret-new/, 'a plan has no secrets')
    const saved = await service.save({ draft, despiteErrors: true })
    t.equal(saved.ok, true)
    t.equal(text(), config.replace(from, to), name)
  }
})

t.test('lines that were not edited stay as they are in every file', (t) => {
  let tried = 0
  fc.assert(
    fc.property(yamlTexts, (text) => {
      const data = parseSource('', text).source?.data
      for (const key of isObject(data) ? Object.keys(data) : []) {
        const from = routeTextIn(text, [key])
        if (typeof from !== 'string' || from === '' || from.startsWith('{')) continue
        tried++
        const opened = { name: key, source: 'config', file: '', text, base: [key], written: {}, isNew: false } as const
        const changed = withRouteText(text, opened, { from, to: `# new\n${from}` })
        if (!changed.ok) throw new Error(changed.why)
        if (changed.text.replace(/^ *# new\r?\n/m, '') !== text) throw new Error(changed.text)
      }
    }),
    // Blank lines at the end of a text with `|+` belong to its value.
    { numRuns: 300, examples: [['a:\n  a: |+\n    one\n\n']] },
  )
  t.ok(tried > 50, `${tried} maps`)
  t.end()
})

t.test('stars stand for a secret where it was, and nowhere else', async (t) => {
  const { service, text } = serviceOn(t)
  const moved = await edited(service, 'pr', (shown) => shown.replace(/secrets: \[('[^']*'), ('[^']*'), .*\]/, 'secrets:\n  - $2\n  - $1'))
  t.equal((await service.save({ draft: moved, despiteErrors: true })).ok, true, 'within its list')
  t.match(text(), `          secrets:\n            - 'secret-two'\n            - "secret-one"\n`)
  const commented = await edited(service, 'pr', (shown) =>
    shown.replace('# the end', '# secrets: x').replace(/\n {2}- ('.*')$/m, '\n  # token: x'),
  )
  t.equal((await service.plan({ draft: commented })).refused, undefined)

  const last = /\n {2}- ('.*')\nprompt/
  const cases: { readonly [what: string]: (text: string) => string } = {
    'unknown stars': (shown) => shown.replace(/- '.*'/, "- '*** (00000000)'"),
    'another key': (shown) => shown.replace(last, '\nname: $1\nprompt'),
    'within a text': (shown) => shown.replace('kind', /'(\*[^']*)'/.exec(shown)?.[1] ?? ''),
    'a new key': (shown) => shown.replace(last, '\n$1: y\nprompt'),
    'another list': (shown) => shown.replace(last, '\nskills: [$1]\nprompt'),
    'an alias': (shown) => shown.replace(last, '\n  - &it $1\nprompt').replace('deliver: slack', 'deliver: *it'),
    'an alias of what is around': (shown) => shown.replace('secrets:', 'secrets: &it').replace('deliver: slack', 'deliver: *it'),
    'another host': (shown) => shown.replace('@host/', '@other/'),
    'another parameter': (shown) => shown.replace('?token=', '?page='),
    'the path': (shown) => shown.replace(/\?token=(\*.*)"/, '/$1"'),
    'the login as a parameter': (shown) => shown.replace(/\/\/([^"]*)@host/, '//host').replace('?token', '?key=*** (00000000)&token'),
    'a comment with another key': (shown) => shown.replace(last, '\n# name: $1\nprompt'),
    'a comment': (shown) => shown.replace(last, '\n# $1\nprompt'),
  }
  const before = text()
  for (const [what, edit] of Object.entries(cases)) {
    const draft = await edited(service, 'pr', edit)
    t.match(await service.plan({ draft }), { refused: /^line \d+: '?\*\*\* \(\w+\)'?: a mask stands for a secret only where it was/ }, what)
    t.match(await service.save({ draft, despiteErrors: true }), { ok: false, why: 'refused' }, what)
    t.match(await service.preview({ draft, revision: 0 }), { refused: /a mask stands/ }, what)
  }
  t.equal(text(), before)
  const elsewhere = await edited(service, 'braces', () => `prompt: x\nsecret: ${/'\*[^']*'/.exec(draftText(moved))?.[0]}`)
  t.match(await service.plan({ draft: elsewhere }), { refused: /a mask stands/ }, 'another route')
  const broken = await edited(service, 'pr', (shown) => shown.replace('deliver: slack', 'deliver: a: b'))
  t.match(await service.preview({ draft: broken, revision: 0 }), { findings: [{ code: 'WH001' }] })
  await t.rejects(service.save({ draft: broken, despiteErrors: true, as: `${t.testdirName}/other.yaml` }), /cannot be put back/)
})

t.test('stars beside an address stand for a secret only while it goes to the same receiver', async (t) => {
  const extra = {
    url: 'https://ci.example.org/in?page=1',
    secret: 'secret-of-target',
    headers: { 'X-Key': 'secret-of-header', 'X-B': 'b' },
  }
  const several = { prompt: 'x', deliver: [{ target: 'http', deliver_extra: structuredClone(extra) }, 'log'] }
  const polling = { prompt: 'x', deliver: 'log', poll: { url: 'https://poll.example.org/', token: 'secret-of-poll' } }
  const anchored = ['deliver_extra: &to', '  url: https://ci.example.org/', '  secret: secret-of-anchor', 'x-more: *to', 'prompt: x', '']
  const one = { prompt: 'x', deliver: 'http', deliver_extra: extra }
  const routes = { one, several, polling }
  const text = stringify({ platforms: { webhook: { enabled: true, extra: { secret: 'a global secret of all', routes } } } })
  const withAnchor = `${text}        anchored:\n${anchored
    .map((line) => `          ${line}`)
    .join('\n')
    .trimEnd()}\n`
  const entries = Object.fromEntries(
    Object.entries(routes).map(([name, entry]) => [`sub-${name}`, { ...entry, secret: 'a secret of an entry' }]),
  )
  const { service } = serviceOn(t, withAnchor, { 'webhook_subscriptions.json': JSON.stringify(entries) })
  const other = (shown: string): string => shown.replace(/https:\/\/\w+\.example\.org/, 'https://evil.example.net')
  const cases: readonly (readonly [name: string, what: string, edit: (text: string) => string])[] = [
    ['one', 'another host', other],
    ['one', 'another path', (shown) => shown.replace('/in?', '/out?')],
    ['one', 'no address', (shown) => shown.replace(/^ +url: .*\n/m, '')],
    ['one', 'another target', (shown) => shown.replace('deliver: http', 'deliver: discord')],
    ['one', 'one more target', (shown) => shown.replace('deliver: http', 'deliver: [http, discord]')],
    ['several', 'another host in a list', other],
    ['several', 'another target in a list', (shown) => shown.replace('target: http', 'target: discord')],
    ['polling', 'another endpoint', other],
    ['sub-one', 'another host', other],
    ['sub-one', 'another target', (shown) => shown.replace('deliver: http', 'deliver: discord')],
    ['sub-several', 'another host in a list', other],
    ['sub-polling', 'another endpoint', other],
    ['anchored', 'another host beside an anchor', other],
  ]
  for (const [name, what, edit] of cases) {
    const draft = await edited(service, name, edit)
    t.match(await service.plan({ draft }), { refused: /where this secret goes has changed, so enter it again/ }, `${name}: ${what}`)
    t.match(await service.save({ draft, despiteErrors: true }), { ok: false, why: 'refused' }, `${name}: ${what}`)
    t.match(await service.preview({ draft, revision: 0 }), { refused: /goes has changed/ }, `${name}: ${what}`)
  }
  const kept = (shown: string): string => shown.replace('prompt: x', 'prompt: y').replace('X-B', 'X-C').replace("'*** (3e23e816)'", 'c')
  for (const name of ['one', 'several', 'polling', 'sub-one', 'sub-several', 'sub-polling']) {
    const draft = await edited(service, name, kept)
    t.equal((await service.plan({ draft })).refused, undefined, `${name} keeps its stars`)
  }
  const anew = await edited(service, 'one', (shown) => other(shown).replace(/'\*[^']*'/g, 'a new one'))
  t.equal((await service.plan({ draft: anew })).refused, undefined, 'a secret that is entered again')
})

const draftText = ({ past }: RouteDraft): string => past[0]?.text?.from ?? ''

t.test('a text cannot change what stands outside of its route', async (t) => {
  const { service } = serviceOn(t)
  const out = await edited(service, 'braces', () => '{ prompt: x }\n        stranger: { prompt: y }')
  t.match(await service.plan({ draft: out }), { refused: /more of the file than this route/ })
  const { service: json } = serviceOn(t, '{"platforms": {"webhook": {"extra": {"routes": {"a": {"prompt": "x"}}}}}}\n')
  const blocks = await edited(json, 'a', () => 'prompt: y')
  t.match(await json.plan({ draft: blocks }), { refused: /must be written in braces/ })
  const { service: aliased } = serviceOn(
    t,
    'x-all: &all { prompt: x }\nplatforms: { webhook: { extra: { routes: { a: *all, b: &b { prompt: x }, c: *b } } } }\n',
  )
  await t.rejects(
    aliased.open({ name: 'a' }).then(async (opened) => aliased.text({ draft: draftOf(opened) })),
    /alias/,
  )
  t.match(await aliased.plan({ draft: await edited(aliased, 'b', () => '{ prompt: y }') }), { refused: /more of the file/ })
})

t.test('a kept text is a draft for the terminal editor, too', async (t) => {
  const { service, dataDir } = serviceOn(t)
  const draft = await edited(service, 'pr', (text) =>
    text.replace('# first', '# FIRST').replace('events: [push]', 'events: [pull_request]'),
  )
  t.ok(isModified(await edited(service, 'pr', (text) => text.replace('# first', '# FIRST'))), 'a comment is a change')
  await service.keepDraft({ draft })
  writeFileSync(join(dataDir, 'config.yaml'), config.replace('# the end', '# THE END').replace('enabled: true', 'enabled: yes'))
  const [kept] = await service.drafts({ route: 'pr' })
  t.equal(kept?.note, 'the file changed meanwhile')
  t.same(kept?.draft.spec.events, ['pull_request'])
  const further = change(kept?.draft as RouteDraft, 'set description', [{ kind: 'set', path: ['description'], value: 'by hand' }])
  const { yaml, places, findings, revision } = await service.preview({ draft: further, revision: 7 })
  t.equal(revision, 7)
  t.equal(places.length, findings.length)
  t.match(yaml, /# FIRST[\s\S]*events: \[pull_request\][\s\S]*description: by hand/)
})

t.test('findings stand at the lines of the text, also where the text is no YAML', async (t) => {
  const { service } = serviceOn(t)
  const preview = async (name: string, edit: (text: string) => string) =>
    service.preview({ draft: await edited(service, name, edit), revision: 0 })
  const typo = await preview('pr', (text) => text.replace('events:', 'evnts:'))
  t.match(typo.places[typo.findings.findIndex(({ message }) => message.includes('evnts'))], { line: 4, column: 1, endColumn: 6 })
  const broken = await preview('pr', (text) => text.replace('deliver: slack', 'deliver: a: b'))
  t.match(broken.findings, [{ code: 'WH001' }])
  t.equal(broken.places[0]?.line, 10)
})

t.test('a subscription is edited by its text, and keeps its secret', async (t) => {
  const entry = { prompt: 'x', secret: 'secret-of-entry', deliver: 'log', events: ['push'], created_at: '2026-01-01T00:00:00Z' }
  const { service, dataDir } = serviceOn(t, config.replace('        none:\n', '').replace('deliver: slack', 'deliver: log'), {
    'webhook_subscriptions.json': JSON.stringify({ sub: entry }),
  })
  const draft = await edited(service, 'sub', (text) => text.replace('prompt: x', 'prompt: y'))
  t.notMatch(draft.past[0]?.text?.from, /secret-of-entry/)
  const saved = await service.save({ draft, despiteErrors: false })
  t.equal(saved.ok, true, saved.ok ? '' : saved.message)
  const after = JSON.parse(readFileSync(join(dataDir, 'webhook_subscriptions.json'), 'utf8'))
  t.match(after, { sub: { ...entry, prompt: 'y' } })
  const broken = await service.preview({
    draft: await edited(service, 'sub', (text) => text.replace(/prompt: .*/, 'promt: z')),
    revision: 0,
  })
  const at = broken.findings.findIndex(({ message }) => message.includes('promt'))
  t.equal(broken.places[at]?.line, 2)
})
