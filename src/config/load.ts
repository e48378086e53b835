/**
 * Loads files, environment and flags into one Config, and collects their Diagnostics. Whatever needs a configuration starts here: the
 * gateway, its reloads, `validate` and the other commands.
 */

import { join, resolve } from 'node:path'
import type { Diagnostic, Path } from '../core/diagnostic.ts'
import { isObject, type Json, type JsonObject, numberOr, valueAt } from '../core/json.ts'
import type { Config as File } from '../generated/config.ts'
import { defaults } from '../generated/defaults.ts'
import { agentPath, defaultAgent } from '../parts/named-agents.ts'
import type { Handling } from '../parts/runners/runner.ts'
import { adapterOf, environmentValues, isUsableSecret, mergeWebhook, readConfiguredRoutes } from './adapter.ts'
import { budgetOf, type Price } from './budget.ts'
import { type AgentSettings, type Config, defaultProfile, type Profile } from './config.ts'
import { readConsole } from './console/read-console.ts'
import { type Env, isUnknown, unknownSecret } from './env.ts'
import { type FileReadings, type FileSource, platformsOf, pluginsOf, profilePlace, readEnv, readFile, readProfiles } from './files.ts'
import { readIncludedRoutes } from './include/read-routes.ts'
import { readConfiguredJobs } from './jobs.ts'
import { checkNeeds } from './needs.ts'
import { type PartialRoute, partialRoutesOf } from './partial-route.ts'
import { configSchema } from './schema-walk.ts'
import { entryReferences } from './secrets/entry-references.ts'
import {
  checkProviders,
  knownReference,
  noProviders,
  type ProvidedSecrets,
  readProviders,
  type SecretSources,
} from './secrets/providers.ts'
import { sectionsOf } from './sections.ts'
import { isBroken } from './shape.ts'
import { readStorage } from './storage/read-storage.ts'
import { readMetrics } from './telemetry/read-metrics.ts'
import { readTelemetry } from './telemetry/read-telemetry.ts'
import { readTls } from './tls/read-tls.ts'
import type { GivenTexts, Source } from './yaml/source.ts'

export type LoadOptions = {
  readonly dataDir: string
  /** The file to read instead of `<data_dir>/config.yaml`. */
  readonly configFile?: string | undefined
  /** Texts to read in place of those of `config.yaml` and of the files that it includes. */
  readonly texts?: GivenTexts | undefined
  /** A file of routes to read as if `config.yaml` included it, before all other files. */
  readonly include?: string | undefined
  readonly env: Env
  /** The secrets of programs. Absent: programs were not asked, and references to their secrets stay as they are written. */
  readonly provided?: ProvidedSecrets | undefined
  /** `host` and `port` of flags. They win over the environment and the file. */
  readonly host?: string | undefined
  readonly port?: number | undefined
}

/** A configuration that was loaded. It must not be served when one of the Diagnostics stops the start. */
export type Loaded = {
  readonly config: Config
  readonly diagnostics: readonly Diagnostic[]
  /** The texts of the YAML files that were read, for code frames. */
  readonly texts: ReadonlyMap<string, string>
  /** The YAML files that were read, parsed, with secrets not resolved. */
  readonly sources: readonly FileSource[]
  /** The usable parts of routes whose shape or secret is wrong. */
  readonly salvaged: readonly PartialRoute[]
  /** Returns the path at which a key of the adapter's settings stands in the file. */
  readonly settingPath: (key: string) => Path
  /** The keys that the file has for the webhook adapter, under `webhook` or `extra`. */
  readonly written: ReadonlySet<string>
}

const unreadableCodes: ReadonlySet<string> = new Set(['WH001', 'WH002', 'WH003', 'WH013', 'WH014'])

/** Returns those Diagnostics that say that a file cannot be read, or has a key twice, so that its contents are not known for certain. */
export const unreadIn = ({ diagnostics }: Pick<Loaded, 'diagnostics'>): Diagnostic[] =>
  diagnostics.filter(({ code }) => unreadableCodes.has(code))

// The readers below take a default, or nothing, in place of a value of another type: the shape check has reported the value.
const textOrUndefined = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const asMap = (value: unknown): JsonObject => (isObject(value) ? value : {})
/** Returns a list of texts; `undefined` for any other value. */
const asTexts = (value: unknown): string[] | undefined =>
  Array.isArray(value) && value.every((each) => typeof each === 'string') ? value : undefined
/** Returns those members of a map that are texts; `undefined` for a value that is no map. */
const textsIn = (value: unknown): { readonly [key: string]: string } | undefined =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).flatMap(([key, member]) => (typeof member === 'string' ? [[key, member]] : [])))
    : undefined
/** Returns those members of a map that are maps. */
const mapsIn = (value: unknown): { readonly [key: string]: JsonObject } =>
  Object.fromEntries(Object.entries(asMap(value)).flatMap(([key, member]) => (isObject(member) ? [[key, member]] : [])))

/**
 * Resolves a relative path of a program against the data directory, so that it means the same program wherever the gateway is started.
 * A name without a folder stays, and is looked up on the PATH.
 */
const resolveCommand = (dataDir: string, argv: readonly string[] | undefined): string[] | undefined =>
  argv?.map((word, at) => (at === 0 && word.includes('/') ? resolve(dataDir, word) : word))

const agentOf = (agent: JsonObject, name: string, source: Source | undefined, dataDir: string): AgentSettings => {
  const optional = {
    command: resolveCommand(dataDir, asTexts(agent.command)),
    baseUrl: textOrUndefined(agent.base_url),
    apiKey: textOrUndefined(agent.api_key),
    model: textOrUndefined(agent.model),
    system: textOrUndefined(agent.system),
    maxOutputTokens: typeof agent.max_output_tokens === 'number' ? agent.max_output_tokens : undefined,
    untrusted: textOrUndefined(agent.untrusted) as Handling | undefined,
    env: asTexts(agent.env),
    envValues: textsIn(agent.env),
    payload: agent.payload === true ? true : undefined,
    toolsets: asTexts(agent.toolsets),
    skills: asTexts(agent.skills),
    place: source && ((path: Path) => source.place([...agentPath(name), ...path], 'key')),
  }
  const settings = Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined))
  return {
    runner: textOrUndefined(agent.runner) ?? defaults.agent.runner,
    timeoutMs: numberOr(agent.timeout_seconds, defaults.agent.timeout_seconds) * 1000,
    maxSteps: numberOr(agent.max_steps, defaults.agent.max_steps),
    output: textOrUndefined(agent.output) ?? defaults.agent.output,
    budget: { threadRuns: defaults.budget.thread_runs, ...budgetOf(asMap(agent.budget)) },
    prices: new Map(Object.entries(mapsIn(agent.prices) as unknown as { [model: string]: Price })),
    ...settings,
  }
}

const agentsOf = (file: File, source: Source | undefined, dataDir: string): Config['agents'] => {
  const written: [string, JsonObject][] = [...Object.entries(mapsIn(file.agents)), [defaultAgent, asMap(file.agent)]]
  return new Map(written.map(([name, agent]) => [name, agentOf(agent, name, source, dataDir)]))
}

const toolsOf = (file: File, source: Source | undefined): Config['tools'] => {
  const { webhook } = asMap(file.platform_toolsets)
  return {
    settings: mapsIn(file.tools),
    servers: mapsIn(file.toolsets),
    ofRuns: asTexts(webhook) ?? defaults.platform_toolsets.webhook,
    ...(source ? { place: (path: Path) => source.place(path, 'value') } : {}),
  }
}

/** Returns the signature schemes whose shape is right. */
const schemesOf = (file: File, source: Source | undefined, bad: ReadonlySet<string>): Config['schemes'] => {
  const whole = Object.entries(asMap(file.signature_schemes)).filter(([name]) => !isBroken(['signature_schemes', name], bad))
  return {
    named: Object.fromEntries(whole) as unknown as Config['schemes']['named'],
    ...(source ? { place: (path: Path) => source.place(path, 'value') } : {}),
  }
}

const alertsOf = ({ alerts }: File, bad: ReadonlySet<string>): Config['alerts'] =>
  Array.isArray(alerts) ? alerts.map((spec, index) => ({ index, spec })).filter(({ index }) => !isBroken(['alerts', index], bad)) : []

const breakerOf = ({ enabled = defaults.breaker.enabled, failures, max_wait_seconds }: JsonObject): Pick<Config, 'breaker'> => {
  if (enabled === false) return {}
  const longestWaitMs = numberOr(max_wait_seconds, defaults.breaker.max_wait_seconds) * 1000
  return { breaker: { failures: numberOr(failures, defaults.breaker.failures), longestWaitMs } }
}

/** Returns where the relay is; `undefined` where the section is missing or broken. */
const relayOf = ({ url, key, listen = defaults.relay.listen }: JsonObject): Config['relay'] =>
  typeof url === 'string' && isUsableSecret(key) ? { url: url.replace(/\/+$/, ''), key, listen: listen !== false } : undefined

const limitsOf = ({ drain_seconds, max_concurrent_runs, max_queued_runs, max_waiting_requests, max_concurrent_scripts }: JsonObject) => ({
  drainMs: numberOr(drain_seconds, defaults.gateway.drain_seconds) * 1000,
  maxConcurrentRuns: numberOr(max_concurrent_runs, defaults.gateway.max_concurrent_runs),
  maxQueuedRuns: numberOr(max_queued_runs, defaults.gateway.max_queued_runs),
  maxWaitingRequests: numberOr(max_waiting_requests, defaults.gateway.max_waiting_requests),
  maxConcurrentScripts: numberOr(max_concurrent_scripts, defaults.gateway.max_concurrent_scripts),
})

/** Loads the whole configuration. Returns a Config in any case, but it must not be served when a Diagnostic stops the start. */
export const loadConfig = (options: LoadOptions): Loaded => {
  const into: FileReadings = { diagnostics: [], texts: new Map(), sources: [], digests: new Map(), asked: new Set() }
  const dataDir = resolve(options.dataDir)
  const env = readEnv(dataDir, options.env, into)
  const file = options.configFile ? resolve(options.configFile) : join(dataDir, 'config.yaml')
  let secrets = noProviders
  const secretsOf = (written: Json): SecretSources => {
    secrets = { providers: readProviders(written), provided: options.provided }
    return secrets
  }
  const { data, source, bad, found } = readFile(file, env, secretsOf, into, options.configFile !== undefined, options.texts?.get(file))
  if (source) into.diagnostics.push(...checkProviders(secrets, source))
  const { settings, baseOf } = mergeWebhook(data, source, into)
  const fromEnv = isUnknown(env) ? { enabled: true } : environmentValues(env, into)
  const gateway = asMap(data.gateway)
  const multiplex = gateway.multiplex_profiles === true
  const written = isUsableSecret(settings.secret) ? settings.secret : isUnknown(env) ? unknownSecret : undefined
  const globalSecret = fromEnv.secret ?? written
  const globalReference =
    fromEnv.secret === undefined && source ? knownReference(valueAt(source.data, baseOf('secret')), secrets) : undefined
  const around = { globalSecret, globalReference, secrets }
  const named = { main: { source, bad, found, data }, from: { env, secrets }, texts: options.texts, also: options.include }
  const routes = readIncludedRoutes({ ...named, routes: settings.routes as JsonObject, base: baseOf('routes') }, into)
  const jobs = readConfiguredJobs(data, defaultProfile, source, bad)
  const main: Profile = { name: defaultProfile, dir: dataDir, env, secrets, platforms: platformsOf(data), ...jobs, ...profilePlace(source) }
  const profiles = readProfiles(dataDir, multiplex, main, into)
  const sections = sectionsOf(data)
  const needs = checkNeeds(configSchema, sections, { top: sections, env }, source)
  into.diagnostics.push(...needs.filter(({ pointer }) => !bad.has(pointer)))
  const config: Config = {
    dataDir,
    file,
    digests: into.digests,
    isEmpty: Object.keys(data).length === 0,
    sections,
    enabled: fromEnv.enabled ?? data.platforms?.webhook?.enabled === true,
    host: options.host ?? textOrUndefined(settings.host) ?? defaults.webhook.host,
    port: options.port ?? fromEnv.port ?? numberOr(settings.port, defaults.webhook.port),
    tls: readTls(data.tls, dataDir),
    ...(globalSecret === undefined ? {} : { globalSecret }),
    ...(globalReference === undefined ? {} : { globalReference }),
    adapter: adapterOf(settings, (key) => isBroken(baseOf(key), bad)),
    schemes: schemesOf(data, source, bad),
    routes: new Map(routes.flatMap((part) => [...readConfiguredRoutes(part, around)])),
    multiplex,
    profiles,
    secrets: { ...secrets, asked: [...into.asked, ...entryReferences(dataDir, profiles.values(), secrets)] },
    plugins: pluginsOf(data, source),
    ...limitsOf(gateway),
    agents: agentsOf(data, source, dataDir),
    tools: toolsOf(data, source),
    console: readConsole(asMap(data.console), source, into.diagnostics),
    metrics: readMetrics(asMap(data.metrics), source, into.diagnostics),
    telemetry: readTelemetry(asMap(data.telemetry), env, source, into.diagnostics),
    ...breakerOf(asMap(asMap(data.targets).breaker)),
    relay: relayOf(asMap(data.relay)),
    alerts: alertsOf(data, bad),
    storage: readStorage(asMap(data.storage), source, into.diagnostics),
  }
  const salvaged = routes.flatMap((part) => partialRoutesOf(part, around))
  return { ...into, config, salvaged, settingPath: baseOf, written: new Set(Object.keys(settings)) }
}
