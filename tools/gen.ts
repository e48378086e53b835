/**
 * Generates everything that comes from `schema/*.schema.json`, the parts, the findings and the metrics (bundle, types, defaults,
 * validators, docs, dashboard), samples, and the index of the decisions. `--check` only compares.
 */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compile } from 'json-schema-to-typescript'
import { presets, schemes } from '../src/parts/schemes/index.ts'
import { targets } from '../src/parts/targets/index.ts'
import { renderCodes } from './codes.ts'
import { withCommandTables } from './commands.ts'
import { readDecisions, renderDecisions } from './decisions.ts'
import { renderDefaults } from './defaults.ts'
import { forEditors } from './editor/index.ts'
import { renderKubernetes } from './kubernetes/index.ts'
import { renderDashboard, renderMetrics } from './observability.ts'
import { withOperators } from './operator-schema.ts'
import { withNames, withoutToolsets } from './part-names.ts'
import { renderReference } from './reference.ts'
import { renderSamples } from './samples.ts'
import { renderSecretKeys } from './secret-keys.ts'
import { renderSenders } from './senders.ts'
import { envByChoice, renderSettings, withEnvNames } from './settings.ts'
import { createAjv, renderChecks } from './shapes/checks.ts'
import { type ConsoleSchema, renderConsole, withScreens } from './shapes/console.ts'
import { type ControlSchema, renderControl } from './shapes/control.ts'
import { renderStored, type StoredSchema } from './shapes/stored.ts'
import { platformDefinitions, platformSections, withTypedKeys } from './target-schema.ts'
import { renderTargets } from './targets.ts'
import { toolSections } from './toolset-schema.ts'

type Node = { [key: string]: unknown }
const root = fileURLToPath(new URL('..', import.meta.url))
const readSchema = (file: string): Node => JSON.parse(readFileSync(join(root, 'schema', file), 'utf8'))

/** Writes the schema with a line for each key at its top and for each definition: indented as usual, it would be a third larger. */
const lineForEach = (node: Node, deeper: readonly string[] = ['definitions', 'properties']): string => {
  const lines = Object.entries(node).map(
    ([key, value]) => `${JSON.stringify(key)}: ${deeper.includes(key) ? lineForEach(value as Node, []) : JSON.stringify(value)}`,
  )
  return `{\n${lines.join(',\n')}\n}`
}

/** The keywords of the schemas that are for editors and for these tools, not for validation. */
const vocabulary = [
  'defaultSnippets',
  'doNotSuggest',
  'enumDescriptions',
  'markdownDescription',
  'patternErrorMessage',
  'x-section',
  'x-stage',
  'x-pipeline',
  'x-conflicts',
  'x-requires',
  'x-ignored',
  'x-needs',
  'x-secret',
  'x-address',
  'x-code',
  'x-template',
  'x-path',
  'x-extends',
  'x-operators',
  'x-groups',
  'x-on-items',
  'x-meant',
  'x-fits',
  'x-forbidden-toolsets',
]

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value)

const files = [
  'config.schema.json',
  'route.schema.json',
  'routes.schema.json',
  'relay.schema.json',
  'condition.schema.json',
  'targets.schema.json',
  'subscriptions.schema.json',
  'jobs.schema.json',
  'alerts.schema.json',
  'tests.schema.json',
  'scheme.schema.json',
]

/** The definitions with `x-extends` as the compiler of types takes them: with their own keys alone, and the name of what they extend. */
type Extending = { [name: string]: Node }

/**
 * Makes one self-contained draft-07 schema of the files: every `$ref` becomes local, every `x-extends` is merged in, and every `x-names` is
 * replaced by the names.
 */
const bundle = (): { readonly schema: Node; readonly extending: Extending } => {
  const definitions: { [name: string]: Node } = {}
  const extending: Extending = {}
  const titleOf = new Map(files.map((file) => [file, readSchema(file).title as string]))
  const local = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(local)
    if (!isNode(value)) return value
    const out: Node = {}
    for (const [key, item] of Object.entries(withoutToolsets(withEnvNames(withNames(value))))) {
      const title = key === '$ref' || key === 'x-extends' ? titleOf.get(item as string) : undefined
      out[key] = title ? `#/definitions/${title}` : local(item)
    }
    return out
  }
  for (const file of files) {
    const { $schema: _, definitions: inner, ...self } = local(readSchema(file)) as Node
    Object.assign(definitions, inner)
    definitions[self.title as string] = self
  }
  definitions.Condition = withOperators(definitions.Condition as Node)
  Object.assign(definitions, local(platformDefinitions(definitions.Platform as Node)))
  definitions.DeliverExtra = withTypedKeys(definitions.DeliverExtra as Node)
  const { platforms, tools } = (definitions.Config as Node).properties as { readonly [section: string]: Node }
  Object.assign(platforms?.properties as Node, platformSections)
  Object.assign(tools as Node, { properties: local(toolSections) })
  for (const [name, node] of Object.entries(definitions)) {
    const base = typeof node['x-extends'] === 'string' ? definitions[node['x-extends'].slice('#/definitions/'.length)] : undefined
    if (!base) continue
    const { 'x-extends': $ref, ...self } = node
    extending[name] = { ...self, extends: { $ref } }
    definitions[name] = { ...base, ...self, properties: { ...(self.properties as Node), ...(base.properties as Node) } }
  }
  const { Config, ...rest } = definitions
  return { schema: { $schema: 'http://json-schema.org/draft-07/schema#', ...Config, definitions: rest }, extending }
}

const banner = '// Generated from schema/ by `npm run gen`. Do not edit.\n'

/**
 * Returns the schema for the compiler of types. Only definitions keep their titles, because each title becomes the name of a type.
 * `patternProperties` are left out, because the keys that begin with `x-` would allow any key. A `type` beside `oneOf`, and texts beside a
 * `$ref`, only repeat for editors what is said elsewhere.
 */
const forTypes = (value: unknown, keep = true): unknown => {
  if (Array.isArray(value)) return value.map((item) => forTypes(item, false))
  if (!isNode(value)) return value
  if (typeof value.$ref === 'string') return { $ref: value.$ref }
  const out: Node = {}
  for (const [key, item] of Object.entries(value)) {
    if ((key === 'title' && typeof item === 'string' && !keep) || key === 'patternProperties') continue
    if (key === 'type' && 'oneOf' in value) continue
    if (key === 'properties' || key === 'definitions') {
      out[key] = Object.fromEntries(Object.entries(item as Node).map(([name, node]) => [name, forTypes(node, key === 'definitions')]))
    } else out[key] = forTypes(item, false)
  }
  return out
}

const types = async (bundled: Node, extending: Extending): Promise<string> => {
  const definitions = { ...(bundled.definitions as { [name: string]: Node }), ...extending }
  const schema = { ...bundled, definitions }
  // The root also refers to the definitions to which nothing else refers, so that the compiler exports their types too.
  const text = await compile(
    {
      ...(forTypes(schema) as Node),
      properties: {
        ...((forTypes(schema) as Node).properties as Node),
        'x-subscriptions': { $ref: '#/definitions/Subscriptions' },
        'x-jobs': { $ref: '#/definitions/CronJobs' },
        'x-tests': { $ref: '#/definitions/RouteTests' },
        'x-routes': { $ref: '#/definitions/RoutesFile' },
        'x-relay': { $ref: '#/definitions/RelayFile' },
      },
    } as never,
    'Config',
    {
      bannerComment: banner,
      format: false,
      additionalProperties: false,
      strictIndexSignatures: true,
      unreachableDefinitions: false,
      ignoreMinAndMaxItems: true,
    },
  )
  if (!definitions.Route) throw new Error('schema/route.schema.json: title must be Route')
  return text
    .replace(/\n\/\*\*\n \* This interface was referenced by[\s\S]*?\*\//g, '')
    .replace(/ \*\n \* This interface was referenced by[^\n]*\n \* via the [^\n]*\n/g, '')
    .replace(/^.*"?x-(subscriptions|jobs|tests|routes|relay)"?\?: .*\n/gm, '')
    .replace(/\/\*\*\n \* (.*)\n \*\//g, '/** $1 */')
}

/**
 * Leaves out the tests of a route: the gateway does not read them, and a mistake in them must not stop its start. `headgate test` and
 * `validate` check them.
 */
const withoutTests = (schema: Node): Node => {
  const definitions = Object.entries(schema.definitions as { [name: string]: Node }).map(([name, node]) => {
    const { tests, ...properties } = (node.properties ?? {}) as { readonly [key: string]: Node }
    return [name, name === 'RouteTests' || !tests ? node : { ...node, properties: { ...properties, tests: { type: 'array' } } }]
  })
  return { ...schema, definitions: Object.fromEntries(definitions) }
}

const annotations = new Set([...vocabulary, 'title', 'description', 'default', 'examples'])
const ofNames = new Set(['properties', 'patternProperties', 'definitions'])

/** Returns the schema without the texts for people, because a validator contains parts of its schema. */
const forValidators = (value: unknown, isNamed = false): unknown => {
  if (Array.isArray(value)) return value.map((item) => forValidators(item))
  if (!isNode(value)) return value
  const kept = Object.entries(value).filter(([key]) => isNamed || !annotations.has(key))
  return Object.fromEntries(kept.map(([key, item]) => [key, forValidators(item, !isNamed && ofNames.has(key))]))
}

/** The schema of sample files. No other schema refers to it. */
const sample = readSchema('sample.schema.json')

/** Returns the types of a sample file. They say neither that exactly one of the bodies is there, nor that `body` is JSON. */
const sampleTypes = (): Promise<string> => {
  const { oneOf: _, properties, ...plain } = forTypes(sample) as Node
  const { body: _body, ...typed } = properties as Node
  const options = { bannerComment: banner, format: false, strictIndexSignatures: false }
  return compile({ ...plain, properties: { ...typed, body: {} } } as never, 'SampleFile', options)
}

/** The validators that the module exports, each with its schema. */
const schemaOf = {
  checkConfig: 'config',
  checkRoutesFile: 'routes',
  checkSubscription: 'subscription',
  checkJob: 'job',
  checkSample: 'sample',
  checkTests: 'tests',
  checkRelay: 'relay',
}

const validators = async (schema: Node): Promise<string> => {
  const ajv = createAjv({ allErrors: true, strictRequired: false, inlineRefs: false })
  ajv.addSchema({ ...(forValidators(withoutTests(schema)) as Node), $id: 'config' })
  ajv.addSchema({ $id: 'routes', $ref: 'config#/definitions/RoutesFile' })
  ajv.addSchema({ $id: 'subscription', $ref: 'config#/definitions/Subscription' })
  ajv.addSchema({ $id: 'job', $ref: 'config#/definitions/StoredJob' })
  ajv.addSchema({ ...(forValidators(sample) as Node), $id: 'sample' })
  ajv.addSchema({ $id: 'relay', $ref: 'config#/definitions/RelayFile' })
  ajv.addSchema({ $id: 'tests', $ref: 'config#/definitions/RouteTests' })
  return `${banner}${await renderChecks(ajv, schemaOf, root)}`
}

const { schema, extending } = bundle()
const { Agent } = readSchema('config.schema.json').definitions as { readonly Agent: Node }
const runners = envByChoice(Agent)

type Section = { readonly properties: Node }
const properties = schema.properties as {
  readonly gateway: Node
  readonly platform_toolsets: Node
  readonly console: Section
  readonly metrics: Node
  readonly tls: Node
  readonly storage: Section
  readonly relay: Node
  readonly telemetry: { readonly properties: { readonly otlp: Node; readonly traces: Node } }
  readonly targets: Section
}
const definitions = schema.definitions as { readonly [name: string]: Node }
const { retention } = properties.storage.properties
const consoleAuth = properties.console.properties.auth as Section
const { breaker } = properties.targets.properties
const routeProperties = definitions.Route?.properties as { readonly [key: string]: Node }
const { otlp, traces } = properties.telemetry.properties

const defaults = {
  webhook: definitions.WebhookSettings,
  gateway: properties.gateway,
  console: properties.console,
  console_forward: consoleAuth.properties.forward,
  console_oidc: consoleAuth.properties.oidc,
  metrics: properties.metrics,
  tls: properties.tls,
  storage: properties.storage,
  retention,
  secret_provider: definitions.SecretProvider,
  telemetry: properties.telemetry,
  otlp,
  traces,
  breaker,
  agent: definitions.Agent,
  budget: definitions.Budget,
  platform_toolsets: properties.platform_toolsets,
  route: definitions.Route,
  retry: routeProperties.retry,
  coalesce: routeProperties.coalesce,
  rate_limit: routeProperties.rate_limit,
  cooldown: routeProperties.cooldown,
  lookup: definitions.Lookup,
  session: routeProperties.session,
  duplicates: routeProperties.duplicates,
  attachments: routeProperties.attachments,
  catch_up: routeProperties.catch_up,
  poll: routeProperties.poll,
  respond: routeProperties.respond,
  job: definitions.Job,
  alert: definitions.AlertRule,
  silence: definitions.Silence,
  toolset: definitions.McpServer,
  relay: properties.relay,
  relay_file: definitions.RelayFile,
  relay_gateway: definitions.RelayGateway,
  relay_route: definitions.RelayRoute,
}

/** Writes JSON as a text that the program parses at its start: parsing takes a third of the time that a literal takes. */
const parseCall = (value: Node): string => `JSON.parse(${JSON.stringify(JSON.stringify(value))})`

const checks = Object.keys(schemaOf)
  .map((name) => `export const ${name}: Check\n`)
  .join('')

const consoleSchema = readSchema('console.schema.json') as ConsoleSchema

const outputs: { [file: string]: string } = {
  ...renderKubernetes(forValidators(withoutTests(schema)) as Node),
  ...(await renderConsole(consoleSchema, banner, root)),
  ...(await renderControl(readSchema('control.schema.json') as ControlSchema, banner, root)),
  ...(await renderStored(readSchema('stored.schema.json') as StoredSchema, banner, root)),
  ...renderSamples(),
  'schema/headgate.schema.json': `${lineForEach(forEditors(schema) as Node)}\n`,
  'docs/codes.md': `${renderCodes()}\n`,
  'docs/commands.md': withCommandTables(readFileSync(join(root, 'docs/commands.md'), 'utf8')),
  'docs/console.md': withScreens(readFileSync(join(root, 'docs/console.md'), 'utf8'), consoleSchema),
  'docs/decisions/README.md': `${renderDecisions(readDecisions(join(root, 'docs/decisions')))}\n`,
  'docs/metrics.md': `${renderMetrics()}\n`,
  'examples/observability/grafana-dashboard.json': renderDashboard(),
  'docs/reference.md': `${renderReference(schema)}\n`,
  'docs/senders.md': `${renderSenders(presets, schemes)}\n`,
  'docs/targets.md': `${renderTargets(targets)}\n`,
  'src/generated/config.ts': await types(schema, extending),
  'src/generated/defaults.ts': `${banner}${renderDefaults(defaults)}`,
  'src/generated/secret-keys.ts': `${banner}${renderSecretKeys(schema)}`,
  'src/generated/settings.ts': `${banner}${renderSettings(runners, targets)}`,
  'src/generated/schema.ts': `${banner}import type { JsonObject } from '../core/json.ts'\n\nexport const schema: JsonObject = ${parseCall(schema)}\n\nexport const sampleSchema: JsonObject = ${parseCall(sample)}\n`,
  'src/generated/sample.ts': await sampleTypes(),
  'src/generated/validators.js': await validators(schema),
  'src/generated/validators.d.ts': `${banner}type Problem = { keyword: string; instancePath: string; schemaPath: string; params: Record<string, unknown>; message?: string }\ntype Check = { (data: unknown): boolean; errors?: Problem[] | null }\n${checks}export type { Check, Problem }\n`,
}

let stale = 0
for (const [file, text] of Object.entries(outputs)) {
  const path = join(root, file)
  let current = ''
  try {
    current = readFileSync(path, 'utf8')
  } catch {}
  if (current === text) continue
  if (process.argv.includes('--check')) {
    console.error(`${file} is stale: run npm run gen`)
    stale++
  } else {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    console.log(`wrote ${file}`)
  }
}
process.exitCode = stale > 0 ? 1 : 0
