/** What still holds of a route whose shape does not: so that one slip hides none of the others. For checks; it is never served. */

import { type Diagnostic, type Path, pointerOf } from '../core/diagnostic.ts'
import { isObject, type Json, type JsonObject } from '../core/json.ts'
import type { Route, WebhookSettings } from '../generated/config.ts'
import { routeOf } from './adapter.ts'
import { type Config, defaultProfile, type RouteSource } from './config.ts'
import { definition } from './schema-walk.ts'
import { resolveSecrets } from './secrets.ts'
import { brokenPlaces, isBroken } from './shape.ts'
import type { Source } from './yaml/source.ts'

/** A route without the parts that are wrong, and where those were. */
export type Salvaged = { readonly route: RouteSource; readonly lost: readonly string[] }

/** Lists of names keep their order, so that what is left keeps its place; of these nothing is left. */
const whole: ReadonlySet<string> = new Set(['verify', 'deliver', 'secrets', 'skills'])

/** `undefined` where nothing of it holds. */
const salvage = (
  written: Pick<RouteSource, 'name' | 'origin' | 'place' | 'base'> & { readonly spec: Json | undefined },
  found: readonly Diagnostic[],
  globalSecret: string | undefined,
): Salvaged | undefined => {
  const at = pointerOf(written.base)
  const below = found.flatMap(({ pointer }) => (pointer.startsWith(`${at}/`) ? [pointer.slice(at.length + 1)] : []))
  const isWrong = found.some(({ pointer, code }) => pointer === at && code !== 'WH108')
  if (!isObject(written.spec) || isWrong) return undefined
  const spec = structuredClone(written.spec)
  for (const pointer of below) takeOut(spec, pathIn(pointer))
  const route = routeOf({ ...written, spec: spec as Route }, globalSecret)
  return { route, lost: below.map((pointer) => `${at}/${pointer}`) }
}

const pathIn = (pointer: string): Path => {
  const path = pointer.split('/').map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  return whole.has(path[0] ?? '') ? path.slice(0, 1) : path
}

/** What holds of the routes whose shape does not; `found` says what is wrong with them. */
export const salvageRoutes = (
  settings: WebhookSettings,
  globalSecret: string | undefined,
  source: Source | undefined,
  base: Path,
  found: readonly Diagnostic[],
): Salvaged[] => {
  const bad = brokenPlaces(found)
  if (!source || !isObject(settings.routes)) return []
  return Object.entries(settings.routes).flatMap(([name, spec]) => {
    const at = [...base, name]
    return isBroken(at, bad) ? (salvage({ name, origin: 'config', spec, place: source.place, base: at }, found, globalSecret) ?? []) : []
  })
}

/** What holds of a subscription whose shape does not, or whose secret cannot be resolved. */
export const salvageSubscription = (
  name: string,
  entry: Json,
  { globalSecret, profiles }: Pick<Config, 'globalSecret' | 'profiles'>,
  { place }: Pick<Source, 'place'>,
  found: readonly Diagnostic[],
): Salvaged | undefined => {
  const env = profiles.get(isObject(entry) ? String(entry.profile) : '')?.env ?? profiles.get(defaultProfile)?.env ?? {}
  const { data, diagnostics } = resolveSecrets(definition('Subscription'), entry, env, { place }, [name])
  return salvage({ name, origin: 'subscription', spec: data, place, base: [name] }, [...found, ...diagnostics], globalSecret)
}

/** A member goes; an item of a list becomes null, which is no condition and no event. */
const takeOut = (from: JsonObject, path: Path): void => {
  let at: Json | undefined = from
  for (const key of path.slice(0, -1)) at = Array.isArray(at) ? at[Number(key)] : isObject(at) ? at[String(key)] : undefined
  const last = path.at(-1)
  if (Array.isArray(at)) at[Number(last)] = null
  else if (isObject(at)) delete at[String(last)]
}

/** What is said because a part was taken out, and not because it is wrong. */
const consequences: { readonly [code: string]: readonly string[] } = {
  WH201: ['secret', 'secrets'],
  WH202: ['deliver'],
  WH210: ['deliver', 'cron_job', 'script'],
  WH506: ['prompt', 'deliver'],
  WH705: ['deliver', 'deliver_extra'],
  WH706: ['deliver'],
  WH713: ['deliver', 'deliver_extra'],
}

/** Without what stands at, in or around a part that was taken out, and without what follows from that alone. */
export const withoutConsequences = ({ route, lost }: Salvaged, found: readonly Diagnostic[]): Diagnostic[] => {
  const base = pointerOf(route.base)
  const keys = new Set(lost.map((pointer) => pointer.slice(base.length + 1).split('/')[0]))
  return found.filter(({ code, pointer }) => {
    const near = lost.some((each) => each === pointer || each.startsWith(`${pointer}/`) || pointer.startsWith(`${each}/`))
    return !near && !consequences[code]?.some((key) => keys.has(key))
  })
}
