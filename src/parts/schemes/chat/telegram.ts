/** Telegram: a token in `X-Telegram-Bot-Api-Secret-Token`. Nothing is signed. */

import { preset } from '../preset.ts'

export const telegram = preset({
  name: 'telegram',

  title: 'Telegram',
  docs: 'https://core.telegram.org/bots/api#setwebhook',
  senderSetup: 'POST https://api.telegram.org/bot<token>/setWebhook with url (the address of the route) and secret_token',
  keyFrom: 'you',
  key: 'the secret_token: up to 256 letters, digits, _ and -',
  events: ['message', 'edited_message', 'callback_query', 'channel_post', 'inline_query', 'my_chat_member'],
  sample: 'telegram/message',
  route: 'events: [message]\nprompt: "{message.from.first_name} writes: {message.text}"\n',
  respond: { status: 200 },
  scheme: {
    algorithm: 'token',
    signature: { header: 'X-Telegram-Bot-Api-Secret-Token' },
    event: {
      // The body of a request has at most one of these fields, beside its `update_id`.
      present: [
        'message',
        'edited_message',
        'channel_post',
        'edited_channel_post',
        'business_connection',
        'business_message',
        'edited_business_message',
        'deleted_business_messages',
        'message_reaction',
        'message_reaction_count',
        'inline_query',
        'chosen_inline_result',
        'callback_query',
        'shipping_query',
        'pre_checkout_query',
        'purchased_paid_media',
        'poll',
        'poll_answer',
        'my_chat_member',
        'chat_member',
        'chat_join_request',
        'chat_boost',
        'removed_chat_boost',
      ],
    },
    id: { body: 'update_id' },
  },
})
