/** Asks for the secrets of programs, for a command that needs them and works beside the gateway. */

import { type Config, defaultProfile } from '../../config/config.ts'
import { type LoadOptions, loadConfig } from '../../config/load.ts'
import { knownReference } from '../../config/secrets/providers.ts'
import { exit, Fault } from '../../core/fault.ts'
import { askProviders, type ProviderQuestion } from './ask-providers.ts'

export const providerQuestionOf = ({ dataDir, secrets: { providers, asked }, profiles }: Config): ProviderQuestion => ({
  providers,
  asked,
  env: profiles.get(defaultProfile)?.env ?? {},
  dir: dataDir,
})

/**
 * Returns the options with which a configuration is loaded with all secrets of programs that could be read. Where it refers to none, no
 * program runs.
 */
export const withSecrets = async <T extends LoadOptions>(options: T): Promise<T> => {
  if (options.provided) return options
  const { config } = loadConfig(options)
  return config.secrets.asked.length === 0 ? options : { ...options, provided: await askProviders(providerQuestionOf(config)) }
}

/**
 * Returns the options with which a configuration is loaded with some secrets of programs. `pick`: returns their references, as
 * `PROVIDER/ID`; where there are none, no program runs. Throws a Fault where one of the secrets cannot be read.
 */
export const withNeededSecrets = async <T extends LoadOptions>(options: T, pick: (config: Config) => readonly string[]): Promise<T> => {
  const { config } = loadConfig(options)
  const asked = pick(config)
  if (asked.length === 0) return options
  const provided = await askProviders({ ...providerQuestionOf(config), asked })
  for (const [reference, answer] of provided)
    if ('problem' in answer)
      throw new Fault('no_secret', `exec:${reference}: ${answer.problem}`, { exitCode: exit.config, hint: answer.help })
  return { ...options, provided }
}

/** Returns the references to secrets of programs among values of a configuration that was loaded without them. */
export const referencesIn = ({ secrets }: Config, values: readonly (string | undefined)[]): readonly string[] =>
  values.flatMap((value) => knownReference(value, secrets) ?? [])
