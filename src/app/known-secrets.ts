/** Collects the secrets of a configuration, which must never be in a log or an answer. */

import type { Config } from '../config/config.ts'

const secretName = /token|secret|password|key/i

export const knownSecrets = (config: Config): string[] => {
  const platforms = [...config.profiles.values()].flatMap(({ platforms }) =>
    Object.values(platforms).flatMap((settings) => Object.entries(settings)),
  )
  const tokens = platforms.flatMap(([name, value]) => (secretName.test(name) && typeof value === 'string' ? [value] : []))
  const routes = [...config.routes.values()].flatMap(({ secrets }) => secrets)
  return [...routes, ...tokens, config.globalSecret ?? '', config.agent.apiKey ?? ''].filter(
    (value) => value !== '' && value !== 'INSECURE_NO_AUTH',
  )
}
