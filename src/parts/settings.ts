/** The settings of a target in one profile: what its file says, and over it what the environment does (contract 1, 9). */

import { type JsonObject, own } from '../core/json.ts'
import type { Setting, TargetPart } from './part.ts'

type Named = Pick<TargetPart, 'name' | 'platform' | 'settings' | 'needs'>
type Env = { readonly [name: string]: string | undefined }

/** Which section under `platforms` a target reads. */
export const platformOf = ({ name, platform }: Named): string => platform ?? name.replace(/_comment$/, '')

/** Settings by key; a platform's credentials come from its own profile only, never from another one. */
export const settingsOf = (part: Named, platforms: { readonly [name: string]: JsonObject }, env: Env): JsonObject => {
  const written = own(platforms, platformOf(part)) ?? {}
  const named = (part.settings ?? []).flatMap((setting): [string, string][] => {
    const value = fromEnv(setting, env) ?? (own(written, setting.key) === undefined ? setting.default : undefined)
    return value === undefined ? [] : [[setting.key, value]]
  })
  return { ...written, ...Object.fromEntries(named) }
}

const fromEnv = ({ env: names }: Setting, env: Env): string | undefined => names.map((name) => env[name]).find(Boolean)

/** A setting as text; numbers too, empty ones not. */
export const textSetting = (settings: JsonObject, key: string): string | undefined => {
  const value = own(settings, key)
  const text = typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : ''
  return text === '' ? undefined : text
}

/** The shortest list of settings that are still missing; empty when the target is connected. */
export const missingOf = ({ needs }: Named, settings: JsonObject): readonly string[] => {
  const gaps = (needs ?? [[]]).map((keys) => keys.filter((key) => textSetting(settings, key) === undefined))
  return gaps.reduce((least, gap) => (gap.length < least.length ? gap : least))
}
