/**
 * Walks the schema: each key acts, or is reported where it cannot. A key with `x-needs` is set in a file where the need is not met, and in
 * one where it is. A key of a route whose effect a trace shows is set, and the trace must change. A key in the table of
 * `tools/deaf-keys/heard.ts` has a test that fails where the program is deaf to it. Every other key is at least set within one test.
 */

import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { idleKeys, type Need } from '../../src/config/needs.ts'
import { configSchema, definition } from '../../src/config/schema-walk.ts'
import { isObject, type Json, type JsonObject } from '../../src/core/json.ts'
import { schema } from '../../src/generated/schema.ts'
import { runners } from '../../src/parts/runners/index.ts'
import { heard } from '../../tools/deaf-keys/heard.ts'
import { fakeCli } from '../fakes/cli.ts'

/** A key of a map that the schema describes. `owner`: the definition. `path`: the keys in it that lead there. */
type Key = { readonly owner: string; readonly path: readonly string[]; readonly node: JsonObject }

/** The keys that one definition declares itself; `*` stands for a name that people choose, and for an item. */
const keysOf = (owner: string, node: Json | undefined, path: readonly string[] = []): Key[] => {
  if (!isObject(node)) return []
  const members = Object.entries((node.properties ?? {}) as JsonObject).flatMap(([key, member]): Key[] =>
    isObject(member) ? [{ owner, path: [...path, key], node: member }, ...keysOf(owner, member, [...path, key])] : [],
  )
  const others = [node.additionalProperties, node.items].flatMap((each) => keysOf(owner, each, [...path, '*']))
  const branches = ['oneOf', 'allOf', 'anyOf'].flatMap((word) =>
    ((node[word] ?? []) as Json[]).flatMap((each) => keysOf(owner, each, path)),
  )
  return [...members, ...others, ...branches]
}

/** The definitions of keys that parts declare: `test/contract/platforms.test.ts` sends with each of them. */
const ofTargets = /(?:Extra|ExtraShared|ExtraInline|Platform|Delivery)$/
const owners = Object.keys(schema.definitions as JsonObject).filter((name) => !ofTargets.test(name))
const all = [
  ...keysOf('Config', { properties: configSchema.properties } as JsonObject),
  ...owners.flatMap((name) => keysOf(name, definition(name))),
]
const keys = [...new Map(all.map((each) => [`${each.owner}.${each.path.join('.')}`, each])).entries()]

/** Returns data in which a value stands at a path: `*` is the name `a`, or an item where the schema has a list. */
const dataAt = (root: JsonObject, path: readonly string[], value: Json): Json => {
  const [key, ...rest] = path
  if (key === undefined) return value
  const { properties = {}, additionalProperties, items } = root as { [word: string]: JsonObject }
  const next = (key === '*' ? (isObject(items) ? items : additionalProperties) : properties?.[key]) ?? {}
  const below = dataAt(next as JsonObject, rest, value)
  return key === '*' && isObject(items) ? [below] : { [key === '*' ? 'a' : key]: below }
}

const merged = (a: Json, b: Json): Json => {
  if (Array.isArray(a) && Array.isArray(b)) return a.map((item, i) => (b[i] === undefined ? item : merged(item, b[i])))
  if (!isObject(a) || !isObject(b)) return b
  return { ...a, ...Object.fromEntries(Object.entries(b).map(([key, item]) => [key, a[key] === undefined ? item : merged(a[key], item)])) }
}

/** Values that meet a need, and that do not. Absent: the needed key is left out. */
const valuesOf = (need: Exclude<Need, { runner: unknown }>): { readonly met: Json; readonly unmet?: Json } => {
  if (need.isList) return { met: ['log', 'http'], unmet: ['log'] }
  if (!need.is) return { met: need.key === 'enabled' ? true : 'x' }
  return { met: need.is[0] as Json, unmet: typeof need.is[0] === 'boolean' ? !need.is[0] : 'other' }
}

const samples: { readonly [type: string]: Json } = { boolean: true, array: ['x'], object: { a: 'x' } }

/** A runner that reads what a need asks for, or that does not: a real one rather than a stand-in. */
const runnerFor = (need: Extract<Need, { runner: unknown }>, isMet: boolean): string => {
  const fit = runners.filter(({ reads }) => reads?.includes(need.runner) === isMet)
  return (fit.find(({ standIn }) => standIn === undefined) ?? fit[0])?.name ?? ''
}

/** Returns the findings about a key that is set where all its needs but `unmet` are met. */
const idleAt = ({ owner, path, node }: Key, root: JsonObject, needs: readonly Need[], unmet: Need | undefined) => {
  let data = dataAt(root, path, samples[String(node.type)] ?? 'x')
  let top: Json = {}
  for (const need of needs) {
    if ('runner' in need) {
      top = merged(top, { agent: { runner: runnerFor(need, need !== unmet) } })
      continue
    }
    const { met, unmet: wrong } = valuesOf(need)
    const wanted = need === unmet ? wrong : met
    if (wanted === undefined) continue
    const steps = need.key.replace('/', '').split('.')
    if (need.key.startsWith('/')) top = merged(top, dataAt(configSchema, steps, wanted))
    else data = merged(data, dataAt(root, [...path.slice(0, -1), ...steps], wanted))
  }
  // The section of an agent is the top of its own runner, too.
  const around = owner === 'Agent' ? dataAt(configSchema, ['agent'], data) : owner === 'Config' ? data : {}
  const whole = merged(top, around) as JsonObject
  const isOfFile = owner === 'Config' || owner === 'Agent'
  const found = idleKeys(isOfFile ? configSchema : root, isOfFile ? whole : (data as JsonObject), { top: whole, env: {} })
  return found.filter((each) => each.path.at(-1) === path.at(-1) && each.path.length === path.length + (owner === 'Agent' ? 1 : 0))
}

t.test('each key with a need is reported where the need is not met, and only there', (t) => {
  const needing = keys.filter(([, { node }]) => node['x-needs'] !== undefined)
  t.ok(needing.length > 40, `${needing.length} keys`)
  for (const [name, { owner, path, node }] of needing) {
    const root = owner === 'Config' ? configSchema : definition(owner)
    const needs = node['x-needs'] as unknown as readonly Need[]
    const idleWith = (unmet: Need | undefined) => idleAt({ owner, path, node }, root, needs, unmet)
    t.same(idleWith(undefined), [], `${name}: its needs are met`)
    for (const need of needs)
      t.match(idleWith(need), [{ code: need.code ?? 'WH210', message: /./, help: /./ }], `${name} without ${JSON.stringify(need)}`)
  }
  t.end()
})

/** Keys of a route by what `webhook trace` tells of them: the lines with the key, and where they need others, the lines without it. */
const traced: { readonly [key: string]: readonly [on: string, off?: string] } = {
  enabled: ['enabled: false'],
  profile: ['profile: ops'],
  allow_from: ['allow_from: [10.0.0.0/8]'],
  events: ['events: [issues]'],
  redact: ['redact: [ref]'],
  split: ['split: commits'],
  payload_schema: ['payload_schema: github/pull_request.opened'],
  filters: ['filters: [{ field: ref, equals: x }]'],
  script: ['script: a.sh'],
  prompt: ['prompt: "other {ref}"', 'prompt: "p {ref}"'],
  expression_error: ['prompt: "{= $sum(ref) }", expression_error: refuse', 'prompt: "{= $sum(ref) }"'],
  deliver: ['deliver: http, deliver_extra: { url: "http://127.0.0.1:9/" }'],
  deliver_extra: [
    'deliver: http, deliver_extra: { url: "http://127.0.0.1:9/" }',
    'deliver: http, deliver_extra: { url: "http://127.0.0.1:8/" }',
  ],
  deliver_only: [
    'deliver: http, deliver_extra: { url: "http://127.0.0.1:9/" }, deliver_only: true',
    'deliver: http, deliver_extra: { url: "http://127.0.0.1:9/" }',
  ],
  respond: ['respond: { status: 201 }'],
  'respond.status': ['respond: { status: 201 }', 'respond: { status: 202 }'],
  'respond.body': ['respond: { body: "hi" }', 'respond: { status: 200 }'],
  'respond.wait_seconds': ['respond: { wait_seconds: 3 }', 'respond: { status: 200 }'],
  rate_limit: ['rate_limit: { per_minute: 1 }'],
  cron_job: ['cron_job: j'],
  coalesce: ['coalesce: { key: "{ref}" }'],
}

t.test('a key of a route whose effect a trace shows acts', async (t) => {
  const tell = async (lines = ''): Promise<string> => {
    const own = lines.includes('prompt:') ? '' : 'prompt: "p {ref}", '
    const files = {
      'config.yaml': `jobs: { j: { schedule: "0 9 * * *", prompt: p } }
platforms: { webhook: { enabled: true, extra: { routes: { a: { verify: github, secret: c2a91f70e35bd846, ${own}${lines} } } } } }\n`,
      'scripts/a.sh': 'echo "{}"\n',
    }
    const { out, err } = await fakeCli(t, files).run('webhook', 'trace', 'a', '--sample', 'github/push', '--json', '--run-scripts')
    t.match(JSON.parse(out), { kind: 'webhook.trace' }, `${lines}: ${err}`)
    return out.replace(/"ms": ?[\d.]+|[0-9a-f]{8}-[0-9a-f-]{27}|\d{4}-\d\d-\d\dT[\d:.]+Z/g, '')
  }
  const plain = await tell()
  t.equal(plain, await tell('description: a'), 'what does nothing changes no trace')
  for (const [key, [on, off]] of Object.entries(traced)) t.not(await tell(on), off === undefined ? plain : await tell(off), key)
})

const folder = fileURLToPath(new URL('..', import.meta.url))

/** A test of behaviour, with its text: not one that walks schemas, pages and screens. */
type Shown = { readonly file: string; readonly title: string; readonly text: string }

const shown: readonly Shown[] = readdirSync(folder, { recursive: true })
  .map(String)
  .filter((file) => file.endsWith('.test.ts') && !/^(?:contract|docs|tui)\//.test(file))
  .flatMap((file) => {
    const text = readFileSync(join(folder, file), 'utf8')
    const starts = [...text.matchAll(/^(?: {2})?t\.test\(\s*(['"`])(.*?)\1/gms)]
    return starts.map(({ index, 2: title = '' }, i) => ({ file, title, text: text.slice(index, starts[i + 1]?.index) }))
  })

/** Whether a title that a test has when it runs is one that its text has, with `${…}` in it. */
const isTitle = (written: string, title: string): boolean => {
  const pieces = written.replaceAll('\\', '').split(/\$\{[^}]*\}/)
  return new RegExp(`^${pieces.map((piece) => piece.replace(/[^\w\s]/g, '\\$&')).join('.*')}$`).test(title)
}

const catchUpOfApps = [
  'app/catch-up.test.ts',
  'an App and an organisation have their own logs; the App signs',
  /app_id: 1, app_key: key[\s\S]*org: 'octo-org'/,
] as const
const polled = [
  'app/polls.test.ts',
  'a failure is said once, waits longer each time, obeys Retry-After, and ends',
  /poll: \{ url, token: pollToken, every_seconds: 1 \}/,
] as const

/** Keys that a test sets by what stands outside of it, such as a table or a helper: the test, and how the file sets them. */
const byHelper: { readonly [key: string]: readonly [file: string, title: string, set: RegExp] } = {
  'Config.tools.web_extract.max_bytes': [
    'parts/tools-web.test.ts',
    'an answer has a size, a kind and a time',
    /webExtract.*max_bytes: 65_536/,
  ],
  'Config.tools.web_extract.timeout_seconds': [
    'parts/tools-web.test.ts',
    'one limit of time holds for name, redirects, header and body together; a run that ends, ends the call',
    /webExtract.*timeout_seconds: 3/,
  ],
  'Config.tools.web_search.max_results': [
    'parts/tools-web.test.ts',
    'each provider is asked in its way, and its results become a list',
    /max_results: 3 \}\n.*webSearch/,
  ],
  'Config.tools.vision_analyze': [
    'parts/tools-web.test.ts',
    'a search and a picture have their own time',
    /vision_analyze = \{ timeout_seconds: 2 \}/,
  ],
  'Config.tools.vision_analyze.max_bytes': [
    'parts/tools-web.test.ts',
    'a picture is known by its bytes, and shown to the model',
    /visionAnalyzeWithin.*\n.*max_bytes: 4_096/,
  ],
  'Route.catch_up.project': [
    'app/catch-up.test.ts',
    'GitLab sends again under the same key, at the pace that it allows',
    /settings = \{ from: 'gitlab', project: 'group\/name'/,
  ],
  'Route.catch_up.org': catchUpOfApps,
  'Route.catch_up.app_id': catchUpOfApps,
  'Route.catch_up.app_key': catchUpOfApps,
  'Route.poll.url': polled,
  'Route.poll.token': polled,
  'Route.poll.every_seconds': polled,
  'Route.duplicates.hours': [
    'spec/clock.test.ts',
    'an hour ${title}: a delivery id is known for as long as its route says',
    /duplicates: \{ hours: 2 \}/,
  ],
}

/** Whether one test sets a key, and the key that it stands in. */
const isSet = (name: string, { path }: Key): boolean => {
  const [key, around] = [
    path.at(-1) as string,
    path
      .slice(0, -1)
      .filter((step) => step !== '*')
      .at(-1),
  ]
  const helper = byHelper[name.replace(/^Subscription\./, 'Route.')]
  if (helper) {
    const [file, title, set] = helper
    return shown.some((each) => each.file === file && each.title === title) && set.test(readFileSync(join(folder, file), 'utf8'))
  }
  const written = new RegExp(`(?<![\\w.])["']?${key}["']?\\s*[:,}]`)
  if (around === undefined) return shown.some(({ text }) => written.test(text))
  return shown.some(({ text }) => written.test(text) && membersOf(text, around).some((members) => written.test(members)))
}

/** Returns what stands in the maps of this name in a text: in braces, or on lines that are indented more. */
const membersOf = (text: string, name: string): readonly string[] =>
  [...text.matchAll(new RegExp(`(?<![\\w.])([ \\t]*)(?:- )?["'\`]?${name}["']?\\s*(?::|=|\\.\\.\\.)`, 'g'))].map(
    ({ 0: found, 1: indent = '', index }) => {
      const from = index + found.length
      const opening = text.slice(from, from + 120).search(/[{[]/)
      const end = text.slice(from).search(new RegExp(`\\n[ \\t]{0,${indent.length}}\\S`))
      const block = text.slice(from, end < 0 ? undefined : from + end)
      return opening < 0 ? block : block + inBraces(text, from + opening)
    },
  )

/** Returns the text from a bracket to the one that closes it. */
const inBraces = (text: string, from: number): string => {
  let depth = 0
  for (let at = from; at < text.length; at++) {
    if ('{['.includes(text[at] as string)) depth++
    else if ('}]'.includes(text[at] as string) && --depth === 0) return text.slice(from, at + 1)
  }
  return text.slice(from)
}

/** A key whose test is not known to fail without it; no more may come. A new key goes into `heard`, and `npm run deaf:keys` must miss it. */
const mostUnproved = 310

/** The routes of subscriptions and the jobs of `cron_jobs.json` have the keys of those in `config.yaml`. */
const asConfigured = (name: string): string => name.replace(/^Subscription\./, 'Route.').replace(/^StoredJob\./, 'Job.')

t.test('keys are missed by the tests that are said to show them, and the number of the others does not grow', (t) => {
  const unknown = Object.entries(heard).filter(
    ([key, [file, title]]) =>
      !keys.some(([name]) => name === key) || !shown.some((each) => each.file === file && isTitle(each.title, title)),
  )
  t.same(unknown, [], 'each is a key of the schema, with a test that exists')
  const counts = new Map<string, number[]>()
  const unproved: string[] = []
  for (const [name, key] of keys) {
    const isLeaf = !keys.some(([other]) => other.startsWith(`${name}.`))
    if (!isLeaf || name.startsWith('Config.platforms.')) continue
    const known = asConfigured(name)
    const at = Object.hasOwn(heard, known) ? 0 : Object.hasOwn(traced, known.replace(/^Route\./, '')) ? 1 : key.node['x-needs'] ? 2 : 3
    const section = known.split('.')[known.startsWith('Config.') ? 1 : 0] as string
    const count = counts.get(section) ?? [0, 0, 0, 0]
    count[at] = (count[at] ?? 0) + 1
    counts.set(section, count)
    if (at === 3) unproved.push(name)
  }
  for (const [section, [byTest, byTrace, byFinding, byText]] of counts)
    t.comment(`${section}: ${byTest} missed by a test, ${byTrace} by a trace, ${byFinding} by a finding, ${byText} only written in a test`)
  t.ok(unproved.length <= mostUnproved, `${unproved.length} keys are only written in a test: ${unproved.join(', ')}`)
  t.end()
})

t.test('a program that is deaf to a key fails its test, and no other', (t) => {
  const run = (...argv: string[]) =>
    spawnSync(process.execPath, ['--import=tsx', 'tools/deaf-keys.ts', ...argv], { cwd: join(folder, '..') })
  t.equal(run('--keys', '^Route\\.payload_schema$').status, 0)
  t.equal(run('--keys', '^Route\\.payload_schema$', '--deaf-to', 'Route.poll.token').status, 1)
  t.end()
})

t.test('each other key is set within a test of its behaviour', (t) => {
  const made: Key = { owner: 'Route', path: ['retry', 'fingerprint'], node: {} }
  t.notOk(isSet('Route.retry.fingerprint', made), 'two keys of two tests are no key of one')
  // test/contract/platforms.test.ts sends with the section of each target.
  const isOfTarget = (name: string): boolean => /^Config\.platforms\.(?!webhook$)\w+$/.test(name)
  const isTraced = (name: string): boolean => Object.hasOwn(traced, name.replace(/^(?:Route|Subscription)\./, ''))
  const missing = keys
    .filter(([name, key]) => key.node['x-needs'] === undefined && !isTraced(name) && !isOfTarget(name) && !isSet(name, key))
    .map(([name]) => name)
  t.same(missing, [], 'write a test that shows what the key does')
  t.end()
})
