/** Checks what an editor with the YAML language server offers, shows and underlines where the cursor (`▮`) stands in a text. */

import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { loadConfig } from '../../src/config/load.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { createDryEffects } from '../../src/dryrun/trace/dry-effects.ts'
import { schema } from '../../src/generated/schema.ts'
import { operators } from '../../src/parts/operators/index.ts'
import { presets, schemes } from '../../src/parts/schemes/index.ts'
import { builtinCatalogue } from '../../src/plan/catalogue.ts'
import { checkConfigured } from '../../src/plan/check.ts'
import { compileRoute } from '../../src/plan/compile.ts'
import { examples } from '../fakes/examples.ts'
import { newFolder } from '../fakes/folder.ts'
import { type Item, startLanguageServer } from '../fakes/language-server.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const schemaFile = `${root}schema/headgate.schema.json`
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

const built = Object.keys(((schema.definitions as JsonObject).Route as JsonObject).properties as JsonObject)

t.test('an empty file: the sections', async (t) => {
  t.same(labels(await editor.complete('▮')), [
    'platforms',
    'include',
    'include_links_to',
    'gateway',
    'secrets',
    'tls',
    'agent',
    'agents',
    'plugins',
    'signature_schemes',
    'platform_toolsets',
    'toolsets',
    'tools',
    'console',
    'metrics',
    'telemetry',
    'relay',
    'targets',
    'storage',
    'alerts',
    'jobs',
  ])
})

t.test('in a route: its keys, each with its note, a colon and what it commonly takes; nothing that is not built', async (t) => {
  const items = await editor.complete(route('▮'))
  t.same(labels(items).sort(), [...built].sort())
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
  const listed = await editor.complete(route('deliver:', '  - ▮'))
  includes(t, listed, 'log', 'github_comment', 'telegram', 'target')
  t.notOk(labels(listed).includes('deliver_extra'), 'an item begins with its target')
  includes(t, await editor.complete(route('deliver:', '  - target: ▮')), 'log', 'slack')
  t.same(labels(await editor.complete('plugins:\n  - ▮')), ['./acme-chat.mjs'])

  const all = [...schemes, ...presets].map(({ name }) => name)
  const verify = await editor.complete(route('verify: ▮'))
  t.same(labels(verify).slice(0, 7), ['svix', 'standard_webhooks', 'linear', 'github', 'gitlab', 'v2', 'v1'])
  includes(t, verify, ...all)
  t.match(shown(verify, 'v1'), 'no replay protection')
  includes(t, await editor.complete(route('verify:', '  - ▮')), ...all)

  t.same(labels(await editor.complete('agent:\n  runner: ▮')), ['echo', 'openai', 'anthropic', 'command'])
  for (const events of [await editor.complete(route('events:', '  - ▮')), await editor.complete(route('events: [▮]'))]) {
    t.same(labels(events).slice(0, 4), ['pull_request', 'push', 'issues', 'merge_request'], 'the commonest first')
    includes(t, events, 'issue_comment', 'workflow_run', 'note', 'Merge Request Hook', 'invoice.paid', 'Issue')
  }
  t.same(labels(await editor.complete(route('deliver_mode: ▮'))), ['all', 'first_success'])
  t.same(labels(await editor.complete(route('coalesce:', '  key: a', '  keep: ▮'))), ['latest', 'first', 'all'])
  t.same(labels(await editor.complete(route('deliver_only: ▮'))).sort(), ['false', 'true'])
})

const settings: { readonly [target: string]: readonly string[] } = {
  telegram: ['chat_id', 'message_thread_id'],
  slack: ['chat_id', 'thread_id'],
  http: ['url', 'secret', 'headers', 'method', 'body', 'content_type'],
  github_comment: ['repo', 'pr_number'],
  hosta_comment: ['repo', 'pr_number'],
  gitlab_comment: ['project', 'iid', 'kind'],
  email: ['chat_id', 'subject', 'thread_id'],
  ntfy: ['chat_id', 'title', 'priority', 'tags', 'click'],
  log: [],
  teams: [],
  'acme-chat': [],
}
/** One entry inserts all that must be there. */
const whole = 'Delivery settings'

t.test('settings of a target: its own keys, and no other', async (t) => {
  const own = (items: readonly Item[]): string[] => labels(items).filter((label) => label !== whole)
  for (const [target, keys] of Object.entries(settings)) {
    t.same(own(await editor.complete(route(`deliver: ${target}`, 'deliver_extra:', '  ▮'))), keys, target)
    const inItem = route('deliver:', `  - target: ${target}`, '    deliver_extra:', '      ▮')
    t.same(own(await editor.complete(inItem)), keys, `${target} as an item`)
  }
  t.same(own(await editor.complete(route('deliver_extra:', '  ▮'))), [], 'no target, no keys')
  const shared = own(await editor.complete(route('deliver: [telegram, http, acme-chat]', 'deliver_extra:', '  ▮')))
  t.same(shared.sort(), [...(settings.telegram ?? []), ...(settings.http ?? [])].sort(), 'a list: the keys of each')

  const github = await editor.complete(route('deliver: github_comment', 'deliver_extra:', '  ▮'))
  t.match(shown(github, 'repo'), 'owner/name')
  t.equal(inserted(github, 'repo'), 'repo: ${1:"{repository.full_name\\}"}', 'the template is quoted: bare braces are a map')
  t.match(inserted(github, whole), /^repo: .*\npr_number: /)
  const keys = await editor.complete(route('deliver: github_comment', '▮'))
  t.equal(inserted(keys, 'deliver_extra'), 'deliver_extra:\n  repo: $1\n  pr_number: $2', 'the key brings what must be there')
  t.equal(keys.filter(({ label }) => label === 'deliver_extra').length, 1, 'once')
  t.notOk(labels(keys).includes('Route'), 'and nothing else does')
  t.notOk(labels(await editor.complete(route('deliver: teams', '▮'))).includes('deliver_extra'), 'a target that reads nothing')

  const mail = await editor.complete(route('deliver: email', 'deliver_extra:', '  ▮'))
  t.equal(inserted(mail, 'chat_id'), 'chat_id: ${1:ops@example.org}')
  t.match(shown(mail, 'thread_id'), 'Message-ID')
  const chats = await editor.complete(route('deliver: telegram', 'deliver_extra:', '  chat_id: ▮'))
  t.same(labels(chats), ['"-1001234567890"', '"@my_channel"'])
})

t.test('the other sections: jobs, agent, platforms', async (t) => {
  const job = (...lines: string[]): string => `jobs:\n  nightly:\n${lines.map((line) => `    ${line}`).join('\n')}`
  includes(t, await editor.complete('jobs:\n  ▮'), 'nightly report')
  includes(t, await editor.complete(job('▮')), 'schedule', 'timezone', 'prompt', 'deliver', 'grace_seconds')
  includes(t, await editor.complete(job('schedule: ▮')), 'every 15m')
  const plain = await editor.complete(job('schedule: "@daily"', 'deliver: github_comment', 'deliver_extra:', '  ▮'))
  t.equal(inserted(plain, 'repo'), 'repo: ', 'a job has no payload, so no template is proposed')
  includes(t, await editor.complete('agent:\n  ▮'), 'runner', 'command', 'api_key', 'timeout_seconds')
  t.same(labels(await editor.complete('agent:\n  runner: ▮')), ['echo', 'openai', 'anthropic', 'command'])
  includes(t, await editor.complete('platforms:\n  ▮'), 'webhook', 'telegram', 'slack', 'email', 'github')
  const telegram = await editor.complete('platforms:\n  telegram:\n    ▮')
  includes(t, telegram, 'token', 'home_channel', 'api_base')
  t.match(shown(telegram, 'token'), 'TELEGRAM_BOT_TOKEN')
  includes(t, await editor.complete('platforms:\n  webhook:\n    extra:\n      ▮'), 'port', 'secret', 'routes', 'rate_limit')
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
  // Between braces, the server offers the operators only once a letter stands there.
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
  t.same(labels(items), ['PR review', 'Direct alert', 'Scheduled job', 'Coalesced', 'Agent to log'])
  for (const { label, insertText = '' } of items) {
    const text = `${routes(typed(insertText, '        '))}\njobs:\n  nightly-report: { schedule: "@daily", prompt: Report. }\n`
    t.same(await editor.problems(text), [], `${label}: nothing is underlined`)
    const loaded = loadConfig({ dataDir: newFolder(t, { 'config.yaml': text }), env: { WEBHOOK_SECRET: 's3cret' } })
    const [found] = loaded.config.routes.values()
    t.ok(found, label)
    t.same(checkConfigured(loaded, builtinCatalogue, createDryEffects()).diagnostics, [], label)
    t.match(found?.spec.prompt, /\{.*\}.*\S$/, `${label}: the prompt is whole`)
  }
  const review = typed(inserted(items, 'PR review') ?? '', '        ')
  t.match(review, '{repository.full_name}.', 'no # began a comment')
})

t.test('hovering shows the long text', async (t) => {
  t.match(await editor.hover(route('filt▮ers: []')), /#### Filters[\s\S]*Conditions that must all hold[\s\S]*Example/)
  t.match(
    await editor.hover(route('deliver: tele▮gram')),
    /Allowed Values:\s+\* `telegram`: Telegram\. Connected by token \(TELEGRAM\S+\)\. A route may give chat\S+, \S+\n/,
    'the value that stands there first',
  )
  t.match(await editor.hover(route('deliver: lo▮g')), /One line in the gateway's log/)
  t.match(await editor.hover(route('filters:', '  - { field: action, equ▮als: x }')), /#### Equals[\s\S]*deeply/)
  t.match(await editor.hover(route('deliver: telegram', 'deliver_extra: { chat▮_id: "-1" }')), /#### Chat[\s\S]*minus sign/)
  t.match(await editor.hover(route('deliver: http', 'deliver_ext▮ra: { url: "http://127.0.0.1" }')), /#### Delivery settings[\s\S]*`http`/)
  t.match(await editor.hover('jobs:\n  a: { sche▮dule: "@daily" }'), /#### Schedule[\s\S]*every 15m/)
  t.match(await editor.hover('agent: { run▮ner: echo }'), /#### Runner[\s\S]*anthropic/)
  t.match(await editor.hover('platforms: { telegram: { tok▮en: x } }'), /TELEGRAM/)
  t.match(await editor.hover(route('coal▮esce: { key: x }')), /bursts of events/, 'what is not offered is explained all the same')
})

t.test('hovering says the default of every key that has one', async (t) => {
  const texts: string[] = []
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const { default: value, markdownDescription: text } = node as JsonObject
    if (value !== undefined && typeof text === 'string') texts.push(text)
    for (const inner of Object.values(node)) walk(inner)
  }
  walk(JSON.parse(readFileSync(schemaFile, 'utf8')))
  t.ok(texts.length > 100)
  t.same(
    texts.filter((text) => !/default|absent/i.test(text)),
    [],
  )
  t.match(await editor.hover(route('script_time▮out_seconds: 3')), /Default `30`\./)
  t.match(await editor.hover('platforms: { webhook: { extra: { rate_li▮mit: 3 } } }'), /Default `30`\./)
  t.match(await editor.hover(route('retry: { max_at▮tempts: 3 }')), /Default `3`\./)
})

t.test('between empty braces: entries of one line, which are as good as they stand', async (t) => {
  const filters = 'filters: [{ field: action, equals: opened }]'
  const places: { readonly [title: string]: readonly [text: string, label: string] } = {
    'an item of filters': [route('filters:', '  - { ▮ }'), 'field in list'],
    'without a blank': [route('filters:', '  - {▮}'), 'any of'],
    'a list in brackets': [route('filters: [{ ▮ }]'), 'not'],
    'below not': [route('filters:', '  - { not: { ▮ } }'), 'field matches pattern'],
    'below any': [route('filters:', '  - any: [{ ▮ }]'), 'field equals value'],
    coalesce: [route(filters, 'coalesce: { ▮ }'), 'one run a target'],
    concurrency: [route('concurrency: { ▮ }'), 'one run at a time'],
    rate_limit: [route('rate_limit: { ▮ }'), 'ten events a minute'],
    session: [route('session: { ▮ }'), 'one conversation a chat'],
    'deliver_extra of a chat': [route('deliver: telegram', 'deliver_extra: { ▮ }'), 'chat_id'],
    'deliver_extra of a code host': [route('deliver: github_comment', 'deliver_extra: { ▮ }'), 'repo, pr_number'],
    'deliver_extra of an item': [route('deliver:', '  - { target: slack, deliver_extra: { ▮ } }'), 'chat_id'],
    'a platform': ['platforms:\n  telegram: { ▮ }', 'token'],
  }
  for (const [title, [text, label]] of Object.entries(places)) {
    const items = await editor.complete(text)
    includes(t, items, label)
    for (const { insertText = '', label: its } of items) {
      t.notMatch(insertText, '\n', `${title}: ${its}`)
      t.same(await editor.problems(text.replace(/ ?▮ ?/, ` ${filled(insertText)} `)), [], `${title}: ${its} is right as it stands`)
    }
  }
})

/** A snippet as it stands when nobody types over its placeholders, which may hold braces with a backslash. */
const filled = (insertText: string): string => insertText.replace(/\$\{\d+:((?:\\.|[^}\\])*)\}/g, '$1').replace(/\\([$}\\])/g, '$1')

t.test('a platform brings what connects it, the adapter that it is on', async (t) => {
  const items = await editor.complete('platforms:\n  ▮')
  t.equal(labels(items)[0], 'webhook')
  t.equal(filled(inserted(items, 'webhook') ?? ''), 'webhook:\n  enabled: true\n  secret: ${WEBHOOK_SECRET}')
  t.equal(filled(inserted(items, 'telegram') ?? ''), 'telegram:\n  token: ${TELEGRAM_BOT_TOKEN}')
  t.match(filled(inserted(items, 'email') ?? ''), /^email:\n {2}address: \n {2}smtp_host: $/)
  for (const { label, insertText = '' } of items)
    t.same(await editor.problems(`platforms:\n  ${filled(insertText).replaceAll(/: $/gm, ': x').replaceAll('\n', '\n  ')}`), [], label)
})

const slips: { readonly [condition: string]: string } = {
  'field: a, equals: b, in: [c]': 'a condition needs exactly one operator, found equals, in: for several, write several conditions',
  'field: a': 'a condition needs exactly one operator, found none: for several, write several conditions',
  'all: [], any: []': 'a condition needs exactly one operator, found all, any: for several, write several conditions',
  'field: a, any: []': '"any" stands alone, without "field": remove "field"; for a condition on it, write one more',
  'field: a, jsonata: "true"': '"jsonata" stands alone, without "field": remove "field"; for a condition on it, write one more',
  'equals: b': '"equals" needs a "field" to look at: add field: a.dotted.path',
}
t.test('a condition without one operator: marked once, in the words of validate', async (t) => {
  for (const [condition, message] of Object.entries(slips)) {
    for (const text of [route(`filters: [{ ${condition} }]`), route(`filters: [{ not: { ${condition} } }]`)])
      t.same(
        (await editor.problems(text)).map((each) => each.message),
        [message],
        condition,
      )
    const { config } = loadConfig({
      dataDir: newFolder(t, { 'config.yaml': route(`filters: [{ ${condition} }]`) }),
      env: { WEBHOOK_SECRET: 's' },
    })
    const [found] = config.routes.values()
    const { diagnostics = [] } = found ? compileRoute(found, config, builtinCatalogue, createDryEffects()) : {}
    const validated = diagnostics.filter(({ code }) => code === 'WH405').map(({ message: said, help }) => `${said}: ${help}`)
    t.same(validated, [message], `${condition}: validate says the same`)
  }
  const fine = ['field: a, acme-within: 5', 'field: a, exists: true, x-note: c', 'all: []', 'not: { field: a, missing: true }']
  for (const condition of fine) t.same(await editor.problems(route(`filters: [{ ${condition} }]`)), [], condition)
})

const underlined: { readonly [title: string]: readonly [text: string, line: number, message: RegExp] } = {
  'an unknown key': [route('delivr: log'), 7, /delivr is not allowed/],
  'an unknown key of a condition': [route('filters:', '  - { feild: a, equals: b }'), 8, /feild is not allowed/],
  'a wrong type': [route('deliver_only: "yes"'), 7, /Expected "boolean"/],
  'an unknown value': [route('deliver: telegrm'), 7, /Valid values: "log"/],
  'an unknown scheme': [route('verify: gihub'), 7, /Valid values: "svix"/],
  'a missing key': [route('coalesce: { window_seconds: 5 }'), 7, /Missing property "key"/],
  'a setting that its target does not read': [route('deliver: telegram', 'deliver_extra: { chatid: 1 }'), 8, /chatid is not allowed/],
  'a setting of an item': [route('deliver:', '  - { target: slack, deliver_extra: { chat: 1 } }'), 8, /chat is not allowed/],
  'a setting that must be there': [route('deliver: http', 'deliver_extra: {}'), 8, /Missing property "url"/],
  'no settings where some must be': [route('deliver: http'), 6, /the target "http" needs deliver_extra.url/],
  'a key of a job': ['jobs:\n  a:\n    schedul: x', 2, /Missing property "schedule"/],
  'a runner': ['agent:\n  runner: opena', 2, /Valid values: "echo"/],
  'a name that no URL can hold': [routes('        "a b": { prompt: x }'), 6, /route name has letters/],
}
t.test('underlined, where it stands and in words', async (t) => {
  for (const [title, [text, line, message]] of Object.entries(underlined)) {
    const [first] = await editor.problems(text)
    t.match(first?.message, message, title)
    t.equal(first?.range.start.line, line, `${title}: line`)
  }
})

const together = (first: string, second: string): string => `"${first}" and "${second}" cannot be used together: remove one of the two`
const pairs: readonly (readonly [lines: readonly string[], messages: readonly string[]])[] = [
  [['deliver: slack', 'deliver_only: true', 'cron_job: a'], [together('cron_job', 'deliver_only')]],
  [['deliver: slack', 'deliver_only: true', 'coalesce: { key: a }'], [together('coalesce', 'deliver_only')]],
  [['cron_job: a', 'coalesce: { key: a }'], [together('coalesce', 'cron_job')]],
  [['cron_job: a', 'concurrency: { limit: 1 }'], [together('concurrency', 'cron_job')]],
  [['secret: a', 'secrets: [b]'], [together('secret', 'secrets')]],
  [['deliver_only: false', 'cron_job: a'], []],
  [['deliver: slack', 'deliver_only: true'], []],
  [
    ['deliver_only: true'],
    ['"deliver_only" needs a real target, but "deliver" is absent: name the target in "deliver", for example github_comment or http'],
  ],
  [
    ['deliver_only: true', 'deliver: log'],
    ['"deliver_only" needs a real target, but "deliver" is "log": name the target in "deliver", for example github_comment or http'],
  ],
]
t.test('keys that cannot stand together: marked once, in the words of validate', async (t) => {
  for (const [lines, messages] of pairs) {
    const text = route(...lines)
    const said = (await editor.problems(text)).map(({ message }) => message)
    t.same(said, messages, lines.join(', '))
    const { config } = loadConfig({ dataDir: newFolder(t, { 'config.yaml': text }), env: { WEBHOOK_SECRET: 's3cret' } })
    const [found] = config.routes.values()
    const { diagnostics = [] } = found ? compileRoute(found, config, builtinCatalogue, createDryEffects()) : {}
    const validated = diagnostics.filter(({ code }) => /^WH20[2-8]$/.test(code)).map(({ message, help }) => `${message}: ${help}`)
    t.same(said, validated, `${lines.join(', ')}: validate says the same`)
  }
})

t.test('good files are not underlined', async (t) => {
  t.ok(examples.length > 5)
  for (const name of examples) {
    // Their own modeline is relative to their folder: the one that stands first counts.
    t.same(await editor.problems(readFileSync(root + name, 'utf8').replace(/^# yaml-language-server: .*\n/m, '')), [], name)
  }
  const documents = [
    'README.md',
    ...readdirSync(`${root}docs`)
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${name}`),
  ]
  const blocks = documents.flatMap((name) =>
    [...readFileSync(root + name, 'utf8').matchAll(/^```yaml webhook\b.*\n([\s\S]*?)^```/gm)].map(([, text = '']) => ({ name, text })),
  )
  t.ok(blocks.some(({ name }) => name === 'README.md'))
  for (const { name, text } of blocks) t.same(await editor.problems(text), [], `${name}\n${text}`)
  t.same(await editor.problems(route('verify: [github, v2]', 'filters: { field: a, equals: null }', 'x-note: free')), [])
  const plugged = route('deliver: acme-chat', 'deliver_extra: { chat_id: ops }')
  t.same(
    await editor.problems(`plugins: [./acme-chat.mjs]\n${plugged}\n  acme-chat: { token: x, enabled: true }\n  x-note: free`),
    [],
    'a plugin',
  )
})
