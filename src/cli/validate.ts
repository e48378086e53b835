/** `validate [paths...]`: everything that is wrong, at once, by the code that serves; 0 clean, 1 findings, 2 no such path. */

import { existsSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { catalogue } from '../app.ts'
import { type Loaded, loadConfig } from '../config/load.ts'
import { subscriptionsFileName } from '../config/subscriptions.ts'
import { catalogue as codes, type Diagnostic } from '../core/diagnostic.ts'
import { exit } from '../core/fault.ts'
import type { JsonObject } from '../core/json.ts'
import { printable } from '../core/text.ts'
import { runnersByName } from '../parts/runners/index.ts'
import { type Checked, checkAll, checkConfigured, checkSubscriptions, merge } from '../plan/check.ts'
import { compileRunner } from '../plan/runner.ts'
import { dryEffects } from '../work/effects.ts'
import { frames, shownFile, shownPlace } from './frame.ts'
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

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`

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
      const loaded = load(path)
      return withAgent(checkConfigured(loaded, catalogue, dryEffects), loaded)
    })
    .reduce(merge)
}

/** The agent's settings, checked by its runner as at start. */
const withAgent = (checked: Checked, { config }: Loaded): Checked => ({
  ...checked,
  diagnostics: [...checked.diagnostics, ...compileRunner(config, runnersByName).diagnostics],
})

/** By file, then line; what has no place comes first. */
const sortedByPlace = (found: readonly Diagnostic[]): Diagnostic[] =>
  [...found].sort(({ place: a }, { place: b }) => {
    if (!a || !b) return Number(Boolean(a)) - Number(Boolean(b))
    return a.file === b.file ? a.line - b.line || a.column - b.column : a.file < b.file ? -1 : 1
  })

const conciseLine = ({ place, code, message, severity }: Diagnostic): string =>
  `${place ? `${printable(shownPlace(place))}: ` : ''}${code} ${severity}: ${printable(message)}\n`

const offsetOf = (text: string | undefined, line: number, column: number): number => {
  let at = 0
  for (let left = line - 1; left > 0 && text !== undefined; left--) at = text.indexOf('\n', at) + 1
  return at + column - 1
}

const itemOf = (each: Diagnostic, texts: ReadonlyMap<string, string>): JsonObject => {
  const { code, severity, stopsStart, message, help, place, pointer, route, suggest } = each
  const text = place && texts.get(place.file)
  const at = (line: number, column: number): JsonObject => ({ line, column, offset: offsetOf(text, line, column) })
  return {
    code,
    name: codes[code].title,
    severity,
    stops_startup: stopsStart,
    message,
    help: help ?? null,
    file: place ? shownFile(place.file) : null,
    range: place ? { start: at(place.line, place.column), end: at(place.endLine, place.endColumn) } : null,
    pointer,
    route: route ?? null,
    suggest: [...(suggest ?? [])],
  }
}
