/**
 * The target `discord`: sends text without mentions, by a bot to any channel or thread, or to the channel of a webhook. Discord
 * recognises a repeated message of a bot, but not of a webhook.
 */

import { type Json, type JsonObject, own } from '../../../core/json.ts'
import { type ApiAnswer, answerText, failureFromAnswer } from '../delivery/api.ts'
import { apiBaseOf, defineChat, type Posting } from '../kit/chat.ts'
import { botToken, chatKeys, homeChannel, threadKey, webhookUrl } from '../kit/keys.ts'
import { goesByApp, webhookOr } from '../kit/webhook-or-app.ts'
import type { Sent } from '../target.ts'

const bot = ['token']
const snowflake = /^\d{15,20}$/
const webhookPath = /^\/api(?:\/v\d+)?\/webhooks\/\d+\/[\w-]+\/?$/
/** The user agent has this form because Cloudflare, which guards Discord's API, expects it. */
const userAgent = { 'user-agent': 'DiscordBot (https://www.npmjs.com/package/headgate, 1)' }
/** The flag of a message whose links show no previews. */
const suppressEmbeds = 4

export const discord = defineChat({
  name: 'discord',
  title: 'Discord',
  settings: {
    token: botToken('DISCORD_BOT_TOKEN'),
    webhook_url: webhookUrl('DISCORD_WEBHOOK_URL'),
    home_channel: homeChannel('DISCORD_HOME_CHANNEL'),
  },
  extra: {
    ...chatKeys('Number of the channel.', '123456789012345678'),
    thread_id: threadKey('Number of the thread.', '123456789012345678'),
  },
  needs: [bot, ['webhook_url']],
  forms: {
    webhook_url: {
      is: 'the address of a webhook',
      example: 'https://discord.com/api/webhooks/123456789012345678/abc',
      fits: (address) => URL.canParse(address) && webhookPath.test(new URL(address).pathname),
    },
  },
  ...webhookOr(bot),
  limit: { max: 2000, unit: 'characters' },
  idempotent: (posting) => goesByApp(posting, bot),
  checkChat: (chat) => (snowflake.test(chat) ? undefined : 'chat_id is not the number of a channel'),
  checkThread: (thread) => (snowflake.test(thread) ? undefined : 'the thread is not the number of one'),
  post: (posting) => (goesByApp(posting, bot) ? postByBot(posting) : postToWebhook(posting)),
})

const messageOf = ({ text }: Posting): JsonObject => ({ content: text, allowed_mentions: { parse: [] }, flags: suppressEmbeds })

/** Posts by the bot. To Discord, a thread is a channel, so a message to a thread goes to the id of the thread instead of the channel. */
const postByBot = async (posting: Posting): Promise<Sent> => {
  const { chat, thread, setting, key, call } = posting
  const answer = await call({
    url: `${apiBaseOf(posting, 'https://discord.com')}/api/v10/channels/${thread ?? chat}/messages`,
    headers: { ...userAgent, authorization: `Bot ${setting('token')}` },
    // A nonce may have 25 characters at most.
    json: { ...messageOf(posting), nonce: key.toString('base64url').slice(0, 25), enforce_nonce: true },
  })
  return resultOfMessage(answer, true)
}

const postToWebhook = async (posting: Posting): Promise<Sent> => {
  const url = new URL(posting.setting('webhook_url') ?? '')
  // Without `wait`, Discord answers before it knows whether the message was saved.
  url.searchParams.set('wait', 'true')
  if (posting.thread !== undefined) url.searchParams.set('thread_id', posting.thread)
  return resultOfMessage(await posting.call({ url: url.href, headers: userAgent, json: messageOf(posting) }), false)
}

/** Makes the result of a message from Discord's answer. `idempotent`: Discord recognises a repeat of the message. */
const resultOfMessage = (answer: ApiAnswer, idempotent: boolean): Sent => {
  if (answer.status === 200 && typeof own(answer.body, 'id') === 'string') return { ok: true }
  const code = answerText(answer.body, 'code')
  const message = answerText(answer.body, 'message')
  const why = code === undefined || message === undefined ? message : `${message} (${code})`
  return failureFromAnswer(answer, { why, idempotent, retryAfterMs: secondsToMs(own(answer.body, 'retry_after')) })
}

const secondsToMs = (seconds: Json | undefined): number | undefined => (typeof seconds === 'number' ? seconds * 1000 : undefined)
