/**
 * The target `weixin`: sends on personal WeChat as an iLink bot, with a token from a QR login. Without `context_token` in `deliver_extra`,
 * a message may not arrive.
 */

import { randomBytes } from 'node:crypto'
import { pause } from '../../../core/clock.ts'
import { own } from '../../../core/json.ts'
import { type ApiAnswer, allAnswerTexts, answerText, failureFromAnswer } from '../delivery/api.ts'
import { apiBaseOf, defineChat, type Posting } from '../kit/chat.ts'
import { botToken, chatKeys, homeChannel, textKey } from '../kit/keys.ts'
import type { Sent } from '../target.ts'

/** The version of the protocol. The API expects it in the body, and as a number in a header. */
const version = [2, 4, 8] as const
const versionNumber = (version[0] << 16) | (version[1] << 8) | version[2]

const pauseMs = 300
const limitedMs = 5_000

export const weixin = defineChat({
  name: 'weixin',
  title: 'Weixin',
  settings: {
    token: botToken('WEIXIN_TOKEN'),
    base_url: { ...textKey('Address of the API.', 'WEIXIN_BASE_URL'), default: 'https://ilinkai.weixin.qq.com' },
    home_channel: homeChannel('WEIXIN_HOME_CHANNEL'),
  },
  extra: {
    ...chatKeys('User id of WeChat.'),
    context_token: {
      title: 'Context token',
      description: 'Token of the conversation that the text belongs to.',
      examples: ['{context_token}'],
      'x-secret': true,
      'x-exact': true,
    },
  },
  needs: [['token']],
  limit: { max: 2000, unit: 'utf16' },
  idempotent: false,
  checkChat: (chat) => (/^[\w.@-]{1,128}$/.test(chat) ? undefined : 'chat_id is no user id of WeChat'),
  async post(posting) {
    const { part, clock, extra } = posting
    if (part > 1) await pause(pauseMs, clock)
    return post(posting, extra('context_token'))
  },
})

/** Posts one message, within the conversation that `contextToken` belongs to. */
const post = async (posting: Posting, contextToken: string | undefined): Promise<Sent> => {
  const answer = await posting.call({
    url: `${apiBaseOf(posting, posting.setting('base_url') ?? '')}/ilink/bot/sendmessage`,
    headers: {
      authorizationtype: 'ilink_bot_token',
      authorization: `Bearer ${posting.setting('token')}`,
      'x-wechat-uin': Buffer.from(String(randomBytes(4).readUInt32BE())).toString('base64'),
      'ilink-app-id': 'bot',
      'ilink-app-clientversion': String(versionNumber),
    },
    json: {
      msg: {
        from_user_id: '',
        to_user_id: posting.chat,
        client_id: `headgate-${posting.key.toString('hex').slice(0, 32)}`,
        message_type: 2,
        message_state: 2,
        ...(contextToken === undefined ? {} : { context_token: contextToken }),
        item_list: [{ type: 1, text_item: { text: posting.text } }],
      },
      base_info: { channel_version: version.join('.'), bot_agent: 'headgate' },
    },
  })
  const code = answerCode(answer)
  if (code === 0) return { ok: true }
  // When the conversation of the token has ended, the message may still arrive without the token.
  if (code === -14 && contextToken !== undefined) return post(posting, undefined)
  const ended = code === -14 || (code === -2 && answerText(answer.body, 'errmsg') === 'unknown error')
  const limited = code === -2 && !ended
  return failureFromAnswer(answer, {
    why: ended ? `the login has ended: get a new token by QR login (${code})` : allAnswerTexts(answer.body, 'ret', 'errcode', 'errmsg'),
    idempotent: false,
    limited,
    retryAfterMs: limited ? limitedMs : undefined,
  })
}

/**
 * Returns the code of an answer with status 200. A missing code means success, 0, and a code that is no number becomes `NaN`. `undefined`:
 * there is no answer with status 200, or it cannot be read.
 */
const answerCode = (answer: ApiAnswer): number | undefined => {
  if (answer.status !== 200) return undefined
  // A body that broke off also reads as an empty map, and its lost end may have had an error.
  if (Object.keys(answer.body).length === 0 && !/^\s*\{\s*\}\s*$/.test(answer.text)) return undefined
  const codes = ['ret', 'errcode'].map((key) => own(answer.body, key) ?? 0)
  const bad = codes.find((code) => code !== 0)
  return bad === undefined ? 0 : typeof bad === 'number' ? bad : Number.NaN
}
