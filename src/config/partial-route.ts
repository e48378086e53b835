/**
 * Makes the partial route of a route whose shape or secret is wrong: the route without its wrong values. A partial route is checked like
 * any other route, so that one mistake hides no other, but it is never served.
 */

import { type Diagnostic, type Path, pointerOf } from '../core/diagnostic.ts'
import { isObject, type Json, type JsonObject, valueAt } from '../core/json.ts'
import { keepDigits } from '../core/written-digits.ts'
import type { Route } from '../generated/config.ts'
import { routeSourceOf, type SecretsAround } from './adapter.ts'
import { type Config, defaultProfile, type RouteSource } from './config.ts'
import type { RoutesPart } from './include/routes-part.ts'
import { definition, schemaAt } from './schema-walk.ts'
import type { References } from './secrets/reference.ts'
import { isUnresolved, resolveSecrets } from './secrets/resolve-secrets.ts'
import { isBroken } from './shape.ts'
import { parsePointer } from './union-errors.ts'
import type { Source } from './yaml/source.ts'

/** `route` has no wrong values. `lost`: the pointers of the wrong values, and of keys that are missing. */
export type PartialRoute = { readonly route: RouteSource; readonly lost: readonly string[] }

/**
 * Keys that are taken out as a whole where anything in their value is wrong, even a setting of a single item. An item is not taken out
 * alone, because the items behind it would have other indexes than in the file.
 */
const wholeLists: ReadonlySet<string> = new Set(['verify', 'dispatch', 'deliver', 'secrets', 'skills', 'toolsets'])

/** Returns the partial route of a route with these Diagnostics; `undefined` where the route as a whole is wrong. */
const partialRouteOf = (
  written: Pick<RouteSource, 'name' | 'origin' | 'place' | 'base' | 'included'> & { readonly spec: Json | undefined },
  diagnostics: readonly Diagnostic[],
  around: SecretsAround,
): PartialRoute | undefined => {
  const at = pointerOf(written.base)
  const isWrong = diagnostics.some(({ pointer, code }) => pointer === at && code !== 'WH108')
  const { spec: whole } = written
  if (!isObject(whole) || isWrong) return undefined
  const below = diagnostics.filter(({ pointer }) => pointer.startsWith(`${at}/`)).flatMap((each) => lostBy(each, at, whole))
  const spec = copyOf(whole) as JsonObject
  for (const pointer of below) takeOut(spec, pathToTakeOut(pointer))
  const route = routeSourceOf({ ...written, spec: spec as Route }, undefined, around)
  return { route, lost: below.map((pointer) => `${at}/${pointer}`) }
}

const copyOf = (value: Json): Json => {
  if (Array.isArray(value)) return keepDigits(value, value.map(copyOf))
  return isObject(value)
    ? keepDigits(value, Object.fromEntries(Object.entries(value).map(([key, member]) => [key, copyOf(member)])))
    : value
}

/**
 * Returns the pointers, below the route, of the values that a finding makes unusable. For missing keys (WH104), these are the pointers of
 * the keys. An unknown key (WH101) may be a misspelt one, and so the only sign of a missing key.
 */
const lostBy = ({ code, pointer }: Diagnostic, at: string, spec: JsonObject): readonly string[] => {
  const lost = pointer.slice(at.length + 1)
  if (code === 'WH104') return missingIn(lost, spec)
  return code === 'WH101' && lost.includes('/') ? [lost, ...missingIn(lost.slice(0, lost.lastIndexOf('/')), spec)] : [lost]
}

/** Returns the pointers of the keys that are required in the map at a pointer, and missing there. */
const missingIn = (lost: string, spec: JsonObject): readonly string[] => {
  const path = parsePointer(`/${lost}`, spec)
  const { required = [] } = schemaAt(definition('Route'), spec, path) as Partial<MapSchema>
  const value = valueAt(spec, path)
  return required.filter((key) => isObject(value) && !(key in value)).map((key) => `${lost}/${key}`)
}

const pathToTakeOut = (pointer: string): Path => {
  const path = pointer.split('/').map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  return wholeLists.has(path[0] ?? '') ? path.slice(0, 1) : path
}

/** Returns the partial routes of the routes of one file whose shape or secret is wrong. */
export const partialRoutesOf = ({ written, place, base, bad, found, included }: RoutesPart, around: SecretsAround): PartialRoute[] => {
  const byRoute = findingsByRoute(pointerOf(base), found)
  const origin = { origin: 'config', place, ...(included === undefined ? {} : { included }) } as const
  return Object.entries(written).flatMap(([name, spec]) => {
    const at = [...base, name]
    if (!isBroken(at, bad)) return []
    return partialRouteOf({ ...origin, name, spec, base: at }, byRoute.get(pointerOf(at)) ?? [], around) ?? []
  })
}

/**
 * Groups Diagnostics by the pointer of their route. Thousands of routes may have findings, and no route should search all findings for its
 * own.
 */
const findingsByRoute = (base: string, diagnostics: readonly Diagnostic[]): ReadonlyMap<string, readonly Diagnostic[]> => {
  const byRoute = new Map<string, Diagnostic[]>()
  for (const each of diagnostics) {
    if (!each.pointer.startsWith(`${base}/`)) continue
    const end = each.pointer.indexOf('/', base.length + 1)
    const at = end < 0 ? each.pointer : each.pointer.slice(0, end)
    const known = byRoute.get(at)
    if (known) known.push(each)
    else byRoute.set(at, [each])
  }
  return byRoute
}

/** Returns the partial route of a subscription whose shape is wrong, or whose secret cannot be resolved. `found`: its Diagnostics. */
export const partialSubscriptionOf = (
  name: string,
  entry: Json,
  { globalSecret, profiles }: Pick<Config, 'globalSecret' | 'profiles'>,
  { place }: Pick<Source, 'place'>,
  found: readonly Diagnostic[],
): PartialRoute | undefined => {
  const profile = isObject(entry) && typeof entry.profile === 'string' ? entry.profile : defaultProfile
  const from: References = profiles.get(profile) ?? profiles.get(defaultProfile) ?? { env: {} }
  const { data, diagnostics } = resolveSecrets(definition('Subscription'), entry, from, { place }, [name])
  return partialRouteOf(
    { name, origin: 'subscription', spec: data, place, base: [name] },
    [...found, ...diagnostics.filter(isUnresolved)],
    { globalSecret },
  )
}

/** Lists whose items may be replaced by null, which is neither a condition nor an event. The indexes of the other items stay. */
const listsWithGaps: ReadonlySet<string> = new Set(['filters', 'events'])

/**
 * Takes the value at a path out of `from`. A key that its map requires gets an empty text or a small number instead. Where a required key
 * can be neither, its whole map is taken out. Where an item is wrong in a list that may not have gaps, the whole list is taken out.
 */
const takeOut = (from: JsonObject, path: Path): void => {
  const around = path.slice(0, -1)
  const last = String(path.at(-1))
  const at = valueAt(from, around)
  if (Array.isArray(at)) {
    if (listsWithGaps.has(String(path[0]))) at[Number(last)] = null
    else takeOut(from, around)
  }
  if (!isObject(at)) return
  const { required = [], properties = {} } = schemaAt(definition('Route'), from, around) as Partial<MapSchema>
  if (!required.includes(last)) delete at[last]
  else {
    const { type, minimum = 1 } = properties[last] ?? {}
    const types = [type].flat()
    if (types.includes('string')) at[last] = ''
    else if (types.includes('integer') || types.includes('number')) at[last] = minimum
    else takeOut(from, around)
  }
}

type MapSchema = {
  readonly required: readonly string[]
  readonly properties: { readonly [key: string]: { readonly type?: string | readonly string[]; readonly minimum?: number } }
}

/** The codes that report keys which exclude each other, whatever the values of the keys are. */
const exclusions: ReadonlySet<string> = new Set(['WH203', 'WH204', 'WH207', 'WH208'])

/**
 * For some codes, the keys whose absence leads to a finding of the code. Where such a key was taken out of a partial route, the finding
 * says nothing about the file.
 */
const consequences: { readonly [code: string]: readonly string[] } = {
  WH201: ['secret', 'secrets'],
  WH202: ['deliver'],
  WH210: ['deliver', 'cron_job', 'script', 'payload_schema'],
  WH212: ['coalesce/window_seconds', 'coalesce/max_wait_seconds'],
  WH314: ['secret', 'secrets', 'public_key'],
  WH323: ['secret', 'secrets'],
  WH506: ['prompt', 'deliver'],
  WH705: ['deliver', 'deliver_extra'],
  WH706: ['deliver'],
  WH708: ['deliver', 'deliver_extra'],
  WH713: ['deliver', 'deliver_extra'],
}

/** Whether the value of a key of the route was taken out of a partial route. */
export const isLost = ({ route, lost }: PartialRoute, key: string): boolean =>
  lost.some((pointer) => `${pointer}/`.startsWith(`${pointerOf(route.base)}/${key}/`))

/**
 * Leaves out two kinds of findings about a partial route: findings at, in or around a lost value, and findings that follow only from the
 * absence of that value. Around a lost value, a finding that keys exclude each other stays (`exclusions`).
 */
export const withoutConsequences = (partial: PartialRoute, found: readonly Diagnostic[]): Diagnostic[] =>
  found.filter(({ code, pointer }) => {
    const { lost } = partial
    const isWithin = (each: string): boolean => each.startsWith(`${pointer}/`) && !exclusions.has(code)
    const near = lost.some((each) => each === pointer || isWithin(each) || pointer.startsWith(`${each}/`))
    return !near && !consequences[code]?.some((key) => isLost(partial, key))
  })
