/** Files, environment and flags → one Config and everything that is wrong with them. The server and `validate` both start here. */

import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Diagnostic, diagnostic, type Path, pointerOf } from '../core/diagnostic.ts'
import { messageOf } from '../core/fault.ts'
import { isObject, type JsonObject } from '../core/json.ts'
import { routeName } from '../core/names.ts'
import type { Config as File, Route, WebhookSettings } from '../generated/config.ts'
import { checkConfig } from '../generated/validators.js'
import { type Config, defaultProfile, type Profile, type RouteSource } from './config.ts'
import { type Env, parseFlag, readEnvFile } from './env.ts'
import { resolveSecrets } from './secrets.ts'
import { checkShape } from './shape.ts'
import { readSource, type Source } from './source.ts'
import { configSchema } from './walk.ts'

export type LoadOptions = {
  readonly dataDir: string
  /** Another file than `<data_dir>/config.yaml`. */
  readonly configFile?: string | undefined
  /** The process's environment. */
  readonly env: Env
  readonly host?: string | undefined
  readonly port?: number | undefined
}

export type Loaded = {
  readonly config: Config
  readonly diagnostics: readonly Diagnostic[]
  /** Texts of the files that were read, for code frames. */
  readonly texts: ReadonlyMap<string, string>
}

type Gathered = { diagnostics: Diagnostic[]; texts: Map<string, string> }

/** One `config.yaml` with its `.env`: checked, its secrets resolved; empty where there is none. */
const readFile = (file: string, env: Env, into: Gathered, required: boolean): { data: File; source?: Source; bad: ReadonlySet<string> } => {
  const { source, text, diagnostics } = readSource(file)
  if (text !== undefined) into.texts.set(file, text)
  into.diagnostics.push(...diagnostics)
  if (!source && required && diagnostics.length === 0) {
    into.diagnostics.push(diagnostic('WH003', `${file} does not exist`, { help: 'check the path given with --config' }))
  }
  if (!source) return { data: {}, bad: new Set() }
  const shape = checkShape(checkConfig, configSchema, source.data, source)
  if (!isObject(source.data)) {
    into.diagnostics.push(...shape)
    return { data: {}, source, bad: new Set() }
  }
  const resolved = resolveSecrets(configSchema, source.data, env, source)
  into.diagnostics.push(...shape, ...resolved.diagnostics)
  const bad = new Set([...shape, ...resolved.diagnostics].map(({ pointer }) => pointer))
  return { data: resolved.data as File, source, bad }
}

const readEnv = (dir: string, env: Env, into: Gathered): Env => {
  const file = join(dir, '.env')
  try {
    return { ...readEnvFile(file), ...env }
  } catch (error) {
    into.diagnostics.push(diagnostic('WH003', `cannot read ${file}: ${messageOf(error)}`, { help: 'check its permissions' }))
    return env
  }
}

/** Profiles that are served: multiplexing on and `profiles/<name>/config.yaml` there (contract 9). */
const readProfiles = (dataDir: string, multiplex: boolean, main: Profile, into: Gathered): Map<string, Profile> => {
  const profiles = new Map([[defaultProfile, main]])
  const folder = join(dataDir, 'profiles')
  if (!multiplex || !existsSync(folder)) return profiles
  for (const name of readdirSync(folder).sort()) {
    const dir = join(folder, name)
    const file = join(dir, 'config.yaml')
    if (!routeName.test(name) || name === defaultProfile || !existsSync(file)) continue
    // A profile's credentials come from its own .env only: the process's environment belongs to the default profile.
    const env = readEnv(dir, {}, into)
    const { data } = readFile(file, { ...main.env, ...env }, into, false)
    profiles.set(name, { name, dir, env, platforms: platformsOf(data) })
  }
  return profiles
}

const platformsOf = (file: File): Profile['platforms'] => {
  const { webhook: _, ...others } = isObject(file.platforms) ? file.platforms : {}
  return others as Profile['platforms']
}

/** The settings of the adapter, key by key: `extra` wins over `platforms.webhook` (spec: Enabling the adapter). */
const mergeWebhook = (
  file: File,
  source: Source | undefined,
  into: Gathered,
): { settings: WebhookSettings; baseOf: (key: string) => Path } => {
  const webhook = isObject(file.platforms?.webhook) ? (file.platforms.webhook as JsonObject) : {}
  const extra = isObject(webhook.extra) ? webhook.extra : {}
  const { extra: _, enabled: __, ...direct } = webhook
  for (const key of Object.keys(extra)) {
    if (!Object.hasOwn(direct, key) || !source) continue
    const path = ['platforms', 'webhook', key]
    into.diagnostics.push(
      diagnostic('WH106', `"${key}" stands under webhook and under extra: the one here has no effect`, {
        pointer: pointerOf(path),
        place: source.place(path, 'key'),
        help: 'keep the one under extra',
      }),
    )
  }
  const baseOf = (key: string): Path => (Object.hasOwn(extra, key) ? ['platforms', 'webhook', 'extra', key] : ['platforms', 'webhook', key])
  return { settings: { ...direct, ...extra } as WebhookSettings, baseOf }
}

/** A number wherever the file's shape held, else the default: the Diagnostic is there already. */
const number = (value: unknown, fallback: number): number => (typeof value === 'number' ? value : fallback)
const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const record = (value: unknown): JsonObject => (isObject(value) ? value : {})
/** An empty or blank secret counts as none (contract 2, rule 3). */
const present = (secret: unknown): secret is string => typeof secret === 'string' && secret.trim() !== ''

/** The secrets of a route: its own, or the global one where the key is missing. */
export const secretsOf = (spec: Route, globalSecret: string | undefined): string[] => {
  if (Array.isArray(spec.secrets)) return spec.secrets.filter(present)
  const secret = Object.hasOwn(spec, 'secret') ? spec.secret : globalSecret
  return present(secret) ? [secret] : []
}

const readRoutes = (
  settings: WebhookSettings,
  globalSecret: string | undefined,
  source: Source | undefined,
  base: Path,
  bad: ReadonlySet<string>,
): Map<string, RouteSource> => {
  const routes = new Map<string, RouteSource>()
  if (!source || !isObject(settings.routes)) return routes
  for (const [name, spec] of Object.entries(settings.routes)) {
    const at = [...base, name]
    const prefix = pointerOf(at)
    const broken = [...bad].some((pointer) => pointer === prefix || pointer.startsWith(`${prefix}/`))
    if (broken || !isObject(spec)) continue
    const route = spec as Route
    routes.set(name, {
      name,
      origin: 'config',
      profile: route.profile ?? defaultProfile,
      enabled: route.enabled !== false,
      spec: route,
      secrets: secretsOf(route, globalSecret),
      place: source.place,
      base: at,
    })
  }
  return routes
}

const environmentValues = (env: Env, into: Gathered): { enabled?: boolean; port?: number; secret?: string } => {
  const values: { enabled?: boolean; port?: number; secret?: string } = {}
  const bad = (name: string, must: string): void => {
    into.diagnostics.push(diagnostic('WH102', `the variable ${name} must be ${must}`, { help: `mend it in the environment or in .env` }))
  }
  if (env.WEBHOOK_ENABLED !== undefined) {
    const enabled = parseFlag(env.WEBHOOK_ENABLED)
    if (enabled === undefined) bad('WEBHOOK_ENABLED', 'true or false')
    else values.enabled = enabled
  }
  if (env.WEBHOOK_PORT !== undefined && env.WEBHOOK_PORT !== '') {
    const port = Number(env.WEBHOOK_PORT)
    if (!/^\d{1,5}$/.test(env.WEBHOOK_PORT) || port > 65_535) bad('WEBHOOK_PORT', 'a port from 0 to 65535')
    else values.port = port
  }
  if (present(env.WEBHOOK_SECRET)) values.secret = env.WEBHOOK_SECRET
  return values
}

const keyVariable: { readonly [runner: string]: string } = { openai: 'OPENAI_API_KEY', anthropic: 'ANTHROPIC_API_KEY' }

const agentOf = (file: File, env: Env): Config['agent'] => {
  const agent = record(file.agent)
  const runner = text(agent.runner) ?? 'echo'
  const optional = {
    command: Array.isArray(agent.command) ? (agent.command as string[]) : undefined,
    baseUrl: text(agent.base_url),
    apiKey: text(agent.api_key) ?? env[keyVariable[runner] ?? ''],
    model: text(agent.model),
    system: text(agent.system),
    maxOutputTokens: typeof agent.max_output_tokens === 'number' ? agent.max_output_tokens : undefined,
  }
  const settings = Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined))
  return { runner, timeoutMs: number(agent.timeout_seconds, 600) * 1000, ...settings }
}

/** Loads everything; a Config is always there, and must not be served while a Diagnostic stops the start. */
export const loadConfig = (options: LoadOptions): Loaded => {
  const into: Gathered = { diagnostics: [], texts: new Map() }
  const dataDir = resolve(options.dataDir)
  const env = readEnv(dataDir, options.env, into)
  const file = options.configFile ? resolve(options.configFile) : join(dataDir, 'config.yaml')
  const { data, source, bad } = readFile(file, env, into, options.configFile !== undefined)
  const { settings, baseOf } = mergeWebhook(data, source, into)
  const fromEnv = environmentValues(env, into)
  const gateway = record(data.gateway)
  const storage = record(data.storage)
  const multiplex = gateway.multiplex_profiles === true
  const globalSecret = fromEnv.secret ?? (present(settings.secret) ? settings.secret : undefined)
  const main: Profile = { name: defaultProfile, dir: dataDir, env, platforms: platformsOf(data) }
  if (storage.kind === 'redis') {
    into.diagnostics.push(
      diagnostic('WH220', 'storage.kind "redis" is not built in this version', {
        help: 'use sqlite',
        ...(source ? { place: source.place(['storage', 'kind']) } : {}),
        pointer: '/storage/kind',
      }),
    )
  }
  if (Object.keys(record(data.jobs)).length > 0) {
    into.diagnostics.push(
      diagnostic('WH221', '"jobs" are not run by this version: scheduled jobs come later', {
        ...(source ? { place: source.place(['jobs'], 'key') } : {}),
        pointer: '/jobs',
      }),
    )
  }
  const config: Config = {
    dataDir,
    enabled: fromEnv.enabled ?? data.platforms?.webhook?.enabled === true,
    host: options.host ?? text(settings.host) ?? '127.0.0.1',
    port: options.port ?? fromEnv.port ?? number(settings.port, 8644),
    ...(globalSecret === undefined ? {} : { globalSecret }),
    rateLimit: number(settings.rate_limit, 30),
    maxBodyBytes: number(settings.max_body_bytes, 1_048_576),
    scriptTimeoutMs: number(settings.script_timeout_seconds, 30) * 1000,
    trustProxy: Array.isArray(settings.trust_proxy) ? settings.trust_proxy : settings.trust_proxy === true,
    routes: readRoutes(settings, globalSecret, source, baseOf('routes'), bad),
    multiplex,
    profiles: readProfiles(dataDir, multiplex, main, into),
    drainMs: number(gateway.drain_seconds, 30) * 1000,
    maxConcurrentRuns: number(gateway.max_concurrent_runs, 4),
    maxQueuedRuns: number(gateway.max_queued_runs, 100_000),
    maxConcurrentScripts: number(gateway.max_concurrent_scripts, 8),
    agent: agentOf(data, env),
    storage: { kind: storage.kind === 'memory' ? 'memory' : 'sqlite', durability: storage.durability === 'commit' ? 'commit' : 'fsync' },
  }
  return { config, diagnostics: into.diagnostics, texts: into.texts }
}
