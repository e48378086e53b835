/**
 * Walks the schema: each key acts, or is reported where it cannot. A key with `x-needs` is set in a file where the need is not met, and in
 * one where it is. A key of a route whose effect a trace shows is set, and the trace must change. Every other key is in the table of
 * `tools/deaf-keys/heard.ts`: it has a test that fails where the program is deaf to the key.
 */

import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
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

/** Whether a file has a test with this title, in which `${…}` of the file may have any value. */
const hasTest = (file: string, title: string): boolean =>
  [...readFileSync(join(folder, file), 'utf8').matchAll(/^(?: {2})?t\.test\(\s*(['"`])(.*?)\1/gms)].some(({ 2: written = '' }) => {
    const pieces = written.replaceAll('\\', '').split(/\$\{[^}]*\}/)
    return new RegExp(`^${pieces.map((piece) => piece.replace(/[^\w\s]/g, '\\$&')).join('.*')}$`).test(title)
  })

/** Definitions of which each has the keys of another one, for what stands elsewhere and is read by the same code. */
const alike: readonly (readonly [string, string])[] = [
  ['Subscription.', 'Route.'],
  ['StoredJob.', 'Job.'],
  ['Webhook.', 'WebhookSettings.'],
]
/** Returns the names under which a key may stand in the table. */
const namesOf = (name: string): readonly string[] => [
  name,
  ...alike.flatMap(([a, b]) => (name.startsWith(a) ? [name.replace(a, b)] : name.startsWith(b) ? [name.replace(b, a)] : [])),
]

t.test('each key is missed by a test, changes a trace, or is reported where it cannot act', (t) => {
  const unknown = Object.entries(heard).filter(([key, [file, title]]) => !keys.some(([name]) => name === key) || !hasTest(file, title))
  t.same(unknown, [], 'what the table names exists')
  const isProved = (name: string): boolean => Object.hasOwn(heard, name) || Object.hasOwn(traced, name.replace(/^Route\./, ''))
  const found = keys.flatMap(([name, { node }]) => {
    const isLeaf = !keys.some(([other]) => other.startsWith(`${name}.`))
    // test/contract/platforms.test.ts sends with the section of each target.
    const isOfTarget = name.startsWith('Config.platforms.')
    return !isLeaf || isOfTarget || node['x-needs'] !== undefined || namesOf(name).some(isProved) ? [] : name
  })
  t.same(found, [], 'put the key into tools/deaf-keys/heard.ts, with a test that fails without it')
  t.end()
})

t.test('a program that is deaf to a key fails its test, and no other', (t) => {
  const run = (...argv: string[]) =>
    spawnSync(process.execPath, ['--import=tsx', 'tools/deaf-keys.ts', ...argv], { cwd: join(folder, '..') })
  t.equal(run('--keys', '^Route\\.payload_schema$').status, 0)
  t.equal(run('--keys', '^Route\\.payload_schema$', '--deaf-to', 'Route.poll.token').status, 1)
  t.end()
})
