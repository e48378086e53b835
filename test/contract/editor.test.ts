/** What an editor with the YAML language server offers, shows and underlines: cursor here (`▮`) → expect these. */

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { createDryEffects } from '../../src/app/live/effects.ts'
import { loadConfig } from '../../src/config/load.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { schema } from '../../src/generated/schema.ts'
import { operators } from '../../src/parts/operators/index.ts'
import { catalogue } from '../../src/plan/catalogue.ts'
import { compileRoute } from '../../src/plan/compile.ts'
import { type Item, startLanguageServer } from '../fakes/language-server.ts'

const schemaFile = fileURLToPath(new URL('../../schema/headgate.schema.json', import.meta.url))
const editor = await startLanguageServer(t, `# yaml-language-server: $schema=${schemaFile}\n`)

const routes = (lines: string): string => `platforms:\n  webhook:\n    enabled: true\n    extra:\n      routes:\n${lines}`
/** Lines inside a route, indented as they must be. */
const route = (...lines: string[]): string => routes(`        pr:\n${lines.map((line) => `          ${line}`).join('\n')}`)
const labels = (items: readonly Item[]): string[] => items.map(({ label }) => label)
const inserted = (items: readonly Item[], label: string): string | undefined => items.find((item) => item.label === label)?.insertText
const shown = (items: readonly Item[], label: string): string =>
  JSON.stringify(items.find((item) => item.label === label)?.documentation ?? '')
const includes = (t: Test, items: readonly Item[], ...expected: string[]): void => {
  const missing = expected.filter((label) => !labels(items).includes(label))
  t.same(missing, [], `among ${labels(items)}`)
}

const built = Object.entries(((schema.definitions as JsonObject).Route as JsonObject).properties as { [key: string]: JsonObject })
  .filter(([, node]) => !('x-unbuilt' in node))
  .map(([key]) => key)

t.test('an empty file: the sections', async (t) => {
  t.same(labels(await editor.complete('▮')), ['platforms', 'gateway', 'agent', 'plugins', 'storage', 'jobs'])
})

t.test('in a route: its keys, each with its note, a colon and what it commonly takes; nothing that is not built', async (t) => {
  const items = await editor.complete(route('▮'))
  t.same(labels(items), built)
  for (const { label, insertText } of items) t.match(insertText, new RegExp(`^${label}:`), `${label} brings its colon`)
  for (const label of built) t.not(shown(items, label), '""', `${label} says what it is`)
  t.equal(inserted(items, 'enabled'), 'enabled: ${1:true}')
  t.equal(inserted(items, 'script_timeout_seconds'), 'script_timeout_seconds: ${1:30}')
  t.match(inserted(items, 'filters'), /^filters:\n +- /)
})

t.test('a key that is there is not offered again, and half a key finds the rest', async (t) => {
  t.notOk(labels(await editor.complete(route('prompt: x', '▮'))).includes('prompt'))
  includes(t, await editor.complete(route('del▮')), 'deliver', 'deliver_extra', 'deliver_only')
})

t.test('values: targets, schemes, runners, events, with a text each', async (t) => {
  const targets = await editor.complete(route('deliver: ▮'))
  t.same(labels(targets).slice(0, 4), ['log', 'github_comment', 'hosta_comment', 'http'], 'what works comes first')
  t.match(shown(targets, 'github_comment'), 'comment on a pull request')
  t.match(shown(targets, 'telegram'), 'Telegram')
  t.same(labels(await editor.complete('plugins:\n  - ▮')), ['./acme-chat.mjs'])

  const schemes = ['svix', 'standard_webhooks', 'linear', 'github', 'gitlab', 'v2', 'v1']
  const verify = await editor.complete(route('verify: ▮'))
  t.same(labels(verify), schemes)
  t.match(shown(verify, 'v1'), 'no replay protection')
  t.same(labels(await editor.complete(route('verify:', '  - ▮'))), schemes)

  t.same(labels(await editor.complete('agent:\n  runner: ▮')), ['echo', 'openai', 'anthropic', 'command'])
  t.same(labels(await editor.complete(route('events:', '  - ▮'))), ['pull_request', 'push', 'issues', 'merge_request'])
  t.same(labels(await editor.complete(route('events: [▮]'))), ['pull_request', 'push', 'issues', 'merge_request'])
  t.same(labels(await editor.complete(route('deliver_only: ▮'))).sort(), ['false', 'true'])
})

t.test('settings of a target', async (t) => {
  const items = await editor.complete(route('deliver: github_comment', 'deliver_extra:', '  ▮'))
  includes(t, items, 'repo', 'pr_number', 'url', 'headers', 'secret')
  t.match(shown(items, 'repo'), 'github_comment')
  t.equal(inserted(items, 'repo'), 'repo: ${1:"{repository.full_name\\}"}', 'the template is quoted: bare braces are a map')
})

t.test('in a condition: every operator, wherever conditions stand', async (t) => {
  const names = operators.map(({ name }) => name)
  const places = {
    'a list item': await editor.complete(route('filters:', '  - ▮')),
    'after field': await editor.complete(route('filters:', '  - field: action', '    ▮')),
    'below any': await editor.complete(route('filters:', '  - any:', '      - field: action', '        ▮')),
    'below not': await editor.complete(route('filters:', '  - not:', '      ▮')),
    'a single condition': await editor.complete(route('filters:', '  ▮')),
  }
  for (const [place, items] of Object.entries(places))
    t.test(place, async (t) => {
      includes(t, items, ...names, 'all', 'any', 'not')
      for (const name of names) t.match(inserted(items, name), new RegExp(`^${name}:`), `${name} brings its colon`)
      t.notMatch(inserted(items, 'not'), 'exists', 'groups come empty')
    })
  // In braces the server offers them once a letter stands there.
  includes(t, await editor.complete(route('filters:', '  - { field: action, e▮ }')), ...names)
  includes(t, places['a list item'], 'field', 'field equals value', 'field in list', 'any of')
  includes(t, await editor.complete(route('filters:', '  - field: ▮')), 'action', 'event_type')
})

/** A snippet as it stands in the text when nobody types over its placeholders. */
const typed = (insertText: string, indent: string): string =>
  insertText
    .replace(/\$\{\d+:([^}]*)\}/g, '$1')
    .split('\n')
    .map((line) => `${indent}${line}`)
    .join('\n')

t.test('a new route in one key press: each snippet loads and compiles as it stands', async (t) => {
  const items = (await editor.complete(routes('        ▮'))).filter(({ label }) => label !== 'Route name')
  t.same(labels(items), ['PR review', 'Direct message', 'Agent to log'])
  for (const { label, insertText = '' } of items) {
    const text = routes(typed(insertText, '        '))
    t.same(await editor.problems(text), [], `${label}: nothing is underlined`)
    const { config, diagnostics } = loadConfig({ dataDir: t.testdir({ 'config.yaml': text }), env: { WEBHOOK_SECRET: 's3cret' } })
    const [found] = config.routes.values()
    t.ok(found, label)
    const compiled = found && compileRoute(found, config, catalogue, createDryEffects())
    t.same([...diagnostics, ...(compiled?.diagnostics ?? [])], [], label)
    t.match(found?.spec.prompt, /\{.*\}.*\S$/, `${label}: the prompt is whole`)
  }
  const review = typed(inserted(items, 'PR review') ?? '', '        ')
  t.match(review, '{repository.full_name}.', 'no # began a comment')
})

t.test('hovering shows the long text', async (t) => {
  t.match(await editor.hover(route('filt▮ers: []')), /#### Filters[\s\S]*Conditions that must all hold[\s\S]*Example/)
  t.match(await editor.hover(route('deliver: lo▮g')), /One line in the gateway's log/)
  t.match(await editor.hover(route('filters:', '  - { field: action, equ▮als: x }')), /#### Equals[\s\S]*deeply/)
  t.match(await editor.hover(route('coal▮esce: { key: x }')), /bursts of events/, 'what is not offered is explained all the same')
})

const underlined: { readonly [title: string]: readonly [text: string, line: number, message: RegExp] } = {
  'an unknown key': [route('delivr: log'), 7, /delivr is not allowed/],
  'an unknown key of a condition': [route('filters:', '  - { feild: a, equals: b }'), 8, /feild is not allowed/],
  'a wrong type': [route('deliver_only: "yes"'), 7, /Expected "boolean"/],
  'an unknown value': [route('deliver: telegrm'), 7, /Valid values: "log"/],
  'an unknown scheme': [route('verify: gihub'), 7, /Valid values: "svix"/],
  'a missing key': [route('coalesce: { window_seconds: 5 }'), 7, /Missing property "key"/],
  'a name that no URL can hold': [routes('        "a b": { prompt: x }'), 6, /route name has letters/],
}
t.test('underlined, where it stands and in words', async (t) => {
  for (const [title, [text, line, message]] of Object.entries(underlined)) {
    const [first] = await editor.problems(text)
    t.match(first?.message, message, title)
    t.equal(first?.range.start.line, line, `${title}: line`)
  }
})

t.test('good files are not underlined', async (t) => {
  const folder = fileURLToPath(new URL('../../examples/', import.meta.url))
  for (const name of ['pr-review', 'direct-http', 'script-filter', 'anthropic']) {
    // Their own modeline is relative to their folder: the one that stands first counts.
    t.same(await editor.problems(readFileSync(`${folder}${name}.yaml`, 'utf8').split('\n').slice(1).join('\n')), [], name)
  }
  t.same(await editor.problems(route('verify: [github, v2]', 'filters: { field: a, equals: null }', 'x-note: free')), [])
  const plugged = route('deliver: acme-chat', 'deliver_extra: { chat_id: ops }')
  t.same(
    await editor.problems(`plugins: [./acme-chat.mjs]\n${plugged}\n  acme-chat: { token: x, enabled: true }\n  x-note: free`),
    [],
    'a plugin',
  )
})
