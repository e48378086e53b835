/**
 * Reads a target's settings in one profile: from the file, and from the environment, which wins (rules: Configuration 7, 8). Also says
 * which settings are missing or wrong, and which are secrets.
 */

import { type Json, type JsonObject, own } from '../../../core/json.ts'
import type { KeySchemas, Setting, SettingForm, TargetPart, TargetSchema } from '../target.ts'

/** The keys of `deliver_extra` that name a thread. Of those that are set, the first counts. */
export const threadKeys = ['message_thread_id', 'thread_id'] as const
/** The keys of `deliver_extra` that every chat target knows. */
export const addressKeys = ['chat_id', ...threadKeys] as const

/** What must be known of a target to read its settings. */
type ConfigurableTarget = Pick<TargetPart, 'name' | 'platform' | 'settings' | 'needs' | 'forms'>
type Env = { readonly [name: string]: string | undefined }

/** Returns the name of the section under `platforms` that a target reads. */
export const platformOf = ({ name, platform }: ConfigurableTarget): string => platform ?? name.replace(/_comment$/, '')

/** Returns the settings that a target's schema declares: the keys that have `x-env`. */
export const settingsIn = ({ settings }: TargetSchema): readonly Setting[] =>
  Object.entries(settings?.properties ?? {}).flatMap(([key, node]): Setting[] => {
    const { 'x-env': env, 'x-secret': secret, default: value } = node
    if (env === undefined) return []
    return [{ key, env, ...(secret === true ? { secret } : {}), ...(value === undefined ? {} : { default: String(value) }) }]
  })

/**
 * Returns the keys that a target reads from `deliver_extra`: first those of the chat address, then those that are marked `x-exact`, then
 * all others. Each chat takes the keys of a thread, and one that has no threads does not read them. `undefined`: the target has no schema,
 * so its keys are not known.
 */
export const keysOfExtra = ({ schema }: Pick<TargetPart, 'schema'>): readonly string[] | undefined => {
  if (schema === undefined) return undefined
  const { properties } = schema.deliver_extra
  const address = addressKeys.filter((key) => key in properties)
  const all = [...new Set([...address, ...exactKeys(properties), ...Object.keys(properties)])]
  const hasThreads = threadKeys.some((key) => properties[key]?.description !== undefined)
  return hasThreads ? all : all.filter((key) => !threadKeys.some((thread) => thread === key))
}

/** Returns the keys of `deliver_extra` that are marked `x-exact`: their values are ids or names of the platform. */
export const exactKeys = (extra: KeySchemas): readonly string[] => Object.keys(extra).filter((key) => extra[key]?.['x-exact'])

/**
 * Returns a target's settings by key: from the environment, else from the file, else the default. Keys of the file that the target does not
 * declare stay, too. `platforms` and `env`: the section `platforms` of one profile's file, and the environment of the same profile. So a
 * target never sees the credentials of another profile.
 */
export const settingsOf = (part: ConfigurableTarget, platforms: { readonly [name: string]: JsonObject }, env: Env): JsonObject => {
  const written = own(platforms, platformOf(part)) ?? {}
  const named = (part.settings ?? []).flatMap((setting): [string, Json][] => {
    const value =
      fromEnv(setting, env) ??
      settingNames(setting, part)
        .map((key) => own(written, key))
        .find(isFilledIn)
    const given = value ?? setting.default
    return given === undefined ? [] : [[setting.key, given]]
  })
  return { ...written, ...Object.fromEntries(named) }
}

/** Returns the keys by which the file may give a setting. */
export const settingNames = (setting: Setting, part: ConfigurableTarget): readonly string[] => [setting.key, ...aliasesOf(setting, part)]

/** Whether a value in the file sets its key. An empty text does not set it, because an empty text must not replace the default. */
const isFilledIn = (value: Json | undefined): boolean => value !== undefined && value !== ''

/**
 * Returns the other keys by which the file may give a setting: the names of its environment variables, in small letters and without the
 * platform's prefix (rules: Configuration 7). Where a variable has another prefix, its first word is left out.
 */
const aliasesOf = ({ env }: Setting, part: ConfigurableTarget): string[] =>
  env.map((name) => {
    const prefix = `${platformOf(part).toUpperCase()}_`
    return (name.startsWith(prefix) ? name.slice(prefix.length) : name.slice(name.indexOf('_') + 1)).toLowerCase()
  })

const fromEnv = ({ env: names }: Setting, env: Env): string | undefined => names.map((name) => env[name]).find(Boolean)

/**
 * Returns a setting as text, without the blanks around it. A number and `true` become texts. A blank text counts as absent, and so does any
 * other value.
 */
export const textSetting = (settings: JsonObject, key: string): string | undefined => {
  const value = own(settings, key)
  const text = typeof value === 'string' ? value.trim() : typeof value === 'number' || value === true ? String(value) : ''
  return text === '' ? undefined : text
}

/**
 * Returns the keys of the settings that are missing before anything can be sent; empty when the target is connected. Of several ways to
 * connect the target, the way that lacks the fewest settings counts.
 */
export const missingOf = ({ needs }: ConfigurableTarget, settings: JsonObject): readonly string[] => {
  const gaps = (needs ?? [[]]).map((keys) => keys.filter((key) => textSetting(settings, key) === undefined))
  return gaps.reduce((least, gap) => (gap.length < least.length ? gap : least))
}

/** Names a setting and its environment variables, as a text for people. */
const settingLabel = ({ settings = [] }: ConfigurableTarget, key: string): string => {
  const env = settings.find((setting) => setting.key === key)?.env ?? []
  return env.length === 0 ? key : `${key} (${env.join(', ')})`
}

/** Returns a text for each way to connect a target: the settings that this way needs, with their environment variables. */
export const waysOf = (part: ConfigurableTarget): readonly string[] =>
  (part.needs ?? []).map((keys) => keys.map((key) => settingLabel(part, key)).join(', ')).filter((way) => way !== '')

/** Returns why nothing can be sent: the platform is switched off, or settings are missing or wrong. `undefined`: the target is connected. */
export const obstacleOf = (part: ConfigurableTarget, settings: JsonObject): string | undefined => {
  const platform = `platforms.${platformOf(part)}`
  if (settings.enabled === false) return `${platform} is switched off`
  const wrong = missetOf(part, settings)
  if (wrong) return `${platform}.${wrong.key} is not ${wrong.is}`
  const missing = missingOf(part, settings)
  return missing.length === 0 ? undefined : `not connected: set ${platform}.${missing.join(', ')}`
}

/** Whether the text of a switch means on. A switch may be a text, because the value of an environment variable is always a text. */
export const isOn = (text: string | undefined): boolean => text !== undefined && /^(?:true|1|yes|on)$/i.test(text)

const webAddressKey = /^(?:api_base|(?:\w+_)?url)$/
const webAddress = /^(?:https?|wss?):\/\/[^/?#\s]/i

/** A setting whose value has not the form that the target needs. The value is not shown, because it may be a secret. */
type Misset = Pick<SettingForm, 'is' | 'example'> & { readonly key: string }

/** Returns a setting whose value has another form than the target needs; `undefined` when there is no such setting. */
export const missetOf = ({ forms = {} }: ConfigurableTarget, settings: JsonObject): Misset | undefined => {
  for (const key of Object.keys(settings)) {
    const value = textSetting(settings, key)
    if (value === undefined) continue
    if (webAddressKey.test(key) && !isWebAddress(value)) return { key, is: 'a web address', example: 'https://example.org' }
    const form = own(forms, key)
    if (form && !form.fits(value)) return { key, is: form.is, example: form.example }
  }
  return undefined
}

/** Returns the values of the settings whose keys stand for web addresses. */
export const webAddressesIn = (settings: JsonObject): readonly string[] =>
  Object.keys(settings).flatMap((key) => (webAddressKey.test(key) ? (textSetting(settings, key) ?? []) : []))

const isWebAddress = (text: string): boolean => webAddress.test(text) && URL.canParse(text)

/** A part of a path or query with fewer characters than this counts as a plain word, not as a secret. */
const shortestSecret = 16

/**
 * Returns the values of the settings that are declared as secret, for redaction. Of a secret web address, the long parts of its path and
 * query are secrets too, because an API may quote only the token in the address.
 */
export const settingSecrets = (declared: readonly Setting[], settings: JsonObject): string[] =>
  declared.flatMap(({ key, secret }) => {
    const value = secret ? textSetting(settings, key) : undefined
    if (value === undefined || !URL.canParse(value)) return value ?? []
    const { pathname, searchParams } = new URL(value)
    return [value, ...[...pathname.split('/'), ...searchParams.values()].filter(({ length }) => length >= shortestSecret)]
  })
