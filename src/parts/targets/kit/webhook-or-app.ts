/** Chooses between a target's two ways to send: an app, which reaches many chats, and a webhook, which reaches one. */

import type { ChatSpec, Posting } from './chat.ts'

/** The name for the webhook's chat, which has no id. */
const ownChat = 'the chat of the webhook'

/** The address rules of a target that sends by `webhook_url`, or by any app whose credentials are all set. */
export const webhookOr = (...apps: readonly (readonly string[])[]): Pick<ChatSpec, 'noChat' | 'namesChats'> => ({
  noChat: (setting) => (setting('webhook_url') === undefined ? undefined : ownChat),
  namesChats: (setting) => apps.some((keys) => keys.every((key) => setting(key) !== undefined)),
})

/** Whether a message goes by the app with these credentials. A message to the webhook's own chat goes by the webhook. */
export const goesByApp = ({ chat, setting }: Pick<Posting, 'chat' | 'setting'>, credentials: readonly string[]): boolean =>
  chat !== ownChat && credentials.every((key) => setting(key) !== undefined)
