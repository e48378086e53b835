/** The settings of a target in one profile: what its file says, and over it what the environment does (rules: Configuration 7, 8). */

import { type Json, type JsonObject, own } from '../../../core/json.ts'
import { platformSettings } from '../../../generated/settings.ts'
import type { Setting, TargetPart } from '../target.ts'

type Named = Pick<TargetPart, 'name' | 'platform' | 'settings' | 'needs'>
type Env = { readonly [name: string]: string | undefined }

/** Which section under `platforms` a target reads. */
export const platformOf = ({ name, platform }: Named): string => platform ?? name.replace(/_comment$/, '')

/** The settings that the schema declares for a built-in platform. */
export const builtinSettings = (platform: string): readonly Setting[] => platformSettings[platform] ?? []

/** Settings by key; a platform's credentials come from its own profile only, never from another one. */
export const settingsOf = (part: Named, platforms: { readonly [name: string]: JsonObject }, env: Env): JsonObject => {
  const written = own(platforms, platformOf(part)) ?? {}
  const named = (part.settings ?? []).flatMap((setting): [string, Json][] => {
    const value =
      fromEnv(setting, env) ??
      namesOf(setting, part)
        .map((key) => own(written, key))
        .find(present)
    const given = value ?? setting.default
    return given === undefined ? [] : [[setting.key, given]]
  })
  return { ...written, ...Object.fromEntries(named) }
}

/** The keys that a setting may have in the file. */
export const namesOf = (setting: Setting, part: Named): readonly string[] => [setting.key, ...aliasesOf(setting, part)]

/** An empty text is none: it would take the place of the default. */
const present = (value: Json | undefined): boolean => value !== undefined && value !== ''

/** A name of the environment without the platform's prefix is a key too (rules: Configuration 7). */
const aliasesOf = ({ env }: Setting, part: Named): string[] =>
  env.map((name) => {
    const prefix = `${platformOf(part).toUpperCase()}_`
    return (name.startsWith(prefix) ? name.slice(prefix.length) : name.slice(name.indexOf('_') + 1)).toLowerCase()
  })

const fromEnv = ({ env: names }: Setting, env: Env): string | undefined => names.map((name) => env[name]).find(Boolean)

/** A setting as text; numbers and `true` too, empty ones and `false` not. */
export const textSetting = (settings: JsonObject, key: string): string | undefined => {
  const value = own(settings, key)
  const text = typeof value === 'string' ? value.trim() : typeof value === 'number' || value === true ? String(value) : ''
  return text === '' ? undefined : text
}

/** The shortest list of settings that are still missing; empty when the target is connected. */
export const missingOf = ({ needs }: Named, settings: JsonObject): readonly string[] => {
  const gaps = (needs ?? [[]]).map((keys) => keys.filter((key) => textSetting(settings, key) === undefined))
  return gaps.reduce((least, gap) => (gap.length < least.length ? gap : least))
}

/** A setting with the names that it has in the environment, for people. */
const named = ({ settings = [] }: Named, key: string): string => {
  const env = settings.find((setting) => setting.key === key)?.env ?? []
  return env.length === 0 ? key : `${key} (${env.join(', ')})`
}

/** Each way in which a target can be connected: its settings, with their names in the environment. */
export const waysOf = (part: Named): readonly string[] =>
  (part.needs ?? []).map((keys) => keys.map((key) => named(part, key)).join(', ')).filter((way) => way !== '')

/** Why nothing can be sent with these settings, on the shortest way out; `undefined` where the target is connected. */
export const obstacleOf = (part: Named, settings: JsonObject): string | undefined => {
  const platform = `platforms.${platformOf(part)}`
  if (settings.enabled === false) return `${platform} is switched off`
  const missing = missingOf(part, settings)
  return missing.length === 0 ? undefined : `not connected: set ${platform}.${missing.join(', ')}`
}

/** Whether the text of a switch means on: the environment has no other values than texts. */
export const isOn = (text: string | undefined): boolean => text !== undefined && /^(?:true|1|yes|on)$/i.test(text)

const addressKey = /^(?:api_base|(?:\w+_)?url)$/
const webAddress = /^(?:https?|wss?):\/\/[^/?#\s]/i

/** The key of a setting that should be an address and is none. */
export const wrongAddress = (settings: JsonObject): string | undefined =>
  Object.keys(settings).find((key) => addressKey.test(key) && !isAddress(textSetting(settings, key) ?? 'http://unset'))

const isAddress = (text: string): boolean => webAddress.test(text) && URL.canParse(text)

/** Pieces of an address that are shorter are plain words of its path, and no secrets. */
const shortestSecret = 16

/** The secrets among some settings. Of a secret address its pieces count too: an API may quote only the token in it. */
export const secretsOf = (declared: readonly Setting[], settings: JsonObject): string[] =>
  declared.flatMap(({ key, secret }) => {
    const value = secret ? textSetting(settings, key) : undefined
    if (value === undefined || !URL.canParse(value)) return value ?? []
    const { pathname, searchParams } = new URL(value)
    return [value, ...[...pathname.split('/'), ...searchParams.values()].filter(({ length }) => length >= shortestSecret)]
  })
