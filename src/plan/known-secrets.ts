/** Collects the secrets of a configuration, which must never stand in a log or an answer. */

import { type Config, defaultProfile, type Profile, type RouteSource } from '../config/config.ts'
import { type Env, isUnknown } from '../config/env.ts'
import { passwordOf } from '../config/storage/server-address.ts'
import type { JsonObject } from '../core/json.ts'
import { runnersByName } from '../parts/runners/index.ts'
import { settingSecrets, settingsOf } from '../parts/targets/delivery/settings.ts'
import { targets as builtInTargets } from '../parts/targets/index.ts'
import { toolsets } from '../parts/tools/index.ts'
import { writtenTargets } from '../parts/written-targets.ts'
import { namesProvider } from '../secrets/secret-place.ts'
import { secretsOfSettings } from '../secrets/settings-secrets.ts'
import { fillVariables, secretVariables } from '../secrets/variables.ts'
import { runnerSettings } from './runner.ts'

/**
 * Returns the global secret, and the secrets of routes, platforms, targets, tools, runner, storage, metrics, relay, console, telemetry
 * and programs, as far as the files of the configuration and the environment have them: those of subscriptions and of stored jobs are not among
 * them. A secret may be listed twice.
 *
 * The sections are named one by one. A walk of the whole file by the names of keys would take ordinary words for secrets: `rate_limit.key:
 * repo` would blank `repo` in every text. And what the environment and programs give stands in no file.
 */
export const knownSecrets = (config: Config): string[] => {
  const profiles = [...config.profiles.values()]
  const platforms = profiles.flatMap(({ platforms }) => Object.values(platforms).flatMap((each) => secretsOfSettings(each)))
  const ofEnvironment = profiles.flatMap(secretsInEnvironment)
  const envOf = (profile: string): Env => config.profiles.get(profile)?.env ?? {}
  const routes = [...config.routes.values()].flatMap((route) => secretsOfRoute(route, envOf(route.profile)))
  const jobs = profiles.flatMap(({ jobs, env }) => [...jobs.values()].flatMap(({ spec }) => secretsOfTargets(spec, env)))
  const targets = [...jobs, ...config.alerts.flatMap(({ spec }) => secretsOfTargets(spec, envOf(defaultProfile)))]
  // Plugins are not loaded here. So the API key of a plugin's runner is known only where `config.yaml` has it, and not where the runner
  // takes it from the environment.
  const { profiles: env } = config
  const ofAgents = [...config.agents.values()].flatMap((agent) => {
    const { apiKey } = runnerSettings(runnersByName.get(agent.runner) ?? {}, { agent, profiles: env })
    return [agent.apiKey ?? '', apiKey ?? '', ...secretVariables(agent.envValues ?? null, envOf(defaultProfile))]
  })
  const keys = [...ofAgents, ...secretsOfTools(config)]
  return [
    ...routes,
    ...platforms,
    ...ofEnvironment,
    ...targets,
    config.globalSecret ?? '',
    config.metrics.token ?? '',
    config.relay?.key ?? '',
    ...secretsOfConsole(config),
    ...keys,
    ...secretsOfStorage(config),
    ...secretsOfTelemetry(config),
    ...secretsOfPrograms(config),
  ].filter((value) => value !== '' && value !== 'INSECURE_NO_AUTH' && !namesProvider(value))
}

/**
 * Returns the secrets of a route, and those in the settings of its targets. In the route's own settings only the schema says what is a
 * secret: the name of a setting such as `token: { header: … }` may hold none.
 */
export const secretsOfRoute = ({ secrets, spec }: Pick<RouteSource, 'secrets' | 'spec'>, env: Env): string[] => [
  ...secrets,
  ...secretsOfSettings(spec as JsonObject, () => false),
  ...secretsOfTargets(spec, env),
]

/**
 * Returns the secrets in the settings that a route, a job or a rule of alerts has for its targets and its callback. `env`: the environment
 * of its profile, which has the secrets of bodies and addresses.
 */
export const secretsOfTargets = (spec: Parameters<typeof writtenTargets>[0] & Pick<RouteSource['spec'], 'callback'>, env: Env): string[] =>
  [...writtenTargets(spec).map(({ extra }) => extra), (spec.callback ?? {}) as JsonObject].flatMap((extra) => {
    const { body = null, url = null } = extra
    const sent = typeof url === 'string' ? fillVariables(url, env) : undefined
    return [...secretsOfSettings(sent && 'value' in sent ? { ...extra, url: sent.value } : extra), ...secretVariables([body, url], env)]
  })

/**
 * Returns the address of the database and the password in it; nothing where the address has no password. A message of the driver could
 * quote the address or only the password.
 */
const secretsOfStorage = ({ storage: { url } }: Config): string[] => {
  if (url === undefined) return []
  const password = passwordOf(url)
  return password === '' ? [] : [url, password]
}

/** Returns what signs in to the console: secrets of a proxy and of a client, and hashes of passwords. */
const secretsOfConsole = ({ console: { auth } }: Config): string[] => [
  auth?.forward?.secret ?? '',
  auth?.oidc?.clientSecret ?? '',
  ...Object.values(auth?.password ?? {}),
]

/** Returns the values of the headers for the receivers of telemetry, and each receiver's address that has a query. */
const secretsOfTelemetry = ({ telemetry }: Config): string[] =>
  [telemetry?.traces, telemetry?.metrics].flatMap((receiver) =>
    receiver ? [...Object.values(receiver.headers), ...(new URL(receiver.url).search === '' ? [] : [receiver.url])] : [],
  )

/** Returns the secrets that programs gave, and the variables that programs get, which in general let them in. */
const secretsOfPrograms = ({ secrets: { providers, provided = new Map() }, profiles }: Config): string[] => {
  const env = profiles.get(defaultProfile)?.env ?? {}
  const given = [...provided.values()].flatMap((each) => ('value' in each ? [each.value, each.before ?? ''] : []))
  const variables = isUnknown(env) ? [] : Object.values(providers).flatMap((provider) => provider.env.map((name) => env[name] ?? ''))
  return [...given, ...variables]
}

/**
 * Returns the secrets of the built-in targets as a profile's environment gives them. The secrets in their files are found where the files
 * are read.
 */
const secretsInEnvironment = ({ platforms, env }: Profile): string[] =>
  isUnknown(env) ? [] : builtInTargets.flatMap((part) => settingSecrets(part.settings ?? [], settingsOf(part, platforms, env)))

/** Returns the secrets of tools and of MCP servers. */
const secretsOfTools = ({ tools, profiles }: Config): string[] => {
  const env = profiles.get(defaultProfile)?.env ?? {}
  const variables = toolsets.flatMap(({ env = [] }) => env)
  const inEnv = isUnknown(env) ? [] : variables.map((name) => env[name] ?? '')
  const sections = [...Object.values(tools.settings), ...Object.values(tools.servers)]
  return [...inEnv, ...sections.flatMap((section) => secretsOfSettings(section ?? null))]
}
