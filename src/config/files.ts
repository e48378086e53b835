/** Reads the files of a data directory: its `config.yaml` and `.env`, and those of each profile. */

import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Diagnostic, diagnostic, pointerOf } from '../core/diagnostic.ts'
import { messageOf } from '../core/fault.ts'
import { isObject, type Json, type JsonObject, valueAt } from '../core/json.ts'
import { routeNamePattern } from '../core/names.ts'
import type { Config as File } from '../generated/config.ts'
import { checkConfig } from '../generated/validators.js'
import { defaultProfile, type PluginSource, type Profile } from './config.ts'
import { type Env, isUnknown, readEnvFile } from './env.ts'
import { textDigest } from './file-digests.ts'
import { type FileKind, isOfKind, otherKind, textToShow, toldOf } from './file-kind.ts'
import { readConfiguredJobs } from './jobs.ts'
import { configSchema } from './schema-walk.ts'
import { noProviders, type SecretSources } from './secrets/providers.ts'
import type { References } from './secrets/reference.ts'
import { isUnresolved, resolveSecrets } from './secrets/resolve-secrets.ts'
import { brokenPointers, checkShape } from './shape.ts'
import { parsePointer } from './union-errors.ts'
import { type ParsedYaml, type RestOfSource, readSource, type Source, type SourceReading } from './yaml/source.ts'

export type FileSource = Source & { readonly schema: JsonObject }

/**
 * Collects the results of reading files: Diagnostics, the texts of files for code frames (`textToShow`), the parsed files, the digests of files, and the
 * references to secrets of programs.
 */
export type FileReadings = {
  diagnostics: Diagnostic[]
  texts: Map<string, string>
  sources: FileSource[]
  digests: Map<string, string>
  asked: Set<string>
}

const configFile: FileKind = {
  called: 'configuration of headgate',
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

/**
 * Checks the shape of a parsed file, and resolves its secrets. WH013 reports a file of another kind. `lost`: the Diagnostics of values that
 * are not read whole. What is found at, in or around such a value may only follow from what is missing there, and is left out.
 */
export const checkedData = (
  source: Source,
  kind: FileKind,
  from: References,
  into: FileReadings,
  lost: readonly Diagnostic[] = [],
): CheckedData => {
  const { check, schema, routePointer } = kind
  into.sources.push({ ...source, schema })
  const other = otherKind(kind, source)
  if (other || !isObject(source.data)) {
    into.diagnostics.push(...(other ? [other] : []))
    return noData
  }
  const shape = checkShape(check, schema, source.data, source)
  const resolved = resolveSecrets(schema, source.data, from, source)
  const all = [...shape, ...resolved.diagnostics]
    .filter(({ pointer }) => !lost.some((each) => isNear(pointer, each.pointer)))
    .map((each) => withRoute(withoutHaste(each, source.data, routePointer), routePointer))
  into.diagnostics.push(...all)
  for (const reference of resolved.asked) into.asked.add(reference)
  const found = [...lost, ...all.filter(isUnresolved)]
  return { data: resolved.data as JsonObject, bad: brokenPointers(found), found }
}

/** Whether one pointer is the other, or leads into it. */
const isNear = (a: string, b: string): boolean => `${a}/`.startsWith(`${b}/`) || b.startsWith(`${a}/`)

/** Takes in the findings of the syntax of a file, its digest, and its text for code frames. */
export const takeReading = (file: string, kind: FileKind, reading: SourceReading, into: FileReadings): void => {
  if (reading.text !== undefined) into.texts.set(file, textToShow(kind, reading))
  into.digests.set(file, textDigest(reading.text))
  into.diagnostics.push(...toldOf(kind, reading).map((each) => withRoute(each, kind.routePointer)))
}

/**
 * Checks what can be read of a file with mistakes of syntax. Where all mistakes are in routes, the rest of the file is returned, and used
 * as it stands. Otherwise only the shape of the rest is checked, because the routes may depend on what could not be read.
 */
export const checkedRest = (
  rest: RestOfSource | undefined,
  kind: FileKind,
  from: (data: Json) => References,
  into: FileReadings,
): (CheckedData & { readonly source: Source }) | undefined => {
  if (!rest || !isOfKind(kind, rest.data)) return undefined
  const checked = checkedData(rest, kind, from(rest.data), into, rest.lost)
  return rest.lost.every(({ pointer }) => kind.routePointer.test(pointer)) ? { ...checked, source: rest } : undefined
}

/**
 * Reads one `config.yaml`, or the text `given` in its place. The data are empty where there is no file, which is a mistake only where the
 * file is `required`, and where the file cannot be read as a map. `secretsOf` returns the providers, perhaps those of the data.
 */
export const readFile = (
  file: string,
  env: Env,
  secretsOf: (data: Json) => SecretSources,
  into: FileReadings,
  required: boolean,
  given?: string | ParsedYaml,
): CheckedData & { readonly data: File; readonly source?: Source } => {
  const reading = readSource(file, given)
  const { source, rest, diagnostics } = reading
  takeReading(file, configFile, reading, into)
  if (!source && required && diagnostics.length === 0) {
    into.diagnostics.push(diagnostic('WH003', `${file} does not exist`, { help: 'check the path given with --config' }))
  }
  const from = (data: Json): References => ({ env, secrets: secretsOf(data) })
  if (source) return { ...checkedData(source, configFile, from(source.data), into), source }
  return checkedRest(rest, configFile, from, into) ?? noData
}

/** Adds to a Diagnostic the name of the route that its pointer leads into. */
const withRoute = (each: Diagnostic, routePointer: RegExp): Diagnostic => {
  const name = routePointer.exec(each.pointer)?.[1]
  return name === undefined ? each : { ...each, route: name.replaceAll('~1', '/').replaceAll('~0', '~') }
}

/** Makes a warning of a failure to read a secret (WH329) that only a disabled route needs. */
const withoutHaste = (each: Diagnostic, data: Json, routePointer: RegExp): Diagnostic => {
  const route = each.code === 'WH329' ? routePointer.exec(each.pointer)?.[0] : undefined
  const spec = route === undefined ? undefined : valueAt(data, parsePointer(route, data))
  if (!isObject(spec) || spec.enabled !== false) return each
  const { code: _, severity: __, stopsStart: ___, message, ...more } = each
  return diagnostic('WH330', message, more)
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
    const { data, source, bad } = readFile(file, { ...main.env, ...env }, () => main.secrets ?? noProviders, into, false)
    into.diagnostics.push(...unreadKeys(data, name, source))
    profiles.set(name, {
      name,
      dir,
      env,
      secrets: main.secrets,
      platforms: platformsOf(data),
      ...readConfiguredJobs(data, name, source, bad),
      ...profilePlace(source),
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

export const profilePlace = (source: Source | undefined): Pick<Profile, 'place'> => (source ? { place: source.place } : {})

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
