/** Reads `deliver` and `deliver_extra` of a route. Each target checks its settings. Secrets are set apart, because they are not stored. */

import type { Path } from '../core/diagnostic.ts'
import { isObject, type Json, type JsonObject, own } from '../core/json.ts'
import { isTemplate } from '../expr/placeholder.ts'
import type { Route } from '../generated/config.ts'
import { defaults } from '../generated/defaults.ts'
import type { Delivery, Destination } from '../store/ports.ts'
import type { Report } from './report.ts'
import { targetName } from './target-name.ts'
import type { TargetPart } from './targets/target.ts'

type DeliverySpec = Pick<Route, 'deliver' | 'deliver_extra' | 'deliver_mode'>

/** A target as configured. `path` and `extraPath`: where the target and its settings stand in the route. */
export type WrittenTarget = { readonly target: string; readonly extra: JsonObject; readonly path: Path; readonly extraPath: Path }

/** Returns the targets of a `deliver`, in order. A target without settings of its own has the route's. */
export const writtenTargets = ({ deliver = defaults.route.deliver, deliver_extra = {} }: DeliverySpec): readonly WrittenTarget[] => {
  const shared = deliver_extra as JsonObject
  const one = (item: Json, path: Path): WrittenTarget => {
    const its = isObject(item) ? item.deliver_extra : undefined
    const extra = isObject(its) ? { extra: its, extraPath: [...path, 'deliver_extra'] } : { extra: shared, extraPath: ['deliver_extra'] }
    return { target: targetName(String(isObject(item) ? item.target : item)), path, ...extra }
  }
  return Array.isArray(deliver) ? deliver.map((item, i) => one(item as Json, ['deliver', i])) : [one(deliver, ['deliver'])]
}

export const readDelivery = (spec: DeliverySpec, targets: ReadonlyMap<string, TargetPart>, report: Report): Destination => {
  const to = writtenTargets(spec).map(({ target, extra: given, extraPath }): Delivery => {
    const part = targets.get(target)
    const extra = splitLists(given, part?.lists ?? [])
    const help = `docs/targets.md says what ${target} takes; \`headgate targets test ${target}\` tries it`
    part?.check?.(extra, (code, path, message, its = help) => report(code, [...extraPath, ...path], message, its))
    const withheld = Object.keys(secretsIn(extra, part?.withheld ?? []))
    const stored = withoutSecrets(extra, withheld)
    return { target, extra: stored, ...(withheld.length > 0 ? { withheld } : {}) }
  })
  const [first] = to
  return first && !Array.isArray(spec.deliver) ? first : { mode: spec.deliver_mode ?? defaults.route.deliver_mode, to }
}

const entriesOf = (map: JsonObject, keeps: (value: Json) => boolean): JsonObject =>
  Object.fromEntries(Object.entries(map).filter(([, value]) => keeps(value)))

/** Returns the values under these keys; of a map, only the members without a placeholder. */
export const secretsIn = (extra: JsonObject, keys: readonly string[]): JsonObject =>
  Object.fromEntries(
    keys.flatMap((key): [string, Json][] => {
      const value = own(extra, key)
      const secret = isObject(value) ? entriesOf(value, (each) => !isTemplate(each)) : value
      return secret === undefined || (isObject(secret) && Object.keys(secret).length === 0) ? [] : [[key, secret]]
    }),
  )

const withoutSecrets = (extra: JsonObject, keys: readonly string[]): JsonObject =>
  Object.fromEntries(
    Object.entries(extra).flatMap(([key, value]): [string, Json][] => {
      if (!keys.includes(key)) return [[key, value]]
      return isObject(value) ? [[key, entriesOf(value, isTemplate)]] : []
    }),
  )

/** Joins stored settings and secrets. */
export const withSecrets = (stored: JsonObject, secrets: JsonObject): JsonObject => {
  const whole = Object.entries(secrets).map(([key, value]): [string, Json] => {
    const filled = own(stored, key)
    return [key, isObject(value) && isObject(filled) ? { ...filled, ...value } : value]
  })
  return { ...stored, ...Object.fromEntries(whole) }
}

/** A comma outside placeholders. */
const comma = /,(?![^{}]*\})/

const splitLists = (extra: JsonObject, lists: readonly string[]): JsonObject =>
  Object.fromEntries(
    Object.entries(extra).map(([key, value]) => {
      const several = lists.includes(key) && typeof value === 'string' ? value.split(comma) : []
      return [key, several.length > 1 ? several : value]
    }),
  )

export const deliveriesOf = (destination: Destination): readonly Delivery[] => ('to' in destination ? destination.to : [destination])

/** Joins the targets' names, for people. */
export const targetsOf = (destination: Destination): string =>
  deliveriesOf(destination)
    .map(({ target }) => target)
    .join(', ')

/** Returns the name of one of several targets, with its position where other targets have that name too. */
export const deliveryLabel = (to: readonly Delivery[], position: number): string => {
  const target = to[position]?.target ?? ''
  return to.filter((each) => each.target === target).length > 1 ? `${target} (${position + 1} of ${to.length})` : target
}

/** Returns the reason why a delivery to several targets failed, and the targets that have the text. */
export const whyPartly = (to: readonly Delivery[], failed: readonly string[], done: readonly number[]): string =>
  [...failed, ...(done.length > 0 ? [`delivered to ${done.map((position) => deliveryLabel(to, position)).join(', ')}`] : [])].join('; ')
