/** The keys that several targets have: what their `schema` says of a setting, or of a key of `deliver_extra`. */

import type { KeySchema, KeySchemas } from '../target.ts'

/** A setting that is a text. `env`: the setting's environment variables, of which the first that is set wins. */
export const textKey = (description: string, ...env: readonly string[]): KeySchema => ({ type: 'string', 'x-env': env, description })

/** A text that may be written as a reference, such as `${NAME}`, `file:/path` or `credential:NAME`. */
export const referable = (description: string, ...env: readonly string[]): KeySchema => ({
  ...textKey(description, ...env),
  'x-secret': 'public',
})

/** An address that may be written as a reference. A credential within it is a secret. */
export const address = (description: string, ...env: readonly string[]): KeySchema => ({
  ...referable(description, ...env),
  'x-address': true,
})

/** A text that may be written as a reference, and that nothing may show. */
export const secret = (description: string, ...env: readonly string[]): KeySchema => ({ ...textKey(description, ...env), 'x-secret': true })

/** A switch. Texts and numbers are allowed too, because the value of an environment variable is always a text. */
export const onOff = (description: string, ...env: readonly string[]): KeySchema => ({
  ...textKey(description, ...env),
  type: ['string', 'number', 'boolean'],
})

export const botToken = (...env: readonly string[]): KeySchema => secret('Token of the bot or app.', ...env)
export const password = (...env: readonly string[]): KeySchema => secret('Password.', ...env)
export const webhookUrl = (...env: readonly string[]): KeySchema => secret('Incoming webhook address; it is a secret.', ...env)
export const serverUrl = (...env: readonly string[]): KeySchema => address('Address of the server.', ...env)
export const homeChannel = (...env: readonly string[]): KeySchema => ({
  ...referable('Where messages go that name no chat.', ...env),
  type: ['string', 'number'],
})

/** This setting has no `x-env`, because no environment variable may lead a credential away from the official address of a platform. */
export const apiBase: KeySchema = {
  title: 'API base',
  type: 'string',
  'x-secret': 'public',
  'x-address': true,
  description: 'Another address of the API: a proxy, or a server of yours.',
}

/** The setting that says whether images in comments are shown. */
export const images: KeySchema = {
  type: 'boolean',
  default: false,
  description: 'true: images in comments are shown.',
  markdownDescription:
    "`true`: images in comments are shown. By default they are broken: whoever looks at one loads its address, which may be a stranger's and carry off what the agent knows.",
}

/**
 * A key of `deliver_extra` that is allowed, but that editors do not offer: another key is the usual one for its purpose, or the target has
 * no use for it, as for a thread where it has none.
 */
export const hidden: KeySchema = { doNotSuggest: true }

/**
 * The address keys of a chat target. `description`: the sentence that says what `chat_id` is. A target that has threads replaces the key of
 * the thread.
 */
export const chatKeys = (description: string, ...examples: readonly string[]): KeySchemas => ({
  chat_id: { description: `${description} Absent: the home channel.`, examples },
  message_thread_id: hidden,
  thread_id: hidden,
})

/**
 * The schema of the key that names a thread, for a chat target that has threads. `description`: the sentence that says what the value of
 * the key is.
 */
export const threadKey = (description: string, example: string): KeySchema => ({ description, examples: [example] })

const refusedKey: KeySchema = { 'x-refused': true }

/** The address keys of a target with a single chat: no key can choose another chat, so editors mark each of these keys as wrong. */
export const noChatKeys: KeySchemas = { chat_id: refusedKey, message_thread_id: refusedKey, thread_id: refusedKey }
