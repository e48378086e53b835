/** Asks for the secrets of programs, for a command that needs them and works beside the gateway. */

import { type Config, defaultProfile } from '../../config/config.ts'
import { type LoadOptions, loadConfig } from '../../config/load.ts'
import { knownReference } from '../../config/secrets/providers.ts'
import { askProviders, type Question } from './ask-providers.ts'

/** Returns the question for the secrets that a configuration refers to. */
export const questionOf = ({ dataDir, secrets: { providers, asked }, profiles }: Config): Question => ({
  providers,
  asked,
  env: profiles.get(defaultProfile)?.env ?? {},
  dir: dataDir,
})

/**
 * Returns the options with which a configuration is loaded with the secrets of programs. `pick`: returns the references that are needed, as
 * `PROVIDER/ID`; by default all. Where none is needed, no program runs.
 */
export const withSecrets = async <T extends LoadOptions>(options: T, pick?: (config: Config) => readonly string[]): Promise<T> => {
  const { config } = loadConfig(options)
  const asked = pick?.(config) ?? config.secrets.asked
  return asked.length === 0 ? options : { ...options, provided: await askProviders({ ...questionOf(config), asked }) }
}

/** Returns the references to secrets of programs among values of a configuration that was loaded without them. */
export const referencesIn = ({ secrets }: Config, values: readonly (string | undefined)[]): readonly string[] =>
  values.flatMap((value) => knownReference(value, secrets) ?? [])
