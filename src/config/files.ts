/** Reads the files of a data directory: its `config.yaml` and `.env`, and those of each profile. */

import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Diagnostic, diagnostic, pointerOf } from '../core/diagnostic.ts'
import { messageOf } from '../core/fault.ts'
import { isObject, type JsonObject } from '../core/json.ts'
import { routeNamePattern } from '../core/names.ts'
import type { Config as File } from '../generated/config.ts'
import { type Check, checkConfig } from '../generated/validators.js'
import { defaultProfile, type PluginSource, type Profile } from './config.ts'
import { type Env, isUnknown, readEnvFile } from './env.ts'
import { textDigest } from './file-digests.ts'
import { readConfiguredJobs } from './jobs.ts'
import { configSchema } from './schema-walk.ts'
import { resolveSecrets } from './secrets/resolve-secrets.ts'
import { brokenPointers, checkShape } from './shape.ts'
import { type ParsedYaml, readSource, type Source } from './yaml/source.ts'

/** A parsed file, and the schema that describes it. */
export type FileSource = Source & { readonly schema: JsonObject }

/** Collects the results of reading files: Diagnostics, the texts of files for code frames, the parsed files, and the digests of files. */
export type FileReadings = { diagnostics: Diagnostic[]; texts: Map<string, string>; sources: FileSource[]; digests: Map<string, string> }

/** A kind of file: its schema with the validator, and the form of pointers into a route, whose first group is the name of the route. */
export type FileKind = { readonly check: Check; readonly schema: JsonObject; readonly routePointer: RegExp }

const configFile: FileKind = {
  check: checkConfig,
  schema: configSchema,
  routePointer: /^\/platforms\/webhook\/(?:extra\/)?routes\/([^/]+)/,
}

/**
 * The data of a file, with its secrets resolved; empty where the file is no map. `found` has the Diagnostics of the shape and secrets of a
 * map. `bad` has the pointers of the values that they are about, and of all values around these.
 */
export type CheckedData = { readonly data: JsonObject; readonly bad: ReadonlySet<string>; readonly found: readonly Diagnostic[] }

const noData: CheckedData = { data: {}, bad: new Set(), found: [] }

/** Checks the shape of a parsed file, and resolves its secrets with `env`. */
export const checkedData = (source: Source, { check, schema, routePointer }: FileKind, env: Env, into: FileReadings): CheckedData => {
  into.sources.push({ ...source, schema })
  const named = (each: Diagnostic): Diagnostic => withRoute(each, routePointer)
  const shape = checkShape(check, schema, source.data, source)
  if (!isObject(source.data)) {
    into.diagnostics.push(...shape)
    return noData
  }
  const resolved = resolveSecrets(schema, source.data, env, source)
  const found = [...shape, ...resolved.diagnostics]
  into.diagnostics.push(...found.map(named))
  return { data: resolved.data as JsonObject, bad: brokenPointers(found), found }
}

/**
 * Reads one `config.yaml`, or the text `given` in its place. The data are empty where there is no file, which is a mistake only where the
 * file is `required`, and where the file cannot be read as a map.
 */
export const readFile = (
  file: string,
  env: Env,
  into: FileReadings,
  required: boolean,
  given?: string | ParsedYaml,
): CheckedData & { readonly data: File; readonly source?: Source } => {
  const { source, text, diagnostics } = readSource(file, given)
  if (text !== undefined) into.texts.set(file, text)
  into.digests.set(file, textDigest(text))
  into.diagnostics.push(...diagnostics)
  if (!source && required && diagnostics.length === 0) {
    into.diagnostics.push(diagnostic('WH003', `${file} does not exist`, { help: 'check the path given with --config' }))
  }
  return source ? { ...checkedData(source, configFile, env, into), source } : noData
}

/** Adds to a Diagnostic the name of the route that its pointer leads into. */
const withRoute = (each: Diagnostic, routePointer: RegExp): Diagnostic => {
  const name = routePointer.exec(each.pointer)?.[1]
  return name === undefined ? each : { ...each, route: name.replaceAll('~1', '/').replaceAll('~0', '~') }
}

/**
 * Returns the variables of a folder's `.env`; those of `env` win. WH007 and WH008 report its odd lines. A file that cannot be read is
 * reported, and then only `env` counts. Where `env` is unknown (`unknownEnv`), no file is read.
 */
export const readEnv = (dir: string, env: Env, into: FileReadings): Env => {
  if (isUnknown(env)) return env
  const file = join(dir, '.env')
  try {
    const { env: written, oddities, text } = readEnvFile(file)
    into.digests.set(file, textDigest(text))
    for (const { code, line, column, message, help } of oddities)
      into.diagnostics.push(diagnostic(code, message, { place: { file, line, column, endLine: line, endColumn: column }, help }))
    return { ...written, ...env }
  } catch (error) {
    into.diagnostics.push(diagnostic('WH003', `cannot read ${file}: ${messageOf(error)}`, { help: 'check its permissions' }))
    return env
  }
}

/**
 * Reads the profiles to serve, of which `main` is the default profile. With multiplexing on, each `profiles/<name>/config.yaml` makes a
 * further profile (rules: Configuration 6).
 */
export const readProfiles = (dataDir: string, multiplex: boolean, main: Profile, into: FileReadings): Map<string, Profile> => {
  const profiles = new Map([[defaultProfile, main]])
  const folder = join(dataDir, 'profiles')
  if (!multiplex || !existsSync(folder)) return profiles
  for (const name of readdirSync(folder).sort()) {
    const dir = join(folder, name)
    const file = join(dir, 'config.yaml')
    if (!routeNamePattern.test(name) || name === defaultProfile || !existsSync(file)) continue
    // A profile's credentials come only from its own .env. The process's environment belongs to the default profile. A variable that the
    // file names as `${NAME}` may come from either.
    const env = readEnv(dir, isUnknown(main.env) ? main.env : {}, into)
    const { data, source, bad } = readFile(file, { ...main.env, ...env }, into, false)
    into.diagnostics.push(...unreadKeys(data, name, source))
    profiles.set(name, {
      name,
      dir,
      env,
      platforms: platformsOf(data),
      ...readConfiguredJobs(data, name, source, bad),
      ...placesOf(source),
    })
  }
  return profiles
}

/** The keys that have an effect in the `config.yaml` of a profile. */
const keysOfProfiles: ReadonlySet<string> = new Set(['platforms', 'jobs'])

/** Warns of each key of a profile's file that has an effect only in the main file. */
const unreadKeys = (file: File, profile: string, source: Source | undefined): Diagnostic[] => {
  const platforms = isObject(file.platforms) && Object.hasOwn(file.platforms, 'webhook') ? [['platforms', 'webhook']] : []
  const others = Object.keys(file).filter((key) => !keysOfProfiles.has(key) && Object.hasOwn(configSchema.properties as JsonObject, key))
  return [...others.map((key) => [key]), ...platforms].map((path) =>
    diagnostic('WH210', `"${path.join('.')}" has no effect in the config.yaml of profile "${profile}"`, {
      pointer: pointerOf(path),
      help: 'move it to the config.yaml of the data directory',
      ...(source ? { place: source.place(path, 'key') } : {}),
    }),
  )
}

export const placesOf = (source: Source | undefined): Pick<Profile, 'place'> => (source ? { place: source.place } : {})

/** Returns the modules that a file names under `plugins`. An entry that is no name is left out: the shape check reports it. */
export const pluginsOf = (file: File, source: Source | undefined): PluginSource[] =>
  !source || !Array.isArray(file.plugins)
    ? []
    : file.plugins.flatMap((name, i): PluginSource[] =>
        typeof name === 'string' && name !== '' ? [{ name, place: source.place(['plugins', i]), pointer: `/plugins/${i}` }] : [],
      )

/** Returns the sections under `platforms`, without that of the webhook adapter. */
export const platformsOf = (file: File): Profile['platforms'] => {
  const { webhook: _, ...others } = isObject(file.platforms) ? file.platforms : {}
  return others as Profile['platforms']
}
