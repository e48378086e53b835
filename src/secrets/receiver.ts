/**
 * Says whether a secret that stars hide in an edited text would still be sent to the same receiver. Whoever edits the text may not know the
 * secret, and must not get the secret by writing another address beside the stars.
 */

import { equalJson, isObject, type Json, type JsonObject, own, valueAt } from '../core/json.ts'
import { isOfAddress, isOfHidden } from './secret-place.ts'

type Path = readonly (string | number)[]

/** The sentence that tells a user why stars were not replaced by a secret. */
export const otherReceiver =
  'where this secret goes has changed, so enter it again: write the secret itself, or a reference such as ${NAME}'

/** Whether the value of a key says, with others, who gets the secrets beside it. */
const decides = (key: string): boolean =>
  isOfAddress(key) || /(?:^|_)(?:base|host|hostname|server|port|proxy)$|^(?:command|args|homeserver|address)$/.test(key)

const decidingIn = (value: Json | undefined, keys: (key: string) => boolean): JsonObject =>
  isObject(value) ? Object.fromEntries(Object.entries(value).filter(([key]) => keys(key))) : {}

/** Returns the path of the settings that use a value: above headers, variables and lists. */
const ownerOf = (path: Path): Path => {
  const owner = path.slice(0, -1)
  const around = owner.at(-1)
  const isWithin = typeof path.at(-1) === 'number' || (typeof around === 'string' && isOfHidden(around))
  return isWithin ? ownerOf(owner) : owner
}

const isTarget = (key: string): boolean => key === 'deliver' || key === 'target'

/**
 * Whether the secret at a path goes where it went: the address beside it and its target are the same. `before`, `after`: the settings of a
 * route as they were shown and as they were edited. `was`, `is`: the path of the secret in each. The route's own secret goes nowhere.
 */
export const hasSameReceiver = (before: Json, after: Json, was: Path, is: Path): boolean => {
  const [from, to] = [ownerOf(was), ownerOf(is)]
  if (from.length === 0 && to.length === 0) return true
  const [old, now] = [valueAt(before, from), valueAt(after, to)]
  // A change in an address that has the secret in it is checked where the address's stars are.
  const isBeside = (key: string): boolean => decides(key) && key !== is.at(-1)
  if (!isObject(old) || !isObject(now) || !equalJson(decidingIn(old, isBeside), decidingIn(now, isBeside))) return false
  if (to.at(-1) !== 'deliver_extra') return true
  return equalJson(targetsIn(valueAt(before, from.slice(0, -1))), targetsIn(valueAt(after, to.slice(0, -1))))
}

/** Returns the target, or those of a list of targets, without settings of their own. */
const targetsIn = (around: Json | undefined): Json => {
  const { deliver = null, target = null } = decidingIn(around, isTarget)
  return [target, Array.isArray(deliver) ? deliver.map((item) => (isObject(item) ? (own(item, 'target') ?? null) : item)) : deliver]
}

/** Whether all that decides who gets a secret is the same everywhere. By an anchor, a secret may be used at several places. */
export const haveSameReceivers = (before: Json, after: Json): boolean => equalJson(receiversIn(before), receiversIn(after))

const receiversIn = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(receiversIn)
  if (!isObject(value)) return null
  const within = Object.entries(value).map(([key, item]): [string, Json] => [key, decides(key) || isTarget(key) ? item : receiversIn(item)])
  return Object.fromEntries(within)
}
