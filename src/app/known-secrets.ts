/** Collects the secrets of a configuration, which must never be in a log or an answer. */

import type { Config } from '../config/config.ts'
import { runnersByName } from '../parts/runners/index.ts'
import { runnerSettings } from '../plan/runner.ts'

const secretName = /token|secret|password|key/i

export const knownSecrets = (config: Config): string[] => {
  const platforms = [...config.profiles.values()].flatMap(({ platforms }) =>
    Object.values(platforms).flatMap((settings) => Object.entries(settings)),
  )
  const tokens = platforms.flatMap(([name, value]) => (secretName.test(name) && typeof value === 'string' ? [value] : []))
  const routes = [...config.routes.values()].flatMap(({ secrets }) => secrets)
  // Plugins are not loaded yet: the key of their runner is known when it stands in the file.
  const { apiKey } = runnerSettings(runnersByName.get(config.agent.runner) ?? {}, config)
  const keys = [config.agent.apiKey ?? '', apiKey ?? '']
  return [...routes, ...tokens, config.globalSecret ?? '', ...keys].filter((value) => value !== '' && value !== 'INSECURE_NO_AUTH')
}
