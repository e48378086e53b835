/** The schema keeps the rules that make editors, types and messages good, and the code keeps what the schema says. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import t from 'tap'
import { stringify } from 'yaml'
import { loadConfig } from '../../src/config/load.ts'
import { isObject, type Json, type JsonObject } from '../../src/core/json.ts'
import { namesSettingSecret } from '../../src/core/secret-names.ts'
import { schema as generated } from '../../src/generated/schema.ts'
import { addressKeys } from '../../src/parts/targets/delivery/settings.ts'
import { targets } from '../../src/parts/targets/index.ts'
import { sameFolder } from '../fakes/folder.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (file: string): string => readFileSync(join(root, file), 'utf8')
/** The schema that validates, and what editors get of it. */
const schema = generated
const bundle = JSON.parse(read('schema/headgate.schema.json')) as JsonObject
const definitions = schema.definitions as { readonly [name: string]: JsonObject }

/** Words that editors and the program read: the list that the generator gives its validator. */
const vocabulary = [...(/const vocabulary = \[([^\]]*)\]/.exec(read('tools/gen.ts'))?.[1] ?? '').matchAll(/'([^']+)'/g)].map(
  ([, word]) => word as string,
)
const ajv = new Ajv({ strict: true, allowUnionTypes: true, strictTypes: false, strictRequired: false, allErrors: true })
ajv.addVocabulary(vocabulary)

type Place = { readonly at: string; readonly node: JsonObject }

/** Places of a schema where another schema stands: the node itself, then all below it. */
const nodesOf = (node: Json | undefined, at: string): Place[] => {
  if (!isObject(node)) return Array.isArray(node) ? node.flatMap((item, i) => nodesOf(item, `${at}/${i}`)) : []
  const named = ['properties', 'patternProperties', 'definitions'].flatMap((word) =>
    Object.entries((node[word] as JsonObject | undefined) ?? {}).flatMap(([key, item]) => nodesOf(item, `${at}/${key}`)),
  )
  const below = ['items', 'additionalProperties', 'propertyNames', 'oneOf', 'anyOf', 'allOf', 'not', 'if', 'then', 'else'].flatMap((word) =>
    nodesOf(node[word], `${at}/${word}`),
  )
  return [{ at, node }, ...named, ...below]
}
const nodes = nodesOf(schema, '')
const properties = nodes.flatMap(({ at, node }) =>
  Object.entries((node.properties as { [key: string]: JsonObject } | undefined) ?? {}).map(([key, property]) => ({
    key,
    at: `${at}/${key}`,
    node: property,
    required: ((node.required as string[] | undefined) ?? []).includes(key),
  })),
)
const target = (node: JsonObject): JsonObject =>
  typeof node.$ref === 'string' ? (definitions[node.$ref.replace('#/definitions/', '')] ?? {}) : {}
/** A word of a property, its own or that of what it refers to. */
const said = (node: JsonObject, word: string): Json | undefined => node[word] ?? target(node)[word]

t.ok(properties.length > 100, 'the walk finds properties')

t.test('it is one draft-07 schema, and compiles strictly', async (t) => {
  t.equal(schema.$schema, 'http://json-schema.org/draft-07/schema#')
  t.match(schema.$id, /:v\d+$/, 'its id names the major version')
  for (const { at, node } of nodes) if ('$ref' in node) t.ok(Object.keys(target(node)).length > 0, `${at}: ${node.$ref}`)
  t.doesNotThrow(() => ajv.compile(schema))
  const files = readdirSync(join(root, 'schema'))
    .map((file) => read(join('schema', file)))
    .join('\n')
  t.same(
    vocabulary.filter((word) => !files.includes(`"${word}":`)),
    [],
    'no word of the vocabulary is unused',
  )
})

t.test('every property has a type, a title, one plain line for lists and Markdown for hovering', async (t) => {
  for (const { at, node } of properties) {
    t.ok('type' in node || '$ref' in node, `${at}: a type, else it completes without a colon`)
    for (const word of ['title', 'description', 'markdownDescription']) t.equal(typeof said(node, word), 'string', `${at}: ${word}`)
    t.match(said(node, 'description'), /^[^\n`]{3,120}[.…]$/, `${at}: one plain sentence`)
  }
})

t.test('what editors get is the same with rules for people who type: nothing is laxer, and what is stricter is a mistake', async (t) => {
  const plain = new Ajv({ strict: false, allowUnionTypes: true })
  const [check, lax] = [plain.compile(bundle), plain.compile({ ...schema, $id: 'urn:headgate:lax' })]
  const rooted = (route: JsonObject): JsonObject => ({ platforms: { webhook: { routes: { r: route } } } })
  const both = (route: JsonObject): [validates: unknown, editor: unknown] => [lax(rooted(route)), check(rooted(route))]
  t.same(both({ deliver: 'slack', deliver_extra: { chat_id: 'C0123', thread_id: '1.1' }, deliver_only: true }), [true, true])
  t.same(both({ deliver: ['slack', 'acme-chat'], deliver_extra: { room: { id: 1 } } }), [true, true])
  t.same(both({ deliver: 'acme-chat', deliver_extra: { room: { id: 1 } } }), [true, true])
  t.same(both({ deliver: 'slack', deliver_extra: { chat: 'C0123' } }), [true, false])
  t.same(both({ deliver: 'http' }), [true, false], 'WH705 of validate')
  t.same(both({ deliver: 'slack', deliver_only: true, cron_job: 'x' }), [true, false], 'WH203 of validate')
  t.same(both({ deliver: 'slack', deliver_only: false, cron_job: 'x' }), [true, true])
  t.same(both({ delivr: 'slack' }), [false, false])
})

t.test('each target declares its keys, with a text for each that no other target shares', async (t) => {
  const shared = (definitions.DeliverExtra as JsonObject).properties as JsonObject
  for (const { name, schema: declared, needs, requires = [] } of targets) {
    const extra = declared?.deliver_extra.properties
    t.ok(extra, `${name}: says what it reads from deliver_extra`)
    t.equal(declared?.settings !== undefined, needs !== undefined || name === 'github_comment', `${name}: says what connects it`)
    for (const [key, { type, description }] of Object.entries(declared?.settings?.properties ?? {}))
      t.ok(type && description, `${name}.${key}: a type and a description`)
    for (const [key, { description, 'x-refused': isRefused }] of Object.entries(extra ?? {}))
      t.ok(key in shared || description || isRefused, `${name}.${key}: a description`)
    for (const key of requires) t.ok(extra && key in extra, `${name}.${key}`)
  }
  const read = targets.flatMap(({ schema }) => Object.keys(schema?.deliver_extra.properties ?? {}))
  t.same(
    Object.keys(shared).filter((key) => !read.includes(key)),
    [],
    'no key of the schema is left out',
  )
  t.notMatch(JSON.stringify([schema, bundle]), /"x-(?:exact|refused|env|redact)"/, 'keywords for the program stay inside')
})

t.test('what one target or toolset alone has stands in its file, and in no written schema', async (t) => {
  const written = (file: string): JsonObject => JSON.parse(read(`schema/${file}.schema.json`)) as JsonObject
  t.same(Object.keys(at(written('config'), 'properties', 'platforms', 'properties')), ['webhook'])
  t.same(Object.keys(at(written('route'), 'definitions', 'DeliverExtra', 'properties')), addressKeys)
  t.notOk('properties' in at(written('config'), 'properties', 'tools'), 'a toolset declares its section')
})

const at = (node: JsonObject, ...keys: readonly string[]): JsonObject => keys.reduce((inner, key) => inner[key] as JsonObject, node)

t.test('every listed value has its text', async (t) => {
  for (const { at, node } of nodes) {
    if (!Array.isArray(node.enum)) continue
    const texts = node.enumDescriptions as string[]
    t.equal(texts?.length, node.enum.length, at)
    t.ok(
      texts?.every((text) => text.trim() !== ''),
      at,
    )
  }
})

t.test('what an editor inserts is allowed: defaults and examples fit their own schema', async (t) => {
  const scalars = ['boolean', 'integer', 'number']
  for (const { at, node, required } of properties) {
    if (required || !(scalars.includes(String(node.type)) || 'enum' in node)) continue
    t.ok('default' in node || 'examples' in node, `${at}: a default, or an example`)
  }
  for (const { at, node } of nodes) {
    const { $id: _, ...bare } = node
    const values = [...('default' in node ? [node.default] : []), ...((node.examples as Json[] | undefined) ?? [])]
    const snippets = (node.defaultSnippets as { label: string; body: Json }[] | undefined) ?? []
    if (values.length === 0 && snippets.length === 0) continue
    const check = ajv.compile({ ...bare, definitions: schema.definitions as JsonObject })
    for (const value of values) t.ok(check(value), `${at}: ${JSON.stringify(value)}`)
    for (const { label, body } of snippets) t.ok(check(filled(body)), `${at}: ${label} ${JSON.stringify(check.errors)}`)
  }
})

/** A snippet as it is inserted when nobody types over its placeholders; quotes that are there for YAML are gone. */
const filled = (body: Json): Json =>
  JSON.parse(
    JSON.stringify(body)
      .replace(/\$\{\d+:([^}]*)\}/g, '$1')
      .replace(/"'(.*?)'"/g, '"$1"'),
  ) as Json

t.test('typing errors are found: objects are closed, and what is open says so', async (t) => {
  const open = ['Platform', '/deliver_extra', '/DeliverExtra']
  for (const { at, node } of nodes) {
    if (!('properties' in node)) continue
    t.ok('additionalProperties' in node, `${at}: says whether it is open`)
    t.equal(
      node.additionalProperties !== false,
      open.some((end) => at.endsWith(end)),
      at,
    )
  }
  for (const name of ['Route', 'Condition', 'WebhookSettings'])
    t.match(definitions[name], { patternProperties: { '^x-': {} } }, `${name}: notes`)
})

t.test('a pattern explains itself, and none stands on what templates or references replace', async (t) => {
  for (const { at, node } of nodes) {
    if (!('pattern' in node)) continue
    t.type(node.patternErrorMessage, 'string', at)
    t.notOk('x-secret' in node, at)
  }
  for (const { at, node } of nodes.filter(({ node }) => 'propertyNames' in node)) {
    const names = node.propertyNames as JsonObject
    for (const word of ['title', 'description', 'pattern']) t.ok(word in names, `${at}: ${word}`)
  }
})

t.test('keywords that make editors say nonsense are not used', async (t) => {
  for (const { at, node } of nodes)
    for (const word of ['not', 'anyOf', 'allOf', 'if', 'dependencies']) t.notOk(word in node, `${at}: ${word}`)
})

const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file) && !file.startsWith('generated'))
  .map((file) => read(join('src', file)))
  .join('\n')

t.test('the program reads every key', async (t) => {
  // A platform's settings are read by the target of its name.
  const read = properties.filter(({ at }) => !/^\/(platforms|Platform)\//.test(at))
  const missed = read.filter(({ key }) => !new RegExp(`\\b${key}\\b`).test(sources))
  t.same(
    missed.map(({ at }) => at),
    [],
  )
})

t.test('the defaults that editors show are those of the program', async (t) => {
  const defaultsOf = (node: JsonObject): JsonObject =>
    Object.fromEntries(
      Object.entries(node.properties as { [key: string]: JsonObject }).flatMap(([key, { default: value }]) =>
        value === undefined ? [] : [[key, value]],
      ),
    )
  const [gateway, storage] = ['gateway', 'storage'].map((key) =>
    defaultsOf((schema.properties as { [key: string]: JsonObject })[key] as JsonObject),
  )
  const { enabled, ...extra } = {
    ...defaultsOf(definitions.Webhook as JsonObject),
    ...defaultsOf(definitions.WebhookSettings as JsonObject),
  }
  const said = { platforms: { webhook: { enabled, extra } }, gateway, storage, agent: defaultsOf(definitions.Agent as JsonObject) }
  t.ok(Object.keys(extra).length > 4 && Object.keys(gateway ?? {}).length > 3, 'there are defaults')
  const load = (yaml: string, idle: readonly string[]) => {
    const { config, diagnostics } = loadConfig({ dataDir: sameFolder(t, { 'config.yaml': yaml }), env: {} })
    t.same(
      diagnostics.map(({ code, pointer }) => `${code} ${pointer}`),
      idle,
    )
    // The comparison leaves out where things stand, and takes only what the texts mean.
    const { dataDir: _, profiles: __, digests: ___, isEmpty: ____, sections: _____, ...rest } = config
    return rest
  }
  // These defaults are those of another store or runner than the usual one.
  t.same(load(stringify(said), ['WH210 /storage/schema', 'WH210 /agent/max_steps', 'WH210 /agent/output']), load('{}', []))
})

t.test('every key of a map stands in a table of the reference', async (t) => {
  const tables = read('docs/reference.md')
    .split('| key | type | default | meaning |')
    .slice(1)
    .map((text) => new Set([...text.matchAll(/^\| `([^`]+)` \|/gm)].map(([, key]) => key)))
  // The settings of each target and its keys of deliver_extra are in docs/targets.md, the sections of the adapter are those of WebhookSettings.
  const elsewhere =
    /^\/(?:\w+Platform|\w+Extra(?:Shared|Inline)?|\w+Delivery|Webhook|Routes|Subscriptions?|CronJobs|StoredJob)(?:\/|$)|^(?:\/platforms)?(?:\/oneOf\/\d+)?$/
  let maps = 0
  for (const { at, node } of nodes.filter(({ at, node }) => isObject(node.properties) && !elsewhere.test(at))) {
    const keys = Object.keys(node.properties as JsonObject)
    maps++
    t.ok(
      tables.some((table) => keys.every((key) => table.has(key))),
      `${at}: ${keys.join(', ')}`,
    )
  }
  t.ok(maps > 60)
})

/** Keys whose names look like those of secrets, with the reason why their texts are shown. */
const shownKeys: { readonly [key: string]: string } = { secret_header: 'the name of a header' }

t.test('a key that names a secret is marked as one, or its text is shown for a reason', (t) => {
  const ofTargets = targets.flatMap(({ schema: parts }) => [parts?.settings, parts?.deliver_extra] as unknown as Json[])
  const unmarked = [schema as unknown as Json, bundle, ...ofTargets]
    .flatMap((root) => nodesOf(root, ''))
    .flatMap(({ node }) =>
      Object.entries((node.properties ?? {}) as { readonly [key: string]: Json }).flatMap(([key, value]) => {
        const isText =
          isObject(value) &&
          (value.type === undefined || [value.type].flat().includes('string')) &&
          value.$ref === undefined &&
          value.enum === undefined
        return isText && namesSettingSecret(key) && value['x-secret'] === undefined && value['x-address'] === undefined ? [key] : []
      }),
    )
  t.strictSame([...new Set(unmarked)].sort(), Object.keys(shownKeys).sort())
  t.end()
})
