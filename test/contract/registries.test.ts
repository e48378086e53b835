/** Every registry equals what the schema, the catalogue of codes and the reply table say about it. */

import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { codeCatalogue as codes } from '../../src/core/diagnostic.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { type Refused, refuse } from '../../src/core/outcome.ts'
import { replyTo } from '../../src/core/reply.ts'
import { sections } from '../../src/edit/sections.ts'
import { defaults } from '../../src/generated/defaults.ts'
import { schema } from '../../src/generated/schema.ts'
import { endings } from '../../src/parts/endings/index.ts'
import { lookups } from '../../src/parts/lookups/index.ts'
import { operators } from '../../src/parts/operators/index.ts'
import { runners, runnersByName } from '../../src/parts/runners/index.ts'
import { outputs } from '../../src/parts/runners/outputs/index.ts'
import { presets, schemes } from '../../src/parts/schemes/index.ts'
import { senderLogs } from '../../src/parts/sender-logs/index.ts'
import { stages } from '../../src/parts/stages/index.ts'
import { targets, targetsByName } from '../../src/parts/targets/index.ts'
import { toolsets, toolsetsByName } from '../../src/parts/tools/index.ts'
import { targetName } from '../../src/parts/written-names.ts'
import { stores } from '../../src/store/index.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (file: string): string => readFileSync(join(root, file), 'utf8')
const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file) && !file.startsWith('generated'))
  .map((file) => ({ file, text: read(join('src', file)) }))

const namesOf = (parts: readonly { readonly name: string }[]): string[] => parts.map(({ name }) => name)
const sorted = (names: Iterable<string>): string[] => [...names].sort()
const definition = (name: string): JsonObject => (schema.definitions as JsonObject)[name] as JsonObject
const propertiesOf = (node: JsonObject): { [key: string]: JsonObject } => node.properties as { [key: string]: JsonObject }
const enumOf = (node: JsonObject | undefined): string[] => node?.enum as string[]
const unbuilt = 'not built in this version'

const route = definition('Route')
const target = definition('Target')
/** The built-in ones; the other branch is the form of a plugin's name. */
const listedIn = (node: JsonObject = {}): JsonObject => (node.oneOf as JsonObject[]).find((branch) => 'enum' in branch) as JsonObject
const listed = listedIn(target)
const pipeline = route['x-pipeline'] as string[]

t.test('the stages are those of x-pipeline, in its order; the rest stand outside of a plan', async (t) => {
  const outside = ['body_size', 'route', 'dispatch']
  t.same(
    pipeline.filter((name) => !outside.includes(name)),
    namesOf(stages),
  )
  t.same(
    outside.filter((name) => !pipeline.includes(name)),
    [],
  )
  for (const kind of ['Route', 'Subscription'])
    for (const [key, node] of Object.entries(propertiesOf(definition(kind))))
      t.ok(pipeline.includes(String(node['x-stage'])), `${kind}.${key}`)
})

t.test('every section that the schema names for a key is one of the form', async (t) => {
  const named = Object.entries(propertiesOf(definition('Route'))).filter(([, node]) => 'x-section' in node)
  t.ok(named.length > 10)
  for (const [key, node] of named)
    t.ok(
      sections.some(({ name }) => name === node['x-section']),
      key,
    )
})

t.test('every built target is a value of deliver; what is not built says so where editors show it', async (t) => {
  const known = enumOf(listed)
  t.same(
    namesOf(targets).filter((name) => !known.includes(name)),
    [],
  )
  const texts = listed.enumDescriptions as string[]
  for (const [i, name] of known.entries()) {
    t.ok(known.includes(targetName(name)), `${name}: its real name`)
    t.equal(!texts[i]?.includes(unbuilt), targetsByName.has(targetName(name)), `${name}: ${texts[i]}`)
  }
  const named = propertiesOf(definition('DeliverExtra'))
  for (const key of targets.flatMap(({ requires = [] }) => requires)) t.ok(key in named, `deliver_extra.${key} is described`)
})

t.test('what a target needs is among the settings that the schema gives it', async (t) => {
  for (const { name, needs = [], settings = [], forms = {} } of targets) {
    const keys = settings.map(({ key }) => key)
    for (const [key, form] of Object.entries(forms)) {
      t.ok(key === 'api_base' || keys.includes(key), `${name}: ${key}`)
      t.ok(form.fits(form.example) && !form.fits('no\nvalue /?#'), `${name}: the form of ${key}`)
    }
    t.same(
      needs.flat().filter((key) => !keys.includes(key)),
      [],
      name,
    )
  }
})

t.test('every name that a setting has in the environment is on the page of the targets', async (t) => {
  const page = read('docs/targets.md')
  const names = targets.flatMap(({ settings = [] }) => settings.flatMap(({ env }) => env))
  t.same(
    names.filter((name) => !page.includes(`\`${name}\``)),
    [],
  )
})

t.test('runners, outputs and signature schemes are those of the schema', async (t) => {
  t.same(namesOf(runners), enumOf(listedIn(propertiesOf(definition('Agent')).runner)))
  t.same(namesOf(outputs), enumOf(propertiesOf(definition('Agent')).output as JsonObject))
  const named = presets.flatMap(({ name, aliases = [] }) => [name, ...aliases])
  t.same([...namesOf(schemes), ...named], enumOf(listedIn(definition('SchemeName'))))
  const { from } = propertiesOf(propertiesOf(definition('Route')).catch_up as JsonObject)
  t.same(namesOf(senderLogs), enumOf(from as JsonObject))
})

t.test('names are unique in every registry, and so are their maps', async (t) => {
  for (const parts of [stages, endings, operators, [...schemes, ...presets], runners, outputs, targets, toolsets, lookups, senderLogs])
    t.equal(new Set(namesOf(parts)).size, parts.length)
  t.equal(targetsByName.size, targets.length)
  const called = targets.flatMap(({ name, aliases = [] }) => [name, ...aliases])
  t.equal(new Set(called).size, called.length, 'no other name of a target is that of another')
  t.equal(runnersByName.size, runners.length)
  t.equal(toolsetsByName.size, toolsets.length)
  t.same(namesOf(toolsets), defaults.platform_toolsets.webhook, 'what a run has where nothing is said')
})

t.test('a part stands in the file of its name', async (t) => {
  // Parts that differ only in their data share a file.
  const families: { readonly [file: string]: readonly string[] } = {
    comparisons: ['gt', 'gte', 'lt', 'lte'],
    generic: ['v1', 'v2'],
    'standard-webhooks': ['standard_webhooks', 'svix'],
  }
  for (const [kind, parts] of Object.entries({
    stages,
    endings,
    operators,
    schemes: [...schemes, ...presets],
    runners,
    'runners/outputs': outputs,
    targets,
    tools: toolsets,
    lookups,
    'sender-logs': senderLogs,
  })) {
    const files = readdirSync(join(root, 'src/parts', kind), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !/^(?:kit|described|delivery|mcp|outputs)\//.test(file))
      .map((file) => basename(file, '.ts'))
      // The registry, the contract of the family, and how its presets are made.
      .filter((file) => file !== 'index' && file !== 'preset' && `${file}s` !== basename(kind))
    const names = files.flatMap((file) => families[file] ?? [file.replaceAll('-', '_')])
    t.same(sorted(names), sorted(namesOf(parts).map((name) => name.replaceAll('-', '_'))), kind)
  }
})

t.test('every store is a value of storage.kind, and the one that is not built says so', (t) => {
  const kind = propertiesOf((schema.properties as { [key: string]: JsonObject }).storage as JsonObject).kind as JsonObject
  const texts = kind.enumDescriptions as string[]
  t.same(
    enumOf(kind).filter((_, i) => texts[i]?.toLowerCase() !== unbuilt),
    namesOf(stores),
  )
  t.end()
})

t.test('every route that the schema lets pass has exactly one ending, and every ending a route', async (t) => {
  const values: { readonly [key: string]: unknown } = { deliver_only: true, cron_job: 'nightly', coalesce: { key: 'number' }, dispatch: [] }
  const pairs = (route['x-conflicts'] as { keys: string[] }[]).map(({ keys }) => sorted(keys).join(' '))
  for (const pair of [
    'cron_job deliver_only',
    'coalesce deliver_only',
    'coalesce cron_job',
    'deliver_only dispatch',
    'cron_job dispatch',
    'coalesce dispatch',
  ])
    t.ok(pairs.includes(pair), `${pair}: one at most`)
  const routes = [{}, { deliver_only: false }, ...Object.keys(values).map((key) => ({ [key]: values[key] }))]
  const chosen = routes.map((spec) => {
    const [first, ...others] = namesOf(endings.filter(({ fits }) => fits(spec)))
    t.ok(first !== undefined && others.length === 0, JSON.stringify({ spec, first, others }))
    return first
  })
  t.same([...new Set(chosen)].sort(), sorted(namesOf(endings)))
})

t.test('rules over several keys name real keys, values and codes', async (t) => {
  const keys = Object.keys(propertiesOf(route))
  type Rule = { code?: string; when?: string; unless?: string; key?: string; keys?: string[]; but?: string[] }
  const rules = ['x-conflicts', 'x-requires', 'x-ignored'].flatMap((name) => route[name] as Rule[])
  t.ok(rules.length > 0)
  for (const rule of rules) {
    const named = [rule.when, rule.unless, rule.key, ...(rule.keys ?? [])].filter((key) => key !== undefined)
    for (const key of named) t.ok(keys.includes(key), key)
    for (const value of rule.but ?? [])
      t.ok(enumOf(rule.key === 'deliver' ? listed : propertiesOf(route)[rule.key as string]).includes(value), value)
    if (rule.code) t.ok(rule.code in codes, rule.code)
  }
})

t.test('every diagnostic code is in the catalogue, and somebody reports every code of the catalogue', async (t) => {
  const inSchema = JSON.stringify(schema).match(/WH\d{3}/g) ?? []
  // The command line only asks for codes that others report.
  const named = sources.flatMap(({ file, text }) =>
    file === 'core/diagnostic.ts' || file.startsWith('cli') ? [] : (text.match(/'WH\d{3}'/g) ?? []),
  )
  const used = new Set([...inSchema, ...named.map((code) => code.slice(1, -1))])
  t.same(sorted(used), sorted(Object.keys(codes)))
  const anywhere = sources.flatMap(({ text }) => text.match(/\bWH\d{3}\b/g) ?? [])
  t.same(
    anywhere.filter((code) => !(code in codes)),
    [],
  )
})

const refusals = [...(/type Refusal =([^\n]*\n(?: +\|.*\n)+)/.exec(read('src/core/outcome.ts'))?.[1] ?? '').matchAll(/'(\w+)'/g)].map(
  ([, code]) => code as Refused['code'],
)

t.test('every refusal has an answer of its own, is given by somebody, and leaks no detail', async (t) => {
  t.ok(refusals.includes('bad_signature') && refusals.includes('internal'), `found: ${refusals}`)
  const text = sources.map((source) => source.text).join('\n')
  for (const code of refusals) {
    const { status, body } = replyTo(refuse(code, { name: 'a', detail: 'SECRET' }))
    t.ok(status >= 400 && status < 600, code)
    t.ok(code === 'delivery_failed' ? body === 'Delivery failed' : JSON.parse(body).error, code)
    t.notMatch(body, 'SECRET')
    t.ok(text.includes(`refuse('${code}'`), `${code} is given by somebody`)
  }
})

t.test('every answer of the contract is in the README', async (t) => {
  const readme = read('README.md')
  // Answers that no sender plans for: 500 is a bug of ours, and 431 is for headers that no sender has.
  const beside = [500, 431]
  const statuses = refusals.map((code) => replyTo(refuse(code)).status).filter((status) => !beside.includes(status))
  for (const status of new Set([...statuses, 200, 202])) t.match(readme, new RegExp(`\\b${status}\\b`), String(status))
  for (const word of ['ignored', 'duplicate', 'accepted', 'delivered']) t.match(readme, `\`${word}\``)
})
