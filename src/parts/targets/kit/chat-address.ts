/**
 * Finds the chat address of a message, or says why there is none. The chat is the `chat_id` of `deliver_extra`, else the `home_channel` of
 * the settings, else the target's default chat. Settings that reach no chat by its id leave only the default chat. The thread is always
 * from `deliver_extra`.
 */

import { type Json, type JsonObject, own } from '../../../core/json.ts'
import { printable } from '../../../core/text.ts'
import { isTemplate } from '../../../expr/placeholder.ts'
import { addressKeys, exactKeys, textSetting, threadKeys } from '../delivery/settings.ts'
import type { KeySchemas } from '../target.ts'

/** What a chat target says of its addresses. `setting` returns a setting of the target as text. */
export type AddressSpec = {
  readonly name: string
  readonly platform?: string
  /** Returns the chat to use when there is neither chat_id nor home channel. When there is no such chat, the delivery fails. */
  readonly defaultChat?: (setting: (key: string) => string | undefined) => string | undefined
  /** Whether these settings can reach a chat by its id; default: yes. If not, a chat_id fails, because the text would go elsewhere. */
  readonly reachesChatsById?: (setting: (key: string) => string | undefined) => boolean
  /** The keys of `deliver_extra` that the target reads. An empty or unfilled value of a key that is marked `x-exact` fails the delivery. */
  readonly extra: KeySchemas
  /** Returns what is wrong with a chat id; `undefined` when its form is right. */
  readonly checkChat?: (chat: string) => string | undefined
  /** Returns what is wrong with a thread id; `undefined` when its form is right. */
  readonly checkThread?: (thread: string) => string | undefined
}

const unfilledPlaceholder = /\{[^{}"]*\}/

/** Reports what is wrong with the address in a `deliver_extra`, before templates are filled in. */
export const checkChatAddress = (spec: AddressSpec, extra: JsonObject, report: (key: string, problem: string) => void): void => {
  const chat = own(extra, 'chat_id')
  if (chat !== undefined && addressText(chat) === undefined) report('chat_id', 'chat_id is not a text')
  for (const key of addressKeys) {
    const text = addressText(own(extra, key))
    const wrong = text === undefined || isTemplate(text) ? undefined : checkerFor(spec, key)?.(text)
    const problem = inexactNumber(extra, key) ?? wrong
    if (problem !== undefined) report(key, problem)
  }
}

const checkerFor = (spec: AddressSpec, key: string) => (key === 'chat_id' ? spec.checkChat : spec.checkThread)

/** Returns the problem of a key whose value is not an exact number: YAML reads an id without quotes as a number, and may lose digits. */
const inexactNumber = (from: JsonObject, key: string): string | undefined => {
  const value = own(from, key)
  return typeof value === 'number' && !Number.isSafeInteger(value)
    ? `${key} is no whole number, or too long a one: put it in quotes`
    : undefined
}

/** Returns a text without the blanks around it, or a number as text; `undefined` for other values and for an empty text. */
export const addressText = (value: Json | undefined): string | undefined => {
  const text = typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : ''
  return text === '' ? undefined : text
}

/** Where a message goes. `shown`: the chat, shortened and without control characters. */
export type Address = { readonly chat: string; readonly thread: string | undefined; readonly shown: string }

type AddressProblem = { readonly problem: string }

/** Chooses the chat. `named`: whether `chat_id` or the home channel names it, so that its form can be checked. */
const chooseChat = (
  spec: AddressSpec,
  extra: JsonObject,
  settings: JsonObject,
): { readonly chat: string; readonly named: boolean } | AddressProblem => {
  const setting = (key: string): string | undefined => textSetting(settings, key)
  const platform = `platforms.${spec.platform ?? spec.name}`
  const given = own(extra, 'chat_id')
  if (given !== undefined && addressText(given) === undefined) return { problem: 'chat_id is empty' }
  const reachesChatsById = spec.reachesChatsById?.(setting) ?? true
  if (given !== undefined && !reachesChatsById)
    return { problem: `chat_id cannot be used: ${platform} has only a webhook, which has a chat of its own` }
  const inexact = given === undefined && reachesChatsById ? inexactNumber(settings, 'home_channel') : undefined
  if (inexact !== undefined) return { problem: `${platform}.${inexact}` }
  const named = addressText(given) ?? (reachesChatsById ? setting('home_channel') : undefined)
  const chat = named ?? spec.defaultChat?.(setting)
  return chat === undefined ? { problem: `no chat_id, and ${platform} has no home_channel` } : { chat, named: named !== undefined }
}

/**
 * Returns why a text has no chat to go to; `undefined` where it has one, and for a chat_id that is no text, which `checkChatAddress` reports.
 */
export const unaddressed = (spec: AddressSpec, extra: JsonObject, settings: JsonObject): string | undefined => {
  const given = own(extra, 'chat_id')
  if (given !== undefined && addressText(given) === undefined) return undefined
  const to = chooseChat(spec, extra, settings)
  return 'problem' in to ? to.problem : undefined
}

/** Returns the address of one text after templates are filled in, or what is wrong with it. */
export const chatAddressIn = (spec: AddressSpec, extra: JsonObject, settings: JsonObject): Address | AddressProblem => {
  const exact = exactKeys(spec.extra)
  const [inexact] = [...addressKeys, ...exact].flatMap((key) => inexactNumber(extra, key) ?? [])
  if (inexact !== undefined) return { problem: inexact }
  const to = chooseChat(spec, extra, settings)
  if ('problem' in to) return to
  const { chat, named } = to
  const [thread] = threadKeys.flatMap((key) => addressText(own(extra, key)) ?? [])
  const ids = exact.filter((key) => own(extra, key) !== undefined)
  const empty = ids.find((key) => addressText(own(extra, key)) === undefined)
  if (empty !== undefined) return { problem: `${empty} is no text, or an empty one` }
  const all = [chat, thread ?? '', ...ids.map((key) => addressText(own(extra, key)) ?? '')]
  const unfilled = all.find((text) => unfilledPlaceholder.test(text))
  if (unfilled !== undefined) return { problem: `a placeholder that the payload does not fill is no address: ${printable(unfilled, 100)}` }
  if (/[\p{Cc}\p{Cs}]/u.test(all.join(' '))) return { problem: 'the address has control characters or half characters' }
  const problem = (named ? spec.checkChat?.(chat) : undefined) ?? (thread === undefined ? undefined : spec.checkThread?.(thread))
  return problem === undefined ? { chat, thread, shown: printable(chat, 100) } : { problem }
}
