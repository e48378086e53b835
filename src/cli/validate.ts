/** `validate [paths...]`: everything that is wrong, at once, by the code that serves; 0 clean, 1 findings, 2 no such path. */

import { existsSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { catalogue } from '../app.ts'
import { type Config, defaultProfile, type Profile } from '../config/config.ts'
import { jobsFileName } from '../config/jobs.ts'
import { type Loaded, loadConfig } from '../config/load.ts'
import { subscriptionsFileName } from '../config/subscriptions.ts'
import type { Diagnostic } from '../core/diagnostic.ts'
import { exit } from '../core/fault.ts'
import { printable } from '../core/text.ts'
import { runnersByName } from '../parts/runners/index.ts'
import { type Checked, checkAll, checkConfigured, checkJobs, checkSubscriptions, merge } from '../plan/check.ts'
import { compileRunner } from '../plan/runner.ts'
import { dryEffects } from '../work/effects.ts'
import { count, itemOf, sortedByPlace } from './findings.ts'
import { frames, shownPlace } from './frame.ts'
import { usage } from './input.ts'
import { answer, type Cli } from './output.ts'
import { paintWith } from './paint.ts'

export type ValidateOptions = { readonly format?: 'pretty' | 'json' | 'concise'; readonly denyWarnings?: boolean; readonly config?: string }

export const validate = async (paths: readonly string[], options: ValidateOptions, cli: Cli): Promise<number> => {
  for (const path of [...paths, ...(options.config === undefined ? [] : [options.config])]) {
    if (!existsSync(path)) throw usage(`no such path: ${path}`)
  }
  const { diagnostics, texts, routes, files } = checkPaths(paths, options, cli)
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

const checkPaths = (paths: readonly string[], options: ValidateOptions, cli: Cli): Checked => {
  const load = (configFile: string | undefined): Loaded => loadConfig({ dataDir: cli.dataDir, env: cli.io.env, configFile })
  if (paths.length === 0) {
    const loaded = load(options.config)
    return withAgent(checkAll(loaded, catalogue, dryEffects), loaded)
  }
  return paths
    .map((path) => resolve(path))
    .map((path) => {
      if (basename(path) === subscriptionsFileName) return checkSubscriptions(path, load(options.config).config, catalogue, dryEffects)
      const profile = basename(path) === jobsFileName && profileOf(dirname(path), load(options.config).config)
      if (profile) return checkJobs(path, profile, catalogue)
      const loaded = load(path)
      return withAgent(checkConfigured(loaded, catalogue, dryEffects), loaded)
    })
    .reduce(merge)
}

/** The profile that a jobs file belongs to; the default one for a file that lies elsewhere. */
const profileOf = (folder: string, { profiles }: Config): Profile | undefined =>
  [...profiles.values()].find(({ dir }) => dir === folder) ?? profiles.get(defaultProfile)

/** The agent's settings, checked by its runner as at start. */
const withAgent = (checked: Checked, { config }: Loaded): Checked => ({
  ...checked,
  diagnostics: [...checked.diagnostics, ...compileRunner(config, runnersByName).diagnostics],
})

const conciseLine = ({ place, code, message, severity }: Diagnostic): string =>
  `${place ? `${printable(shownPlace(place))}: ` : ''}${code} ${severity}: ${printable(message)}\n`
