/** The target `line`: sends text as push messages of a LINE official account, each with a key by which LINE recognises a repeat. */

import { own } from '../../../core/json.ts'
import { answerText, failureFromAnswer } from '../delivery/api.ts'
import { apiBaseOf, defineChat, uuidOf } from '../kit/chat.ts'
import { chatKeys, homeChannel, secret } from '../kit/keys.ts'
import { permanentFailure } from '../target.ts'

export const line = defineChat({
  name: 'line',
  title: 'LINE',
  settings: {
    channel_access_token: secret('Channel access token.', 'LINE_CHANNEL_ACCESS_TOKEN'),
    home_channel: homeChannel('LINE_HOME_CHANNEL'),
  },
  extra: chatKeys('Id of a user (U…), group (C…) or room (R…).', 'U0123456789abcdef0123456789abcdef'),
  needs: [['channel_access_token']],
  limit: { max: 5000, unit: 'utf16' },
  idempotent: true,
  checkChat: (chat) => (/^[UCR][0-9a-f]{32}$/.test(chat) ? undefined : 'chat_id is no user, group or room of LINE (U…, C… or R…)'),
  post: async (posting) => {
    const { chat, text, setting, call, key } = posting
    const answer = await call({
      url: `${apiBaseOf(posting, 'https://api.line.me')}/v2/bot/message/push`,
      headers: { authorization: `Bearer ${setting('channel_access_token')}`, 'x-line-retry-key': uuidOf(key) },
      json: { to: chat, messages: [{ type: 'text', text }] },
    })
    if (answer.status === 200 && Array.isArray(own(answer.body, 'sentMessages'))) return { ok: true }
    // LINE accepted a message with this key before, so an earlier attempt arrived.
    if (answer.status === 409 && answer.header('x-line-accepted-request-id') !== undefined) return { ok: true }
    const why = answerText(answer.body, 'message')
    // The monthly limit lasts until the month ends, so another attempt would fail too.
    if (answer.status === 429 && /monthly limit/i.test(why ?? '')) return permanentFailure(`HTTP 429: ${why}`)
    return failureFromAnswer(answer, { why, idempotent: true })
  },
})
