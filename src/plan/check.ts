/** Everything that is wrong with a data directory: the configuration as loaded, every route and every subscription as the server compiles it. */

import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { jsonErrorPlace } from '../config/json-place.ts'
import type { Loaded } from '../config/load.ts'
import { refuseOdd } from '../config/replace-file.ts'
import { parseSource, type Source } from '../config/source.ts'
import { parseSubscriptions, readSubscription, subscriptionsFileName } from '../config/subscriptions.ts'
import { type Diagnostic, diagnostic, pointerOf } from '../core/diagnostic.ts'
import { messageOf } from '../core/fault.ts'
import type { JsonObject } from '../core/json.ts'
import type { Effects } from '../parts/part.ts'
import { type Catalogue, compileRoute } from './compile.ts'

export type Checked = {
  readonly diagnostics: readonly Diagnostic[]
  readonly routes: number
  readonly files: number
  /** Texts of the files that were read, for code frames. */
  readonly texts: ReadonlyMap<string, string>
}

type Compile = (route: Parameters<typeof compileRoute>[0]) => readonly Diagnostic[]

/** Checks what was loaded, and the subscriptions file beside it. Nothing runs: the effects should be dry ones. */
export const checkAll = (loaded: Loaded, catalogue: Catalogue, effects: Effects): Checked => {
  const checked = checkConfigured(loaded, catalogue, effects)
  return merge(checked, checkSubscriptions(join(loaded.config.dataDir, subscriptionsFileName), loaded.config, catalogue, effects))
}

/** Checks the configuration alone. */
export const checkConfigured = ({ config, diagnostics, texts }: Loaded, catalogue: Catalogue, effects: Effects): Checked => {
  const routes = [...config.routes.values()]
  const compiled = routes.flatMap((route) => compileRoute(route, config, catalogue, effects).diagnostics)
  const help = 'set platforms.webhook.enabled: true, or WEBHOOK_ENABLED=true'
  // A file that cannot be read does not say that the adapter is off.
  const unread = diagnostics.some(({ code }) => code === 'WH001' || code === 'WH002' || code === 'WH003')
  const off = config.enabled || unread ? [] : [diagnostic('WH109', 'the webhook adapter is not enabled: nothing is served', { help })]
  return { diagnostics: [...diagnostics, ...compiled, ...off], routes: routes.length, files: texts.size, texts }
}

/** Checks a subscriptions file against a configuration; nothing is wrong with one that is not there. */
export const checkSubscriptions = (file: string, config: Config, catalogue: Catalogue, effects: Effects): Checked => {
  const stat = statSync(file, { throwIfNoEntry: false })
  if (!stat) return { diagnostics: [], routes: 0, files: 0, texts: new Map() }
  const compile: Compile = (route) => compileRoute(route, config, catalogue, effects).diagnostics
  const found: Diagnostic[] = []
  if ((stat.mode & 0o077) !== 0) {
    const mode = (stat.mode & 0o777).toString(8).padStart(4, '0')
    found.push(
      diagnostic('WH804', `${file} has mode ${mode}: others can read its secrets`, { place: top(file), help: `chmod 600 ${file}` }),
    )
  }
  let text: string
  try {
    refuseOdd(file)
    text = readFileSync(file, 'utf8')
  } catch (error) {
    const unread = diagnostic('WH803', messageOf(error), { place: top(file), help: 'put a regular, readable file in its place' })
    return { diagnostics: [unread], routes: 0, files: 1, texts: new Map() }
  }
  const texts = new Map([[file, text]])
  try {
    const entries = parseSubscriptions(text)
    const { source, diagnostics } = parseSource(file, text)
    found.push(...diagnostics)
    found.push(...Object.entries(entries).flatMap(([name, entry]) => checkEntry(name, { [name]: entry }, config, compile, source, file)))
    return { diagnostics: found.map(startsAnyway), routes: Object.keys(entries).length, files: 1, texts }
  } catch (error) {
    found.push(corrupt(file, text, messageOf(error)))
    return { diagnostics: found, routes: 0, files: 1, texts }
  }
}

const top = (file: string) => ({ file, line: 1, column: 1, endLine: 1, endColumn: 1 })

/** contract 7: an entry that is not valid on its own is skipped; the others are served. */
const startsAnyway = (each: Diagnostic): Diagnostic => ({ ...each, stopsStart: false })

const corrupt = (file: string, text: string, message: string): Diagnostic => {
  const { line, column } = jsonErrorPlace(text)
  return diagnostic('WH803', `the subscriptions file is not usable: ${message}`, {
    place: { file, line, column, endLine: line, endColumn: column },
    help: `mend it by hand, or restore ${file}.bak; until then the gateway serves the last good set`,
  })
}

const checkEntry = (
  name: string,
  entries: JsonObject,
  config: Config,
  compile: Compile,
  source: Source | undefined,
  file: string,
): readonly Diagnostic[] => {
  const place: Source['place'] = (path, of) => source?.place(path, of) ?? top(file)
  const { route, diagnostics } = readSubscription(name, entries[name] ?? null, config, { place })
  const hidden = config.routes.has(name)
    ? [
        diagnostic('WH211', `subscription "${name}" is hidden by the route of this name in config.yaml`, {
          route: name,
          pointer: pointerOf([name]),
          place: place([name], 'key'),
          help: 'rename one of the two, or remove the subscription',
        }),
      ]
    : []
  return [...diagnostics, ...(route ? compile(route) : []), ...hidden]
}

/** Two checks as one. */
export const merge = (a: Checked, b: Checked): Checked => ({
  diagnostics: [...a.diagnostics, ...b.diagnostics],
  routes: a.routes + b.routes,
  files: a.files + b.files,
  texts: new Map([...a.texts, ...b.texts]),
})
