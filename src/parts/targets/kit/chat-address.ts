/** Finds the address of a chat message (`chat_id` and thread of `deliver_extra`, else the home channel), or says why there is none. */

import { type Json, type JsonObject, own } from '../../../core/json.ts'
import { printable } from '../../../core/text.ts'
import { isTemplate } from '../../../expr/placeholder.ts'
import { addressKeys, exactKeys, textSetting, threadKeys } from '../../delivery/settings.ts'
import type { KeySchemas } from '../target.ts'

export type AddressSpec = {
  readonly name: string
  readonly platform?: string
  /** The chat to use when there is neither chat_id nor home channel. When absent, the delivery fails. */
  readonly noChat?: (setting: (key: string) => string | undefined) => string | undefined
  /** Whether these settings can reach a chat by its id; default: yes. If not, a chat_id fails, because the text would go elsewhere. */
  readonly namesChats?: (setting: (key: string) => string | undefined) => boolean
  /** The keys of `deliver_extra` that the target reads. The delivery fails when an exact one (`x-exact`) is incomplete. */
  readonly extra: KeySchemas
  /** What is wrong with a chat id; `undefined` when its form is right. */
  readonly checkChat?: (chat: string) => string | undefined
  /** What is wrong with a thread id; `undefined` when its form is right. */
  readonly checkThread?: (thread: string) => string | undefined
}

const unresolved = /\{[^{}"]*\}/

/** Reports what is wrong with the address in a route, before templates are filled in. */
export const checkAddress = (spec: AddressSpec, extra: JsonObject, report: (key: string, problem: string) => void): void => {
  const chat = own(extra, 'chat_id')
  if (chat !== undefined && addressText(chat) === undefined) report('chat_id', 'chat_id is not a text')
  for (const key of addressKeys) {
    const text = addressText(own(extra, key))
    const wrong = text === undefined || isTemplate(text) ? undefined : checkOf(spec, key)?.(text)
    const problem = unwritten(extra, key) ?? wrong
    if (problem !== undefined) report(key, problem)
  }
}

const checkOf = (spec: AddressSpec, key: string) => (key === 'chat_id' ? spec.checkChat : spec.checkThread)

/** YAML reads an id without quotes as a number and may lose digits. The changed id could be the address of something else. */
const unwritten = (from: JsonObject, key: string): string | undefined => {
  const value = own(from, key)
  return typeof value === 'number' && !Number.isSafeInteger(value)
    ? `${key} is no whole number, or too long a one: put it in quotes`
    : undefined
}

/** A text, or a number as text; `undefined` when the text is empty. */
export const addressText = (value: Json | undefined): string | undefined => {
  const text = typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : ''
  return text === '' ? undefined : text
}

export type Address = { readonly chat: string; readonly thread: string | undefined; readonly shown: string }

type AddressProblem = { readonly problem: string }

/** The chat. `named` is true when the chat is given by an id, which can be checked. */
const chatOf = (
  spec: AddressSpec,
  extra: JsonObject,
  settings: JsonObject,
): { readonly chat: string; readonly named: boolean } | AddressProblem => {
  const setting = (key: string): string | undefined => textSetting(settings, key)
  const platform = `platforms.${spec.platform ?? spec.name}`
  const given = own(extra, 'chat_id')
  if (given !== undefined && addressText(given) === undefined) return { problem: 'chat_id is empty' }
  const namesChats = spec.namesChats?.(setting) ?? true
  if (given !== undefined && !namesChats)
    return { problem: `chat_id cannot be used: ${platform} has only a webhook, which has a chat of its own` }
  const lost = given === undefined && namesChats ? unwritten(settings, 'home_channel') : undefined
  if (lost !== undefined) return { problem: `${platform}.${lost}` }
  const named = addressText(given) ?? (namesChats ? setting('home_channel') : undefined)
  const chat = named ?? spec.noChat?.(setting)
  return chat === undefined ? { problem: `no chat_id, and ${platform} has no home_channel` } : { chat, named: named !== undefined }
}

/** Why a text has no chat to go to. A chat_id of the wrong kind is not reported here, because `checkAddress` reports it. */
export const unaddressed = (spec: AddressSpec, extra: JsonObject, settings: JsonObject): string | undefined => {
  const given = own(extra, 'chat_id')
  if (given !== undefined && addressText(given) === undefined) return undefined
  const to = chatOf(spec, extra, settings)
  return 'problem' in to ? to.problem : undefined
}

/** The address of one text, after templates are filled in. */
export const addressOf = (spec: AddressSpec, extra: JsonObject, settings: JsonObject): Address | AddressProblem => {
  const exact = exactKeys(spec.extra)
  const [changed] = [...addressKeys, ...exact].flatMap((key) => unwritten(extra, key) ?? [])
  if (changed !== undefined) return { problem: changed }
  const to = chatOf(spec, extra, settings)
  if ('problem' in to) return to
  const { chat, named } = to
  const [thread] = threadKeys.flatMap((key) => addressText(own(extra, key)) ?? [])
  const ids = exact.filter((key) => own(extra, key) !== undefined)
  const empty = ids.find((key) => addressText(own(extra, key)) === undefined)
  if (empty !== undefined) return { problem: `${empty} is no text, or an empty one` }
  const all = [chat, thread ?? '', ...ids.map((key) => addressText(own(extra, key)) ?? '')]
  const open = all.find((text) => unresolved.test(text))
  if (open !== undefined) return { problem: `a placeholder that the payload does not fill is no address: ${printable(open, 100)}` }
  if (/[\p{Cc}\p{Cs}]/u.test(all.join(' '))) return { problem: 'the address has control characters or half characters' }
  const problem = (named ? spec.checkChat?.(chat) : undefined) ?? (thread === undefined ? undefined : spec.checkThread?.(thread))
  return problem === undefined ? { chat, thread, shown: printable(chat, 100) } : { problem }
}
