/** Everything that is wrong, at once, by the code that serves. */

import { existsSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { type Config, defaultProfile, type Profile } from '../config/config.ts'
import { jobsFileName } from '../config/jobs.ts'
import { type Loaded, loadConfig } from '../config/load.ts'
import { subscriptionsFileName } from '../config/subscriptions.ts'
import type { Diagnostic } from '../core/diagnostic.ts'
import { usage } from '../core/fault.ts'
import type { Effects } from '../parts/effects.ts'
import { runnersByName } from '../parts/runners/index.ts'
import { catalogueOf } from '../plan/catalogue.ts'
import { type Checked, checkAll, checkConfigured, checkJobs, checkPresence, checkSubscriptions, merge } from '../plan/check.ts'
import type { Catalogue } from '../plan/compile.ts'
import { FileTexts } from '../plan/review/file-texts.ts'
import { reviewAll } from '../plan/review/review.ts'
import { reviewSettings } from '../plan/review/settings.ts'
import { reviewSharedSecrets } from '../plan/review/shared-secrets.ts'
import { surroundings } from '../plan/review/surroundings.ts'
import { compileRunner } from '../plan/runner.ts'
import { type Findings, findingsOf } from './findings.ts'
import { withDryEffects } from './live/effects.ts'
import type { Workspace } from './workspace.ts'

export type ToValidate = {
  /** Files to check instead of the whole data directory. */
  readonly paths: readonly string[]
  /** Another file than `<data_dir>/config.yaml`. */
  readonly configFile?: string | undefined
  /** The data directory was named: that it is not there is a mistake. */
  readonly asked: boolean
}

export type Validated = Findings & Pick<Checked, 'routes' | 'files' | 'texts'>

/** Throws a usage Fault for a path that is not there. */
export const validate = async (workspace: Workspace, wanted: ToValidate): Promise<Validated> => {
  const { paths, configFile } = wanted
  for (const path of [...paths, ...(configFile === undefined ? [] : [configFile])]) {
    if (!existsSync(path)) throw usage(`no such path: ${path}`)
  }
  const checked = await withDryEffects((effects) =>
    paths.length === 0 ? checkFolder(workspace, wanted, effects) : checkPaths(workspace, wanted, effects),
  )
  const { diagnostics, routes, files, texts } = checked
  return { ...findingsOf([...diagnostics, ...reviewSharedSecrets(checked.sources, new FileTexts(texts))]), routes, files, texts }
}

const checkFolder = async (workspace: Workspace, { configFile, asked }: ToValidate, effects: Effects): Promise<Checked> => {
  const found = loadConfig({ ...workspace, configFile })
  const loaded = { ...found, diagnostics: [...checkPresence(workspace.dataDir, asked, configFile), ...found.diagnostics] }
  const { catalogue, diagnostics } = await catalogueOf(loaded.config)
  return withMore(reviewed(checkAll(loaded, catalogue, effects), loaded.config, catalogue, diagnostics), loaded, effects, diagnostics)
}

/** With what is likely wrong, too. */
const reviewed = (checked: Checked, config: Config, catalogue: Catalogue, plugins: readonly Diagnostic[]): Checked => {
  const found = reviewAll(checked, surroundings(config, catalogue, checked.texts, [...checked.diagnostics, ...plugins]))
  return { ...checked, diagnostics: [...checked.diagnostics, ...found] }
}

const checkPaths = async (workspace: Workspace, { paths, configFile }: ToValidate, effects: Effects): Promise<Checked> => {
  const checked: Checked[] = []
  for (const path of paths) checked.push(await checkPath(resolve(path), { workspace, configFile, effects }))
  return checked.reduce(merge)
}

type Checking = { readonly workspace: Workspace; readonly configFile: string | undefined; readonly effects: Effects }

/** A file of run-time entries is checked against the configuration, every other file as one. */
const checkPath = async (path: string, { workspace, configFile, effects }: Checking): Promise<Checked> => {
  const isEntries = [subscriptionsFileName, jobsFileName].includes(basename(path))
  const loaded = loadConfig({ ...workspace, configFile: isEntries ? configFile : path })
  const { config } = loaded
  const { catalogue, diagnostics } = await catalogueOf(config)
  if (basename(path) === subscriptionsFileName)
    return reviewed(checkSubscriptions(path, config, catalogue, effects), config, catalogue, diagnostics)
  const profile = isEntries && profileOf(dirname(path), config)
  if (profile) return reviewed(checkJobs(path, profile, catalogue), config, catalogue, diagnostics)
  return withMore(reviewed(checkConfigured(loaded, catalogue, effects), config, catalogue, diagnostics), loaded, effects, diagnostics)
}

/** The profile that a jobs file belongs to; the default one for a file that lies elsewhere. */
const profileOf = (folder: string, { profiles }: Config): Profile | undefined =>
  [...profiles.values()].find(({ dir }) => dir === folder) ?? profiles.get(defaultProfile)

/** What is wrong with the plugins, and with the agent's settings, checked by its runner as at start. */
const withMore = (checked: Checked, loaded: Loaded, { owners }: Effects, plugins: readonly Diagnostic[]): Checked => {
  const { diagnostics, owner } = compileRunner(loaded.config, runnersByName, owners)
  owner.release()
  return { ...checked, diagnostics: [...checked.diagnostics, ...plugins, ...diagnostics, ...reviewSettings(loaded)] }
}
