/** The target `telegram`: sends as a Telegram bot, in plain text that mentions nobody and has no formatting that could fail to parse. */

import { isObject, own } from '../../../core/json.ts'
import { answerText, failureFromAnswer } from '../delivery/api.ts'
import { apiBaseOf, defineChat, type Posting } from '../kit/chat.ts'
import { botToken, chatKeys, homeChannel, threadKey } from '../kit/keys.ts'
import type { Sent } from '../target.ts'

// Telegram finds mentions in plain text too: at an @ without a letter, digit or _ before it (TDLib, MessageEntity).
const withoutMentions = (text: string): string => text.replace(/(?<![\p{L}\p{N}_])@(?=\w)/gu, '$&\u200b')

export const telegram = defineChat({
  name: 'telegram',
  title: 'Telegram',
  settings: {
    token: botToken('TELEGRAM_BOT_TOKEN'),
    home_channel: homeChannel('TELEGRAM_HOME_CHANNEL'),
  },
  extra: {
    ...chatKeys('Number of the chat (a group has a minus sign), or @channel.', '-1001234567890', '@my_channel'),
    message_thread_id: threadKey('Number of the topic in a group with topics.', '7'),
  },
  needs: [['token']],
  forms: {
    token: { is: 'a token without "bot" before it', example: '123456:ABC-DEF', fits: (token) => /^(?!bot\d)[^\s/?#]+$/i.test(token) },
  },
  limit: { max: 4096, unit: 'utf16' },
  idempotent: false,
  escape: withoutMentions,
  checkChat: (chat) => (/^(?:-?\d{1,20}|@[A-Za-z]\w{3,63})$/.test(chat) ? undefined : 'chat_id is neither a number nor @channel'),
  checkThread: (thread) => (/^[1-9]\d{0,9}$/.test(thread) ? undefined : 'the thread is not the number of a topic'),
  post: (posting) => post(posting, posting.chat),
})

/** Posts one message. `moved`: `chat` is the number that Telegram gave for a group which has become a supergroup. */
const post = async (posting: Posting, chat: string, moved = false): Promise<Sent> => {
  const { text, thread, call, setting } = posting
  const answer = await call({
    url: `${apiBaseOf(posting, 'https://api.telegram.org')}/bot${setting('token')}/sendMessage`,
    json: {
      chat_id: chat,
      text,
      // Telegram refuses the number of the general topic, 1, so it is left out.
      ...(thread === undefined || thread === '1' ? {} : { message_thread_id: Number(thread) }),
      link_preview_options: { is_disabled: true },
    },
  })
  if (answer.status === 200 && own(answer.body, 'ok') === true) return { ok: true }
  const parameters = own(answer.body, 'parameters')
  const hints = isObject(parameters) ? parameters : {}
  const next = own(hints, 'migrate_to_chat_id')
  if (typeof next === 'number' && !moved) return post(posting, String(next), true)
  const seconds = own(hints, 'retry_after')
  return failureFromAnswer(answer, {
    why: answerText(answer.body, 'description'),
    idempotent: false,
    retryAfterMs: typeof seconds === 'number' ? seconds * 1000 : undefined,
  })
}
