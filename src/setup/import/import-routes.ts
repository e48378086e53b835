/**
 * Imports the routes of another program: reads its file, takes out what the gateway would refuse, and writes the routes to their
 * destination.
 */

import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { editDotEnv, isOneLine } from '../../config/edit-dot-env.ts'
import { type Env, readEnvFile } from '../../config/env.ts'
import { refuseOdd, refuseReadOnly, replaceFile } from '../../config/writing/replace-file.ts'
import { parseSource, readSource, type Source } from '../../config/yaml/source.ts'
import { shownFile, shownPlace } from '../../core/diagnostic.ts'
import { diskFault } from '../../core/disk-fault.ts'
import { exit, Fault, usage } from '../../core/fault.ts'
import { equalJson, isObject } from '../../core/json.ts'
import { configFile, type Workspace } from '../../datadir/workspace.ts'
import { importAdnanh, readableTemplates } from './adnanh.ts'
import { type CheckedImport, checkImport } from './check-import.ts'
import { envLineText } from './env-lines.ts'
import { importHermes } from './hermes.ts'
import type { Imported } from './imported.ts'
import { configData, newRoutes, renderConfig } from './render-import.ts'
import { spliceRoutes } from './splice-routes.ts'

export type ImportRequest = {
  readonly from: 'adnanh' | 'hermes'
  readonly file: string
  /** Where to write: a file, or `config.yaml` and `.env` of the data directory. Absent: the text is only returned. */
  readonly to?: { readonly file: string; readonly force: boolean } | 'data directory'
}

export type ImportDone = CheckedImport & {
  /** The files that were written. */
  readonly wrote: readonly string[]
}

/**
 * Imports the routes. Returns the text with the findings about it. The text is written even where a finding stops the start. Throws a Fault
 * when the source cannot be read, when the destination may not be written, and when `.env` cannot hold a secret.
 */
export const importRoutes = async (workspace: Workspace, options: ImportRequest): Promise<ImportDone> => {
  const { from, file, to } = options
  const source = readImportSource(file, from)
  const knownEnv: Env = { ...readEnvFile(envFile(workspace)).env, ...workspace.env }
  const config = configFile(workspace)
  const merging = to === 'data directory' && existsSync(config)
  if (typeof to === 'object') refuseExisting(to.file, to.force)
  const imported = from === 'adnanh' ? importAdnanh(source, knownEnv) : importHermes(source, knownEnv, merging)
  if (merging) return mergeIntoConfig(workspace, config, imported)
  const shownAs = typeof to === 'object' ? resolve(to.file) : to === undefined ? 'standard output' : config
  const by = `headgate import ${from} ${shownFile(source.file)}`
  const checked = await checkImport(workspace, imported, (each) => renderConfig(each, by), shownAs)
  if (!equalJson(parseSource(shownAs, checked.text).source?.data ?? null, configData(checked.imported)))
    throw new Error('what was written does not read back')
  if (to === undefined) return { ...checked, wrote: [] }
  const wroteEnv = to === 'data directory' ? await writeEnv(workspace, imported) : []
  await writeText(shownAs, checked.text)
  return { ...checked, wrote: [...wroteEnv, shownAs] }
}

const envFile = ({ dataDir }: Workspace): string => join(dataDir, '.env')

const readImportSource = (file: string, from: ImportRequest['from']): Source => {
  if (!existsSync(file)) throw usage(`no such file: ${file}`)
  const written = readSource(resolve(file))
  const isHooks = from === 'adnanh' && written.text?.includes('{{')
  const { source, text = '', diagnostics } = isHooks ? parseSource(resolve(file), readableTemplates(written.text ?? '')) : written
  if (source) return source
  const [problem] = diagnostics
  const isTemplate = text.includes('{{')
  const why = isTemplate
    ? 'it is a Go template ({{ … }}), of which only {{ getenv "NAME" }} is read'
    : (problem?.message ?? 'it cannot be read')
  throw new Fault('bad_source', `${problem?.place ? shownPlace(problem.place) : shownFile(file)}: ${why}`, {
    exitCode: exit.no,
    hint: isTemplate ? 'write the values in its place, a secret too: it goes to .env' : 'the file must be valid YAML or JSON',
  })
}

const refuseExisting = (file: string, force: boolean): void => {
  refuseOdd(resolve(file))
  if (existsSync(file) && !force)
    throw new Fault('exists', `${file} is there already`, { exitCode: exit.conflict, hint: '--force replaces it' })
}

const writeText = (file: string, text: string): Promise<void> =>
  replaceFile(file, text).catch((error) => {
    throw diskFault('write', file, error)
  })

/**
 * Adds the routes to a `config.yaml` that exists. Throws a Fault where the file has a route of the same name already, or cannot be changed
 * safely.
 */
const mergeIntoConfig = async (workspace: Workspace, config: string, imported: Imported): Promise<ImportDone> => {
  refuseReadOnly(config)
  const text = readFileSync(config, 'utf8')
  const render = (each: Imported): string => {
    refuseTakenNames(config, text, each)
    const spliced = spliceRoutes(config, text, newRoutes(each))
    if (spliced !== undefined) return spliced
    throw unsafeFault(config, 'its routes do not stand where lines can be put in safely')
  }
  const checked = await checkImport(workspace, imported, render, config)
  const wroteEnv = await writeEnv(workspace, imported)
  if (readFileSync(config, 'utf8') !== text) throw unsafeFault(config, 'it changed meanwhile')
  await writeText(config, checked.text)
  return { ...checked, wrote: [...wroteEnv, config] }
}

const unsafeFault = (config: string, why: string): Fault =>
  new Fault('not_safe', `${config} was not touched: ${why}`, {
    exitCode: exit.conflict,
    hint: 'write the routes to a file with --out, and copy them below platforms.webhook.extra.routes',
  })

const refuseTakenNames = (config: string, text: string, { routes }: Imported): void => {
  const data = parseSource(config, text).source?.data
  const webhook = isObject(data) && isObject(data.platforms) && isObject(data.platforms.webhook) ? data.platforms.webhook : {}
  const known = [webhook, webhook.extra].flatMap((at) => (isObject(at) && isObject(at.routes) ? Object.keys(at.routes) : []))
  const taken = routes.filter(({ name }) => known.includes(name)).map(({ name }) => `"${name}"`)
  if (taken.length === 0) return
  throw new Fault('exists', `${config} has ${taken.join(', ')} already: nothing was written`, {
    exitCode: exit.conflict,
    hint: 'give the route another name in the source, or write to a file with --out',
  })
}

/**
 * Adds the variables that have a new value to `.env`. The caller writes `config.yaml`, which refers to them, only after that. Returns the
 * files that were written.
 */
const writeEnv = async (workspace: Workspace, { env }: Imported): Promise<string[]> => {
  const file = envFile(workspace)
  const added = env.filter(({ value, from }) => value !== undefined && from !== 'kept')
  if (added.length === 0) return []
  refuseReadOnly(file)
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const plain = added.filter(({ name, value = '' }) => envLineText(name, value) === `${name}=${value}`)
  const values = Object.fromEntries(plain.map(({ name, value = '' }) => [name, value]))
  let next = editDotEnv(text, readEnvFile(file).env, values)
  for (const { name, value = '' } of added.filter((each) => !plain.includes(each))) {
    const line = envLineText(name, value)
    if (line === undefined) throw unfitForEnv(name, value)
    next += `${line}\n`
  }
  await writeText(file, next)
  return [file]
}

const unfitForEnv = (name: string, value: string): Fault => {
  const why = isOneLine(value) ? 'no quotes fit around its value' : 'its value has a line feed or another control character'
  return usage(`.env cannot hold ${name}: ${why}; nothing was written`, 'keep it in a file, and refer to it as file:/path in the source')
}
