/**
 * Chooses between the two ways to send of some chat targets: as an app (or bot), which reaches many chats by their ids, or to the address
 * of a webhook, which belongs to one chat.
 */

import type { ChatSpec, Posting } from './chat.ts'

/** The text that stands for the webhook's chat, because that chat has no id. */
const ownChat = 'the chat of the webhook'

/** Returns the address rules of a target with `webhook_url` and apps. `apps`: for each app, the settings with its credentials. */
export const webhookOr = (...apps: readonly (readonly string[])[]): Pick<ChatSpec, 'defaultChat' | 'reachesChatsById'> => ({
  defaultChat: (setting) => (setting('webhook_url') === undefined ? undefined : ownChat),
  reachesChatsById: (setting) => apps.some((keys) => keys.every((key) => setting(key) !== undefined)),
})

/** Whether a message goes by the app: the settings with its credentials are there, and the chat is not that of the webhook. */
export const goesByApp = ({ chat, setting }: Pick<Posting, 'chat' | 'setting'>, credentials: readonly string[]): boolean =>
  chat !== ownChat && credentials.every((key) => setting(key) !== undefined)
