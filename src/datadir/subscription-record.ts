/** Makes a subscription's new entry from the stored entry and from the user's input (rules: Subscriptions 6). */

import { randomBytes } from 'node:crypto'
import { defaultProfile, insecure } from '../config/config.ts'
import { exit, Fault } from '../core/fault.ts'
import { isObject, type Json, type JsonObject, own } from '../core/json.ts'
import { equalWritten } from '../core/written-digits.ts'
import { defaults } from '../generated/defaults.ts'
import { containsMask, isMask } from '../secrets/mask.ts'

/**
 * The fields of a route that options give. A field that no option gives keeps its stored value. Toolsets have no field
 * (rules: Subscriptions 7).
 */
type Fields = {
  readonly description?: string | undefined
  readonly events?: readonly string[] | undefined
  readonly prompt?: string | undefined
  readonly agent?: string | undefined
  readonly skills?: readonly string[] | undefined
  readonly deliver?: string | undefined
  readonly profile?: string | undefined
  readonly deliver_only?: boolean | undefined
  readonly mirror_to_session?: boolean | undefined
  readonly cron_job?: string | undefined
  readonly script?: string | undefined
  readonly filters?: readonly Json[] | undefined
  /** Settings of the target, merged over the stored settings of the target. */
  readonly deliver_extra?: JsonObject | undefined
  /** Settings of the grouping of events, merged over the stored settings. */
  readonly coalesce?: JsonObject | undefined
}

/** The user's input for a subscription. */
export type SubscriptionInput = {
  readonly fields: Fields
  /** Settings from a file, checked together with the entry. `fields` override them. */
  readonly from?: JsonObject | undefined
  readonly secret?: string | undefined
  /** Makes a new secret, unless the input has one. */
  readonly rotate: boolean
  /** How long the secrets that a new one replaces still verify requests, in milliseconds; absent: not at all. */
  readonly overlapMs?: number | undefined
  /** Starts from an empty entry instead of the stored entry. */
  readonly replace: boolean
}

export type Change = {
  readonly entry: JsonObject
  /** The stored entry; absent where there was none. */
  readonly before?: JsonObject
  readonly created: boolean
  /** The names of the fields that differ from the stored entry. */
  readonly changed: readonly string[]
  /** The origin of the secret: the stored entry, the user, or the program; `none` where a public key is in its place. */
  readonly secret: 'kept' | 'supplied' | 'generated' | 'none'
  /** The subscription moved to another profile. */
  readonly rebound: boolean
}

/** Returns a wall time in UTC, to the second: `2027-01-31T09:00:00Z`. */
export const utcAt = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`

export const utcNow = (): string => utcAt(Date.now())

/** Returns 32 random bytes as URL-safe text. */
export const newSecret = (): string => randomBytes(32).toString('base64url')

/** The time stamps: fields that only the program writes. */
const stamps = new Set(['created_at', 'updated_at'])

/**
 * Makes the new entry. Throws a Fault when the stored entry is not a map, for input that must not be stored, and when an old secret would
 * move to another profile.
 */
export const changeEntry = (name: string, stored: Json | undefined, input: SubscriptionInput): Change => {
  if (stored !== undefined && !isObject(stored) && !input.replace) {
    const hint = 'mend it by hand, or start clean with --replace'
    throw new Fault('conflict', `the stored entry "${name}" is not a map`, { exitCode: exit.conflict, hint })
  }
  const before = isObject(stored) ? withoutPast(stored) : undefined
  const from = settingsIn(input.from ?? {})
  const merged = overlaid(overlaid(before && !input.replace ? before : blankEntry(before), from.settings), input.fields)
  const rebound = before !== undefined && profileOf(before) !== profileOf(merged)
  const supplied = input.secret ?? from.secret
  if (rebound) refuseOldSecret(name, before, supplied)
  const fresh = before === undefined || input.replace || rebound || input.rotate
  const secret = supplied === undefined ? secretOrigin(merged, fresh) : 'supplied'
  const overlap = input.overlapMs === undefined ? {} : overlapOf(name, before ?? {}, input.overlapMs)
  const entry = withSecret(merged, secret, supplied ?? newSecret(), overlap)
  const changed = differing(before ?? {}, entry)
  if (before && changed.length > 0) entry.updated_at = utcNow()
  return { entry, ...(before ? { before } : {}), created: before === undefined, changed, secret, rebound }
}

/** Returns an entry without an overlap that is over. */
export const withoutPast = (entry: JsonObject): JsonObject => {
  const { overlap, ...others } = entry
  return isObject(overlap) && Date.parse(String(overlap.until)) <= Date.now() ? others : entry
}

/** The most secrets that verify beside a new one. */
const maxOverlapping = 8

/**
 * Returns the `overlap` of an entry whose secrets a new one replaces, for `ms` milliseconds. Secrets of an earlier overlap stay valid as
 * well, and no secret ends sooner than was promised. Throws a Fault where the entry has no secret of its own that could verify beside the
 * new one.
 */
const overlapOf = (name: string, before: JsonObject, ms: number): JsonObject => {
  const earlier = isObject(before.overlap) ? before.overlap : {}
  const secrets = [before.secret, before.secrets, earlier.secrets].flat().filter((each) => typeof each === 'string' && each.trim() !== '')
  if (secrets.includes(insecure) || (before.secret ?? before.secrets) === undefined || secrets.length === 0) {
    const hint = 'leave --overlap out'
    throw new Fault('no_overlap', `"${name}" has no secret of its own that could verify beside a new one`, { exitCode: exit.no, hint })
  }
  const until = [String(earlier.until ?? ''), utcAt(Date.now() + ms)].toSorted().at(-1) as string
  return { overlap: { secrets: [...new Set(secrets)].slice(0, maxOverlapping) as string[], until } }
}

/** Returns the entry with its secret. `value`: the new secret, where there is one; `overlap`: the old secrets that stay valid beside it. */
const withSecret = (merged: JsonObject, secret: Change['secret'], value: string, overlap: JsonObject): JsonObject => {
  if (secret === 'kept') return merged
  const { secrets: _, overlap: __, ...single } = merged
  if (secret !== 'none') return { ...single, secret: value, ...overlap }
  const { secret: ___, ...others } = single
  return others
}

/** Returns the origin of the secret where the user gave none. `fresh`: the stored secret must not stay. */
const secretOrigin = (merged: JsonObject, fresh: boolean): Change['secret'] =>
  own(merged, 'public_key') !== undefined ? 'none' : fresh ? 'generated' : 'kept'

/**
 * Returns the settings that are taken from a file. A masked or empty `secret` does not count, nor do the file's time stamps and
 * overlap. Throws a Fault
 * for a setting that no command sets (rules: Subscriptions 7), for a mask in another setting, and for a secret that is no text.
 */
const settingsIn = ({
  secret,
  created_at: _,
  updated_at: __,
  overlap: ___,
  ...settings
}: JsonObject): { secret?: string; settings: JsonObject } => {
  const hint = 'set them by hand, in the file of subscriptions or in config.yaml'
  if (own(settings, 'toolsets') !== undefined) throw new Fault('toolsets', 'no command sets toolsets', { exitCode: exit.no, hint })
  if (own(settings, 'secrets') !== undefined) throw new Fault('secrets', 'no command sets several secrets', { exitCode: exit.no, hint })
  if (hasMask(settings))
    throw new Fault('masked', 'a setting is *** in the place of a secret', { exitCode: exit.no, hint: 'write the secret itself' })
  if (secret === undefined || secret === '' || (typeof secret === 'string' && isMask(secret))) return { settings }
  if (typeof secret === 'string') return { settings, secret }
  throw new Fault('bad_secret', 'the secret is no text', { exitCode: exit.no, hint: 'put it into quotes' })
}

const hasMask = (value: Json): boolean => {
  if (typeof value === 'string') return containsMask(value)
  return typeof value === 'object' && value !== null && Object.values(value).some(hasMask)
}

/** Returns the base entry with the given settings over it. */
const overlaid = (base: JsonObject, given: Fields | JsonObject): JsonObject => {
  const fields = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as JsonObject
  const merged: JsonObject = { ...base, ...fields }
  for (const key of ['deliver_extra', 'coalesce']) {
    const [before, over] = [own(base, key), own(fields, key)]
    if (isObject(before) && isObject(over)) merged[key] = { ...before, ...over }
  }
  // An entry holds `deliver_only` and `mirror_to_session` only when they are true.
  for (const key of ['deliver_only', 'mirror_to_session'] as const) if (given[key] === false) delete merged[key]
  return merged
}

/** Returns the entry that a new or replaced subscription starts from. */
const blankEntry = (before: JsonObject | undefined): JsonObject => ({
  description: '',
  events: [],
  secret: '',
  prompt: '',
  skills: [],
  deliver: defaults.route.deliver,
  profile: defaultProfile,
  created_at: own(before ?? {}, 'created_at') ?? utcNow(),
  // `--replace` does not enable a disabled subscription.
  ...(before?.enabled === false ? { enabled: false } : {}),
})

export const profileOf = ({ profile }: JsonObject): Json => profile ?? defaultProfile

/**
 * Throws a Fault for an old secret: after a move to another profile, senders with that secret must be refused (rules: Subscriptions 4).
 */
const refuseOldSecret = (name: string, before: JsonObject, supplied: string | undefined): void => {
  const old = entrySecrets(before)
  if (supplied === undefined || !old.includes(supplied)) return
  throw new Fault('same_secret', `"${name}" moves to another profile: it cannot keep its secret`, {
    exitCode: exit.no,
    hint: 'give another secret, or none: then one is generated',
  })
}

/** Returns the secrets of an entry, and those that it has replaced. */
export const entrySecrets = ({ secret, secrets, overlap }: JsonObject): Json[] =>
  [secret, secrets, isObject(overlap) ? overlap.secrets : undefined].flat().filter((each) => each !== undefined)

/** Returns the names of the fields that differ, without the time stamps. */
export const differing = (before: JsonObject, after: JsonObject): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((key) => {
    const [old, next] = [own(before, key), own(after, key)]
    return !stamps.has(key) && (old === undefined || next === undefined ? old !== next : !equalWritten(old, next))
  })
