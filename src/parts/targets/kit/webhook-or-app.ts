/** Targets that have two ways: an app that reaches many chats, and a webhook that knows one. */

import type { ChatSpec, Posting } from './chat.ts'

/** Stands for the chat where none is named. */
const ownChat = 'the chat of the webhook'

/** What says where messages go of a target that has `webhook_url`, or these credentials of an app (or of another one). */
export const webhookOr = (...apps: readonly (readonly string[])[]): Pick<ChatSpec, 'noChat' | 'namesChats'> => ({
  noChat: (setting) => (setting('webhook_url') === undefined ? undefined : ownChat),
  namesChats: (setting) => apps.some((keys) => keys.every((key) => setting(key) !== undefined)),
})

/** Whether a message goes by the app with these credentials: a webhook stays with its own chat. */
export const goesByApp = ({ chat, setting }: Pick<Posting, 'chat' | 'setting'>, credentials: readonly string[]): boolean =>
  chat !== ownChat && credentials.every((key) => setting(key) !== undefined)
