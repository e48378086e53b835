/** What a plugin's module exports → targets that can be trusted in shape: nothing of it is used that was not checked here. */

import type { Profile } from '../config/config.ts'
import type { Diagnostic } from '../core/diagnostic.ts'
import { messageOf } from '../core/fault.ts'
import { printable } from '../core/text.ts'
import type { Report } from '../parts/report.ts'
import { platformOf } from '../parts/targets/kit/settings.ts'
import type { Setting, TargetPart } from '../parts/targets/target.ts'
import { checkExtra, checkSection, compileFragment, type Fragment } from './plugin-schema.ts'
import { pluginTarget } from './route-rules.ts'

export type PluginTarget = {
  readonly part: TargetPart
  /** Checks the section that a profile has for it. */
  readonly checkSettings: (profile: Profile) => readonly Diagnostic[]
}

type Loose = { readonly [key: string]: unknown }
/** The targets of a module. Rejects with a sentence. */
export const readPlugin = async (module: object, builtins: ReadonlyMap<string, TargetPart>): Promise<readonly PluginTarget[]> => {
  const exported = exportsOf(module as Loose)
  const { target, targets, schema } = exported
  const given = target === undefined ? targets : targets === undefined ? [target] : undefined
  if (!Array.isArray(given) || given.length === 0) throw new Error('it must export either "target" or "targets", a list')
  if (schema !== undefined && !isLoose(schema)) throw new Error('its "schema" is not a map')
  const settings = await compileFragment('settings', schema?.settings)
  const extra = await compileFragment('deliver_extra', schema?.deliver_extra)
  const platforms = new Set([...builtins.values()].map(platformOf))
  return given.map((one: unknown) => {
    const part = partOf(one, platforms, extra)
    return { part, checkSettings: (profile) => (settings ? checkSection(part, settings, profile) : []) }
  })
}

const isLoose = (value: unknown): value is Loose => typeof value === 'object' && value !== null && !Array.isArray(value)

/** A CommonJS module has its exports under `default`, and beside it only those of them that Node could read off its text. */
const exportsOf = ({ default: whole, ...named }: Loose): Loose => (isLoose(whole) ? { ...whole, ...named } : named)

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText)
const isSetting = (value: unknown): boolean =>
  isLoose(value) && isText(value.key) && (value.env === undefined || isTexts(value.env)) && isTextOrAbsent(value.default)
const isTextOrAbsent = (value: unknown): boolean => value === undefined || typeof value === 'string'
const isFunctionOrAbsent = (value: unknown): boolean => value === undefined || typeof value === 'function'
const isListOrAbsent = (value: unknown, each: (item: unknown) => boolean): boolean =>
  value === undefined || (Array.isArray(value) && value.every(each))

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0

/** What a target's members must be, in the order they are asked. */
const members: readonly (readonly [name: string, fits: (value: unknown) => boolean, must: string])[] = [
  ['send', (value) => typeof value === 'function', 'a function'],
  ['check', isFunctionOrAbsent, 'a function'],
  ['repeatable', (value) => value === undefined || typeof value === 'boolean', 'true or false'],
  ['settings', (value) => isListOrAbsent(value, isSetting), 'a list of { key, env?, secret?, default? }'],
  ['needs', (value) => isListOrAbsent(value, isTexts) && !isEmptyList(value), 'a list of lists of settings'],
  ['addresses', (value) => isListOrAbsent(value, isText), 'a list of keys'],
  ['withheld', (value) => isListOrAbsent(value, isText), 'a list of keys'],
]

const partOf = (given: unknown, platforms: ReadonlySet<string>, extra: Fragment | undefined): TargetPart => {
  if (!isLoose(given)) throw new Error('its target is not an object')
  const { name, platform, settings, needs, addresses, withheld } = given
  if (!isText(name) || !pluginTarget.test(name))
    throw new Error(
      `its target's name ${printable(String(JSON.stringify(name)), 80)} has not the form of acme-chat: small letters, digits, and a hyphen`,
    )
  const wrong = members.find(([member, fits]) => !fits(given[member]))
  if (wrong) throw new Error(`"${wrong[0]}" of its target ${name} is not ${wrong[2]}`)
  if (platform !== undefined && !(isText(platform) && (pluginTarget.test(platform) || platforms.has(platform))))
    throw new Error(`"platform" of its target ${name} is neither a name like acme-chat nor that of a built-in platform`)
  const keys = (withheld ?? []) as readonly string[]
  return {
    name,
    title: name,
    ...(isText(platform) ? { platform } : {}),
    ...(settings === undefined ? {} : { settings: (settings as Loose[]).map(settingOf) }),
    ...(needs === undefined ? {} : { needs: needs as string[][] }),
    repeatable: given.repeatable === true,
    ...(addresses === undefined ? {} : { addresses: addresses as string[] }),
    withheld: keys,
    check: (values, report) => {
      if (extra) checkExtra(extra, values, keys, report)
      if (typeof given.check === 'function')
        checkByHand(() => (given as unknown as TargetPart).check?.(values, reportOf(report)), name, report)
    },
    send: (outgoing, kit) => (given as unknown as TargetPart).send(outgoing, kit),
  }
}

const settingOf = ({ key, env = [], secret, default: fallback }: Loose): Setting => ({
  key: key as string,
  env: env as string[],
  ...(secret === true ? { secret } : {}),
  ...(fallback === undefined ? {} : { default: fallback as string }),
})

/** One code and texts, whatever a plugin hands over. */
const reportOf =
  (report: Report): Report =>
  (_code, path, message, help) =>
    report('WH707', Array.isArray(path) ? path.map(String) : [], String(message), help === undefined ? undefined : String(help))

const checkByHand = (check: () => unknown, name: string, report: Report): void => {
  try {
    const result = check()
    if (result instanceof Promise) result.catch(() => {})
  } catch (error) {
    report('WH707', [], `the check of ${name} failed: ${printable(messageOf(error), 200)}`)
  }
}
