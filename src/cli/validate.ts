/** `validate [paths...]`: everything that is wrong, at once, by the code that serves; 0 clean, 1 findings, 2 no such path. */

import { existsSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { dryEffects } from '../app/effects.ts'
import { type Config, defaultProfile, type Profile } from '../config/config.ts'
import { jobsFileName } from '../config/jobs.ts'
import { type Loaded, loadConfig } from '../config/load.ts'
import { subscriptionsFileName } from '../config/subscriptions.ts'
import type { Diagnostic } from '../core/diagnostic.ts'
import { exit, usage } from '../core/fault.ts'
import { shownPlace } from '../core/shown-place.ts'
import { printable } from '../core/text.ts'
import { runnersByName } from '../parts/runners/index.ts'
import { catalogueOf } from '../plan/catalogue.ts'
import { type Checked, checkAll, checkConfigured, checkJobs, checkPresence, checkSubscriptions, merge } from '../plan/check.ts'
import { compileRunner } from '../plan/runner.ts'
import { count, itemOf, sortedByPlace } from './shell/findings.ts'
import { frames } from './shell/frame.ts'
import { answer, type Cli } from './shell/output.ts'
import { paintWith } from './shell/paint.ts'

export type ValidateOptions = { readonly format?: 'pretty' | 'json' | 'concise'; readonly denyWarnings?: boolean; readonly config?: string }

export const validate = async (paths: readonly string[], options: ValidateOptions, cli: Cli): Promise<number> => {
  for (const path of [...paths, ...(options.config === undefined ? [] : [options.config])]) {
    if (!existsSync(path)) throw usage(`no such path: ${path}`)
  }
  const { diagnostics, texts, routes, files } = await checkPaths(paths, options, cli)
  const sorted = sortedByPlace(diagnostics)
  const errors = sorted.filter(({ severity }) => severity === 'error').length
  const warnings = sorted.filter(({ severity }) => severity === 'warning').length
  const summary = { errors, warnings, routes, files }
  const counts = `${count(errors, 'error')}, ${count(warnings, 'warning')} in ${count(routes, 'route')} (${count(files, 'file')})`
  const format = options.format ?? (cli.json ? 'json' : 'pretty')
  const text =
    format === 'concise'
      ? sorted.map(conciseLine).join('')
      : `${sorted.length > 0 ? `${frames(sorted, texts, paintWith(cli.io.colour))}\n` : ''}${counts}\n`
  return answer(
    { ...cli, json: format === 'json' },
    {
      kind: 'validate',
      data: { diagnostics: sorted.map((each) => itemOf(each, texts)), summary },
      text,
      exitCode: errors > 0 || (warnings > 0 && options.denyWarnings) ? exit.no : exit.ok,
    },
  )
}

const checkPaths = async (paths: readonly string[], options: ValidateOptions, cli: Cli): Promise<Checked> => {
  const load = (configFile: string | undefined): Loaded => loadConfig({ ...cli.workspace, configFile })
  if (paths.length === 0) {
    const found = load(options.config)
    const loaded = { ...found, diagnostics: [...checkPresence(cli.workspace.dataDir, cli.asked, options.config), ...found.diagnostics] }
    const { catalogue, diagnostics } = await catalogueOf(loaded.config)
    return withMore(checkAll(loaded, catalogue, dryEffects), loaded, diagnostics)
  }
  const checked: Checked[] = []
  for (const path of paths.map((each) => resolve(each))) checked.push(await checkPath(path, options, load))
  return checked.reduce(merge)
}

/** A file of run-time entries is checked against the configuration, every other file as one. */
const checkPath = async (path: string, options: ValidateOptions, load: (configFile: string | undefined) => Loaded): Promise<Checked> => {
  const isEntries = [subscriptionsFileName, jobsFileName].includes(basename(path))
  const loaded = load(isEntries ? options.config : path)
  const { config } = loaded
  const { catalogue, diagnostics } = await catalogueOf(config)
  if (basename(path) === subscriptionsFileName) return checkSubscriptions(path, config, catalogue, dryEffects)
  const profile = isEntries && profileOf(dirname(path), config)
  if (profile) return checkJobs(path, profile, catalogue)
  return withMore(checkConfigured(loaded, catalogue, dryEffects), loaded, diagnostics)
}

/** The profile that a jobs file belongs to; the default one for a file that lies elsewhere. */
const profileOf = (folder: string, { profiles }: Config): Profile | undefined =>
  [...profiles.values()].find(({ dir }) => dir === folder) ?? profiles.get(defaultProfile)

/** What is wrong with the plugins, and with the agent's settings, checked by its runner as at start. */
const withMore = (checked: Checked, { config }: Loaded, plugins: readonly Diagnostic[]): Checked => ({
  ...checked,
  diagnostics: [...checked.diagnostics, ...plugins, ...compileRunner(config, runnersByName).diagnostics],
})

const conciseLine = ({ place, code, message, severity, route }: Diagnostic): string =>
  `${place ? `${printable(shownPlace(place))}: ` : ''}${code} ${severity}: ${printable(message)}${route === undefined ? '' : ` (route ${printable(route)})`}\n`
