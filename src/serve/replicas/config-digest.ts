/**
 * Makes the digest of everything in a configuration that its runs depend on, with the environment variables that it reads. Two replicas
 * with equal files and variables have equal digests, wherever their folders are.
 */

import { createHash } from 'node:crypto'
import { type Config, defaultProfile } from '../../config/config.ts'
import { runnersByName } from '../../parts/runners/index.ts'
import { settingsOf } from '../../parts/targets/delivery/settings.ts'
import { toolsets } from '../../parts/tools/index.ts'
import type { Catalogue } from '../../plan/compile.ts'
import { runnerSettings } from '../../plan/runner.ts'
import type { FileHash } from './file-hashes.ts'

/** The length of a digest in hexadecimal digits: long enough to distinguish configurations, and short enough to be read aloud. */
const digestLength = 12

/**
 * Returns the digest. `files`: the hashes of the files beside the configuration. The values of secrets count, and no other process gets
 * more than the digest. Settings that may differ between replicas do not count, such as the address to listen on, folders, limits of a
 * process, and the login to the database, nor do variables that neither the configuration nor a part reads.
 */
export const configDigest = (config: Config, { targets }: Pick<Catalogue, 'targets'>, files: readonly FileHash[]): string => {
  const { adapter, agents, globalSecret, multiplex, plugins, profiles, routes, schemes, tools } = config
  const env = profiles.get(defaultProfile)?.env ?? {}
  const parts = {
    routes: [...routes.values()].map(({ name, digest }) => [name, digest]).sort(),
    profiles: [...profiles.values()].map(({ name, platforms, env, jobs }) => [
      name,
      platforms,
      [...targets.values()].map((target) => settingsOf(target, platforms, env)),
      [...jobs.values()].map(({ id, spec }) => [id, spec]),
    ]),
    agents: [...agents].map(([name, agent]) => {
      const { place: _, ...settings } = { ...agent, ...runnerSettings(runnersByName.get(agent.runner) ?? {}, { agent, profiles }) }
      return [name, settings]
    }),
    tools: [tools.settings, tools.servers, tools.ofRuns],
    variables: toolsets.flatMap(({ env: names = [] }) => names.map((name) => [name, env[name]])),
    rest: [adapter, globalSecret, multiplex, schemes.named, plugins.map(({ name }) => name)],
    files,
  }
  return createHash('sha256')
    .update(JSON.stringify(parts, withoutFolder(config.dataDir)))
    .digest('hex')
    .slice(0, digestLength)
}

/**
 * Returns a replacer for `JSON.stringify`. The replacer turns a Map into a list of its entries, and a path below the data directory into a
 * relative path, so that equal files give equal texts in any folder.
 */
const withoutFolder =
  (dataDir: string) =>
  (_: string, value: unknown): unknown => {
    if (value instanceof Map) return [...value]
    return typeof value === 'string' && value.startsWith(`${dataDir}/`) ? value.slice(dataDir.length + 1) : value
  }
