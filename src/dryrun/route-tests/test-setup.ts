/** Reads what the tests of routes run against: a configuration with its parts and jobs, and the subscriptions beside it. */

import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Config, RouteSource } from '../../config/config.ts'
import { loadConfig, unreadIn } from '../../config/load.ts'
import { subscriptionsFileName } from '../../config/subscriptions.ts'
import type { Diagnostic } from '../../core/diagnostic.ts'
import { configFile, type Workspace } from '../../datadir/workspace.ts'
import { catalogueOf } from '../../plan/catalogue.ts'
import { checkSubscriptions, quietBook } from '../../plan/check.ts'
import type { Catalogue } from '../../plan/compile.ts'
import type { JobBook } from '../../plan/jobs.ts'
import { withDryEffects } from '../trace/dry-effects.ts'

export type TestSetup = {
  readonly config: Config
  readonly catalogue: Catalogue
  readonly jobs: JobBook
  /** The configured routes, and the subscriptions that they do not hide, by name. */
  readonly routes: ReadonlyMap<string, RouteSource>
  /** The routes that are not valid, as far as they can be read, by name. */
  readonly invalid: ReadonlyMap<string, RouteSource>
  /** The Diagnostics of files that could not be read. */
  readonly unread: readonly Diagnostic[]
  /** The texts of the configuration for code frames (`textToShow`), by file. */
  readonly texts: ReadonlyMap<string, string>
  /** The files that the setup is read from, whether they exist or not. */
  readonly files: readonly string[]
}

/** Loads the test setup of each configuration file once. `home`: the path of the configuration file in the data directory. */
export type TestSetups = { of(configFile: string): Promise<TestSetup>; readonly home: string }

export const isSubscriptions = (file: string): boolean => basename(file) === subscriptionsFileName
export const subscriptionsBeside = (configFile: string): string => join(dirname(configFile), subscriptionsFileName)
export const configBeside = (file: string): string => join(dirname(file), 'config.yaml')

export const createTestSetups = (workspace: Workspace): TestSetups => {
  const known = new Map<string, Promise<TestSetup>>()
  return {
    home: configFile(workspace),
    of(file) {
      const loaded = known.get(file) ?? loadTestSetup(file, workspace)
      known.set(file, loaded)
      return loaded
    },
  }
}

/** Loads a setup. The file may be missing, because the environment alone may configure a gateway. */
const loadTestSetup = async (file: string, workspace: Workspace): Promise<TestSetup> => {
  const { env } = workspace
  const dataDir = file === configFile(workspace) ? workspace.dataDir : dirname(file)
  const loaded = loadConfig({ dataDir, configFile: existsSync(file) ? file : undefined, env })
  const { config } = loaded
  const { catalogue } = await catalogueOf(config)
  const beside = join(dataDir, subscriptionsFileName)
  const subscriptions = await withDryEffects((effects) => checkSubscriptions(beside, config, catalogue, effects))
  const byName = (sources: readonly { readonly route: RouteSource }[]) => sources.map(({ route }) => [route.name, route] as const)
  const subscribed = subscriptions.sources.filter(({ salvaged }) => salvaged === undefined)
  const routes = new Map([...byName(subscribed), ...config.routes])
  const invalid = byName([...subscriptions.sources, ...loaded.salvaged]).filter(([name]) => !routes.has(name))
  return {
    config,
    catalogue,
    jobs: quietBook(config, catalogue),
    routes,
    invalid: new Map(invalid),
    unread: [...unreadIn(loaded), ...subscriptions.diagnostics.filter(({ code }) => code === 'WH803')],
    texts: loaded.texts,
    files: [file, join(dataDir, '.env'), beside, ...loaded.texts.keys()],
  }
}
