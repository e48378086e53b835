/**
 * Reads the keys of a route, a job or a rule of alerts that say where its texts go: `deliver`, `deliver_extra` and `deliver_mode`. Each
 * target checks its settings. The secrets are kept apart from the settings, because the store keeps the settings and must not have the
 * secrets.
 */

import type { Report } from '../core/diagnostic.ts'
import { isObject, type Json, type JsonObject, own } from '../core/json.ts'
import type { Delivery, Destination } from '../core/new-run.ts'
import { replaceParts, stars, withCredentials } from '../core/secret-names.ts'
import { isTemplate } from '../expr/placeholder.ts'
import { defaults } from '../generated/defaults.ts'
import { type SecretPart, secretParts, secretPlaceBelow, topOfSettings } from '../secrets/secret-place.ts'
import { withBodyPieces } from './body-pieces.ts'
import type { TargetPart } from './targets/target.ts'
import { type DeliverySpec, writtenTargets } from './written-targets.ts'

/**
 * Returns the destination of a route, a job or a rule as the store keeps it: the settings without secrets, and the keys of the secrets in
 * `withheld`. Each target checks its settings, and reports what is wrong in them at their path in the route, job or rule.
 */
export const readDelivery = (spec: DeliverySpec, targets: ReadonlyMap<string, TargetPart>, report: Report): Destination => {
  const to = writtenTargets(spec).map(({ target, extra: given, extraPath }): Delivery => {
    const part = targets.get(target)
    const extra = splitLists(given, part?.lists ?? [])
    const help = `docs/targets.md says what ${target} takes; \`headgate targets test ${target}\` tries it`
    part?.check?.(extra, (code, path, message, ownHelp = help) => report(code, [...extraPath, ...path], message, ownHelp))
    const withheld = Object.keys(secretsOfDelivery(extra, part?.withheld ?? []))
    const settings = withoutSecrets(extra, withheld)
    const stored = part?.hasBody ? withBodyPieces(settings) : settings
    return { target, extra: stored, ...(withheld.length > 0 ? { withheld } : {}) }
  })
  const [first] = to
  return first && !Array.isArray(spec.deliver) ? first : { mode: spec.deliver_mode ?? defaults.route.deliver_mode, to }
}

const entriesOf = (map: JsonObject, keeps: (value: Json) => boolean): JsonObject =>
  Object.fromEntries(Object.entries(map).filter(([, value]) => keeps(value)))

/**
 * Returns the secrets in the settings of a target: the values under `keys`. Where such a value is a map, only its entries without a
 * placeholder are secrets, because an entry with a placeholder is filled in from the event.
 */
export const secretsOfDelivery = (extra: JsonObject, keys: readonly string[]): JsonObject =>
  Object.fromEntries(
    [...keys, ...addressesIn(extra, keys)].flatMap((key): [string, Json][] => {
      const value = own(extra, key)
      const secret = isObject(value) ? entriesOf(value, (each) => !isTemplate(each)) : value
      return secret === undefined || (isObject(secret) && Object.keys(secret).length === 0) ? [] : [[key, secret]]
    }),
  )

/** Returns the keys, besides `keys`, whose values are addresses with a credential in them. A body is not an address. */
const addressesIn = (extra: JsonObject, keys: readonly string[]): string[] =>
  Object.keys(extra).filter((key) => key !== 'body' && !keys.includes(key) && maskedAddress(key, own(extra, key)) !== own(extra, key))

const maskedAddress = (key: string, value: Json | undefined): Json | undefined =>
  typeof value === 'string' ? replaceParts(value, addressParts(key, value), () => stars) : value

const addressParts = (key: string, text: string): readonly SecretPart[] =>
  secretParts(text, secretPlaceBelow(topOfSettings, key, false)).filter(({ isWhole }) => !isWhole)

/** Returns the settings without the values that `secretsIn` returns for these keys. Of an address, only what is secret is left out. */
const withoutSecrets = (extra: JsonObject, keys: readonly string[]): JsonObject =>
  Object.fromEntries(
    Object.entries(extra).flatMap(([key, value]): [string, Json][] => {
      const masked = key === 'body' ? value : maskedAddress(key, value)
      if (!keys.includes(key) || (masked !== undefined && masked !== value)) return [[key, masked ?? value]]
      return isObject(value) ? [[key, entriesOf(value, isTemplate)]] : []
    }),
  )

/** Joins the stored settings of a target and its secrets, as `withoutSecrets` and `secretsIn` made them. */
export const withStoredSecrets = (stored: JsonObject, secrets: JsonObject): JsonObject => {
  const whole = Object.entries(secrets).map(([key, value]): [string, Json] => {
    const filled = own(stored, key)
    if (typeof value === 'string' && typeof filled === 'string') return [key, withCredentials(filled, value)]
    return [key, isObject(value) && isObject(filled) ? { ...filled, ...value } : value]
  })
  return { ...stored, ...Object.fromEntries(whole) }
}

/** A comma that is not inside a placeholder (`{…}`). */
const comma = /,(?![^{}]*\})/

/** Splits texts with commas into lists. `lists`: the keys whose value may be a list. Texts under other keys stay as they are. */
const splitLists = (extra: JsonObject, lists: readonly string[]): JsonObject =>
  Object.fromEntries(
    Object.entries(extra).map(([key, value]) => {
      const several = lists.includes(key) && typeof value === 'string' ? value.split(comma) : []
      return [key, several.length > 1 ? several : value]
    }),
  )

export const deliveriesOf = (destination: Destination): readonly Delivery[] => ('to' in destination ? destination.to : [destination])

export const targetNames = (destination: Destination): string =>
  deliveriesOf(destination)
    .map(({ target }) => target)
    .join(', ')

/** Returns the name of the target at a position of the list, for people. The position is added where other targets have that name too. */
export const deliveryLabel = (to: readonly Delivery[], position: number): string => {
  const target = to[position]?.target ?? ''
  return to.filter((each) => each.target === target).length > 1 ? `${target} (${position + 1} of ${to.length})` : target
}

/**
 * Returns a text for people about a delivery that failed at one or more of its targets. `failed`: the reasons. `done`: the positions of the
 * targets that have the text.
 */
export const partialFailureText = (to: readonly Delivery[], failed: readonly string[], done: readonly number[]): string =>
  [...failed, ...(done.length > 0 ? [`delivered to ${done.map((position) => deliveryLabel(to, position)).join(', ')}`] : [])].join('; ')
