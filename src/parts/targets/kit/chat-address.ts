/** Where a message of a chat target goes: `chat_id` and thread of `deliver_extra`, else the home channel, or no address and why. */

import { type Json, type JsonObject, own } from '../../../core/json.ts'
import { printable } from '../../../core/text.ts'
import { isTemplate } from '../../../expr/placeholder.ts'
import { textSetting } from './settings.ts'

export type AddressSpec = {
  readonly name: string
  readonly platform?: string
  /** What stands for the chat when there is neither chat_id nor home channel; absent: that is a failure. */
  readonly noChat?: (setting: (key: string) => string | undefined) => string | undefined
  /** Whether these settings reach a chat by its id; absent: they do. Where they do not, naming one is a failure: it would go elsewhere. */
  readonly namesChats?: (setting: (key: string) => string | undefined) => boolean
  /** Further keys of `deliver_extra` that are ids or names of the platform: one that is not whole is a failure. */
  readonly ids?: readonly string[]
  /** What is wrong with a chat id; `undefined` when it can be one. */
  readonly checkChat?: (chat: string) => string | undefined
  /** What is wrong with a thread id; `undefined` when it can be one. */
  readonly checkThread?: (thread: string) => string | undefined
}

const unresolved = /\{[^{}"]*\}/
const threadKeys = ['message_thread_id', 'thread_id'] as const
/** What every target that sends to chats reads of `deliver_extra`. */
export const addressKeys = ['chat_id', ...threadKeys] as const

/** Says what is wrong with an address as a route has it, templates not yet filled in. */
export const checkAddress = (spec: AddressSpec, extra: JsonObject, report: (key: string, problem: string) => void): void => {
  const chat = own(extra, 'chat_id')
  if (chat !== undefined && textOf(chat) === undefined) report('chat_id', 'chat_id is not a text')
  for (const key of ['chat_id', ...threadKeys]) {
    const text = textOf(own(extra, key))
    const wrong = text === undefined || isTemplate(text) ? undefined : checkOf(spec, key)?.(text)
    const problem = unwritten(extra, key) ?? wrong
    if (problem !== undefined) report(key, problem)
  }
}

const checkOf = (spec: AddressSpec, key: string) => (key === 'chat_id' ? spec.checkChat : spec.checkThread)

/** YAML may have read an id as a number and lost its last digits or leading zeros: it would then be the address of something else. */
const unwritten = (from: JsonObject, key: string): string | undefined => {
  const value = own(from, key)
  return typeof value === 'number' && !Number.isSafeInteger(value)
    ? `${key} is no whole number, or too long a one: put it in quotes`
    : undefined
}

/** A text, or a number as one; an empty one is none. */
export const textOf = (value: Json | undefined): string | undefined => {
  const text = typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : ''
  return text === '' ? undefined : text
}

export type Address = { readonly chat: string; readonly thread: string | undefined; readonly shown: string }

type Problem = { readonly problem: string }

/** The chat; `named`: by an id that can be checked. */
const chatOf = (
  spec: AddressSpec,
  extra: JsonObject,
  settings: JsonObject,
): { readonly chat: string; readonly named: boolean } | Problem => {
  const setting = (key: string): string | undefined => textSetting(settings, key)
  const platform = `platforms.${spec.platform ?? spec.name}`
  const given = own(extra, 'chat_id')
  if (given !== undefined && textOf(given) === undefined) return { problem: 'chat_id is empty' }
  const namesChats = spec.namesChats?.(setting) ?? true
  if (given !== undefined && !namesChats)
    return { problem: `no chat_id can be followed: ${platform} has a webhook alone, with a chat of its own` }
  const lost = given === undefined && namesChats ? unwritten(settings, 'home_channel') : undefined
  if (lost !== undefined) return { problem: `${platform}.${lost}` }
  const named = textOf(given) ?? (namesChats ? setting('home_channel') : undefined)
  const chat = named ?? spec.noChat?.(setting)
  return chat === undefined ? { problem: `no chat_id, and ${platform} has no home_channel` } : { chat, named: named !== undefined }
}

/** Why a text has no chat to go to; what is wrong with a chat id that is none, `checkAddress` says. */
export const unaddressed = (spec: AddressSpec, extra: JsonObject, settings: JsonObject): string | undefined => {
  const given = own(extra, 'chat_id')
  if (given !== undefined && textOf(given) === undefined) return undefined
  const to = chatOf(spec, extra, settings)
  return 'problem' in to ? to.problem : undefined
}

/** Where to, templates filled in. */
export const addressOf = (spec: AddressSpec, extra: JsonObject, settings: JsonObject): Address | Problem => {
  const [changed] = ['chat_id', ...threadKeys, ...(spec.ids ?? [])].flatMap((key) => unwritten(extra, key) ?? [])
  if (changed !== undefined) return { problem: changed }
  const to = chatOf(spec, extra, settings)
  if ('problem' in to) return to
  const { chat, named } = to
  const [thread] = threadKeys.flatMap((key) => textOf(own(extra, key)) ?? [])
  const ids = (spec.ids ?? []).filter((key) => own(extra, key) !== undefined)
  const empty = ids.find((key) => textOf(own(extra, key)) === undefined)
  if (empty !== undefined) return { problem: `${empty} is no text, or an empty one` }
  const all = [chat, thread ?? '', ...ids.map((key) => textOf(own(extra, key)) ?? '')]
  const open = all.find((text) => unresolved.test(text))
  if (open !== undefined) return { problem: `a placeholder that the payload does not fill is no address: ${printable(open, 100)}` }
  if (/[\p{Cc}\p{Cs}]/u.test(all.join(' '))) return { problem: 'the address has control characters, or half ones' }
  const problem = (named ? spec.checkChat?.(chat) : undefined) ?? (thread === undefined ? undefined : spec.checkThread?.(thread))
  return problem === undefined ? { chat, thread, shown: printable(chat, 100) } : { problem }
}
