/**
 * Walks the schema: each key acts, or is reported where it cannot. A key with `x-needs` is set in a file where the need is not met, and in
 * one where it is. Every other key is written by a test of the behaviour, which a new key without a test does not have.
 */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { idleKeys, type Need } from '../../src/config/needs.ts'
import { configSchema, definition } from '../../src/config/schema-walk.ts'
import { isObject, type Json, type JsonObject } from '../../src/core/json.ts'
import { schema } from '../../src/generated/schema.ts'
import { runners } from '../../src/parts/runners/index.ts'

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
  if (need.isList) return { met: ['log'], unmet: 'log' }
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

/** A name in code is that in the file, in other letters: `webExtract`, `web_extract`. */
const plainOf = (text: string): string => text.toLowerCase().replaceAll('_', '')

const folder = fileURLToPath(new URL('..', import.meta.url))
/** The tests of behaviour: not those that walk schemas, pages and screens. */
const texts = readdirSync(folder, { recursive: true })
  .map(String)
  .filter((file) => file.endsWith('.test.ts') && !/^(?:contract|docs|tui)\//.test(file))
  .map((file) => readFileSync(join(folder, file), 'utf8'))
  .map((text) => ({ text, plain: plainOf(text) }))

/** Whether one test file writes a key, and names what the key stands in. */
const isWritten = ({ path }: Key): boolean => {
  const [key, around] = [
    path.at(-1) as string,
    path
      .slice(0, -1)
      .filter((step) => step !== '*')
      .at(-1),
  ]
  const written = new RegExp(`(?<![\\w.])["']?${key}["']?\\s*[:,}]|[.]${key}\\b`)
  return texts.some(({ text, plain }) => (around === undefined || plain.includes(plainOf(around))) && written.test(text))
}

t.test('each key without a need is written by a test of its behaviour', (t) => {
  const missing = keys.filter(([, key]) => key.node['x-needs'] === undefined && !isWritten(key)).map(([name]) => name)
  t.same(missing, [], 'write a test that shows what the key does')
  t.end()
})
