/** Targets that have two ways: an app that reaches many chats, and a webhook that knows one. */

import type { Posting } from './chat.ts'

type Read = Posting['setting']

/** Stands for the chat where none is named. */
const ownChat = 'the chat of the webhook'

/** `noChat` of a target that has `webhook_url`: no chat need be named, for the webhook knows its own. */
export const chatOfWebhook = (setting: Read): string | undefined => (setting('webhook_url') === undefined ? undefined : ownChat)

/** Whether a message goes by the app with these credentials: it can reach the chat that is named. A webhook stays with its own chat. */
export const goesByApp = ({ chat, setting }: Pick<Posting, 'chat' | 'setting'>, credentials: readonly string[]): boolean =>
  chat !== ownChat && credentials.every((key) => setting(key) !== undefined)
