/** Collects the secrets of a configuration, which must never be in a log or an answer. */

import { type Config, defaultProfile } from '../config/config.ts'
import { isUnknown } from '../config/env.ts'
import { isObject, type Json } from '../core/json.ts'
import { searchEnv } from '../generated/settings.ts'
import { runnersByName } from '../parts/runners/index.ts'
import { runnerSettings } from '../plan/runner.ts'

const secretName = /token|secret|password|key/i
const ofServer = /token|secret|password|key|auth|cookie/i

export const knownSecrets = (config: Config): string[] => {
  const platforms = [...config.profiles.values()].flatMap(({ platforms }) =>
    Object.values(platforms).flatMap((settings) => Object.entries(settings)),
  )
  const tokens = platforms.flatMap(([name, value]) => (secretName.test(name) && typeof value === 'string' ? [value] : []))
  const routes = [...config.routes.values()].flatMap(({ secrets }) => secrets)
  // Plugins are not loaded yet: the key of their runner is known when it stands in the file.
  const { apiKey } = runnerSettings(runnersByName.get(config.agent.runner) ?? {}, config)
  const keys = [config.agent.apiKey ?? '', apiKey ?? '', ...ofTools(config)]
  return [...routes, ...tokens, config.globalSecret ?? '', ...keys].filter((value) => value !== '' && value !== 'INSECURE_NO_AUTH')
}

/** The keys of tools, and of what the servers of toolsets are given the values whose names say that they are secret. */
const ofTools = ({ tools, profiles }: Config): string[] => {
  const env = profiles.get(defaultProfile)?.env ?? {}
  const variables = Object.values(searchEnv).flatMap((settings) => Object.values(settings).flat())
  const inEnv = isUnknown(env) ? [] : variables.map((name) => env[name] ?? '')
  const sections = [...Object.values(tools.settings), ...Object.values(tools.servers).flatMap(({ headers, env }) => [headers, env])]
  return [...inEnv, ...sections.flatMap(secretsNamed)]
}

const secretsNamed = (section: Json | undefined): string[] =>
  isObject(section)
    ? Object.entries(section).flatMap(([name, value]) => (ofServer.test(name) && typeof value === 'string' ? [value] : []))
    : []
