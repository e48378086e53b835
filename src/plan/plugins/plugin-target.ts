/**
 * Guards a plugin's target: its check cannot throw, and a member that it leaves out gets the careful default (not repeatable, for example).
 */

import type { Profile } from '../../config/config.ts'
import type { Diagnostic, Report } from '../../core/diagnostic.ts'
import type { JsonObject } from '../../core/json.ts'
import { pluginNamePattern } from '../../core/names.ts'
import { namesVariableSecret } from '../../core/secret-names.ts'
import { printable } from '../../core/text.ts'
import type { Setting, TargetPart } from '../../parts/targets/target.ts'
import { failure, type Hide, hidingToo, reportAs } from '../../plugin/report-as.ts'
import { isMap, isText } from '../../plugin/shape.ts'
import { secretsOfSettings } from '../../secrets/settings-secrets.ts'
import { checkExtra, checkSection, type Fragment } from './plugin-schema.ts'

export type PluginTarget = {
  readonly part: TargetPart
  /** Checks the profile's section for this target. */
  readonly checkSettings: (profile: Profile) => readonly Diagnostic[]
}

const maxReasonChars = 200

/** The compiled parts of the module's schema. */
type Fragments = { readonly settings: Fragment | undefined; readonly extra: Fragment | undefined }

/** Makes a guarded target. `platforms`: the names of built-in platforms. Throws an Error with a sentence. */
export const readTarget = (given: TargetPart, platforms: ReadonlySet<string>, { settings, extra }: Fragments, hide: Hide): PluginTarget => {
  const { name, platform } = given
  if (platform !== undefined && !(isText(platform) && (pluginNamePattern.test(platform) || platforms.has(platform))))
    throw new Error(`"platform" of its target ${name} is neither a name like acme-chat nor that of a built-in platform`)
  const part = guardedTarget(given, extra, hide)
  return { part, checkSettings: (profile) => (settings ? checkSection(part, settings, profile) : []) }
}

const guardedTarget = (given: TargetPart, extra: Fragment | undefined, hideKnown: Hide): TargetPart => {
  const { name, platform, program, internal, settings, needs, requires, addresses, lists, withheld = [] } = given
  const ofPart = new Set([...withheld, ...(settings ?? []).flatMap(({ key, secret }) => (secret === true ? key : []))])
  const isSecret = (key: string): boolean => ofPart.has(key) || namesVariableSecret(key)
  const hiding = (...handed: readonly JsonObject[]): Hide =>
    hidingToo(hideKnown, () => handed.flatMap((each) => secretsOfSettings(each, isSecret)))
  return {
    name,
    title: given.title ?? name,
    ...(platform === undefined ? {} : { platform }),
    ...(program === undefined ? {} : { program }),
    ...(internal === true ? { internal } : {}),
    ...(settings === undefined ? {} : { settings: settings.map(settingOf) }),
    ...(needs === undefined ? {} : { needs }),
    ...(requires === undefined ? {} : { requires }),
    ...(addresses === undefined ? {} : { addresses }),
    ...(lists === undefined ? {} : { lists }),
    ...(given.unaddressed
      ? { unaddressed: (extra, values) => sendFailure(() => given.unaddressed?.(extra, values), hiding(extra, values)) }
      : {}),
    ...(given.undeliverable
      ? { undeliverable: (extra, values) => sendFailure(() => given.undeliverable?.(extra, values), hiding(extra, values)) }
      : {}),
    ...(given.chat ? { chat: (extra, values) => chatOf(() => given.chat?.(extra, values)) } : {}),
    ...(given.returnsAsEvent === true ? { returnsAsEvent: true } : {}),
    withheld,
    repeatable: given.repeatable === true,
    check: (values, report) => {
      if (extra) checkExtra(extra, values, withheld, report)
      const hide = hiding(values)
      checkByHand(() => given.check?.(values, reportAs('WH707', report, hide)), name, report, hide)
    },
    send: (outgoing, kit) => given.send(outgoing, kit),
  }
}

const settingOf = ({ key, env = [], secret, default: fallback }: Partial<Setting> & Pick<Setting, 'key'>): Setting => ({
  key,
  env,
  ...(secret === true ? { secret } : {}),
  ...(fallback === undefined ? {} : { default: fallback }),
})

/** Returns the plugin's reason why a text cannot go to its target. An error of the plugin is such a reason. */
const sendFailure = (asked: () => unknown, hide: Hide): string | undefined => {
  try {
    const why = asked()
    return why === undefined ? undefined : printable(hide(String(why)), maxReasonChars)
  } catch (error) {
    return failure(error, hide)
  }
}

/** Returns the chat that the plugin names. What is no chat, or an error, counts as none. */
const chatOf = (chat: () => unknown): ReturnType<NonNullable<TargetPart['chat']>> => {
  try {
    const named = chat()
    if (!isMap(named) || !isText(named.chat)) return undefined
    return { chat: named.chat, ...(isText(named.thread) ? { thread: named.thread } : {}) }
  } catch {
    return undefined
  }
}

/** Runs the plugin's own check. An error of the check is reported as a mistake (WH707). */
const checkByHand = (check: () => unknown, name: string, report: Report, hide: Hide): void => {
  try {
    const result = check()
    if (result instanceof Promise) result.catch(() => {})
  } catch (error) {
    report('WH707', [], `the check of ${name} failed: ${failure(error, hide)}`, 'tell the author of the plugin')
  }
}
