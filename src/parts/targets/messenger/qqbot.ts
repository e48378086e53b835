/**
 * The target `qqbot`: sends text to a QQ user, group or channel as an official bot. QQ refuses most messages that do not reply to another
 * message (`msg_id`).
 */

import { own } from '../../../core/json.ts'
import { type ApiAnswer, allAnswerTexts, failureFromAnswer } from '../delivery/api.ts'
import { isOn } from '../delivery/settings.ts'
import { apiBaseOf, defineChat, type Posting } from '../kit/chat.ts'
import { chatKeys, homeChannel, onOff, secret, textKey, threadKey } from '../kit/keys.ts'
import { type CallWithToken, type TokenOrFailure, withToken } from '../kit/token-cache.ts'
import type { Unsent } from '../target.ts'

/** The path of the API to which messages for each kind of chat are posted. */
const paths: { readonly [kind: string]: (id: string) => string } = {
  user: (id) => `v2/users/${id}/messages`,
  group: (id) => `v2/groups/${id}/messages`,
  channel: (id) => `channels/${id}/messages`,
}
const chatForm = /^(?:(user|group|channel):)?([A-Za-z0-9_-]{1,128})$/

/** QQ's codes for a token that is not valid, or no longer valid. */
const staleToken = [11241, 11243]
/** QQ's code for too many messages. */
const tooMany = [22009]
/** QQ's codes for a message that is refused because it is no reply. */
const noPush = [40034102, 40034105]
const tokenBase = 'https://bots.qq.com'

export const qqbot = defineChat({
  name: 'qqbot',
  title: 'QQ bot',
  settings: {
    app_id: textKey('Id of the app.', 'QQ_APP_ID'),
    client_secret: secret('Secret of the app.', 'QQ_CLIENT_SECRET'),
    sandbox: onOff("true: the platform's sandbox.", 'QQ_SANDBOX'),
    home_channel: homeChannel('QQBOT_HOME_CHANNEL', 'QQ_HOME_CHANNEL'),
  },
  extra: {
    ...chatKeys('user:<id>, group:<id> or channel:<id>.', 'group:0123456789ABCDEF'),
    thread_id: threadKey('The same as msg_id, which wins.', '{id}'),
    msg_id: { title: 'Message', description: 'Id of the message to answer.', examples: ['{id}'], 'x-exact': true },
    event_id: { title: 'Event', description: 'Id of the event to answer.', examples: ['{event_id}'], 'x-exact': true },
  },
  needs: [['app_id', 'client_secret']],
  limit: { max: 4000, unit: 'utf16' },
  idempotent: false,
  // QQ reads tags in plain text too, so they are broken by an invisible character. Groups would show an escape such as `&lt;` as it is.
  escape: (text) => text.replace(/<(?=[@#]|emoji:|faceType|qqbot-|\/?at\b)/gi, '<\u200b').replace(/@(?=everyone)/gi, '@\u200b'),
  checkChat: (chat) => (chatForm.test(chat) ? undefined : 'chat_id is not user:…, group:… or channel:… with an id'),
  post: (posting) => {
    const { clock, setting, keep } = posting
    const identity = [apiBaseOf(posting, tokenBase), setting('app_id'), setting('client_secret')]
    return withToken({ identity, clock, keep, fetchToken: () => fetchToken(posting) }, (token) => post(posting, token))
  },
})

const fetchToken = async (posting: Posting): Promise<TokenOrFailure> => {
  const { call, setting } = posting
  const answer = await call({
    url: `${apiBaseOf(posting, tokenBase)}/app/getAppAccessToken`,
    json: { appId: setting('app_id') ?? '', clientSecret: setting('client_secret') ?? '' },
  })
  const token = answer.status === 200 ? own(answer.body, 'access_token') : undefined
  const seconds = Number(own(answer.body, 'expires_in'))
  if (typeof token === 'string' && token !== '' && seconds > 0) return { token, lifeMs: seconds * 1000 }
  const refused = qqFailure(answer, true)
  return { ...refused, why: `no access token: ${refused.why}` }
}

const post = async (posting: Posting, token: string): Promise<CallWithToken> => {
  const { chat, text, thread, extra, setting, key, call } = posting
  const [, kind = /^\d+$/.test(chat) ? 'channel' : 'user', id = ''] = chatForm.exec(chat) ?? []
  const official = isOn(setting('sandbox')) ? 'https://sandbox.api.sgroup.qq.com' : 'https://api.sgroup.qq.com'
  const answered = { msg_id: extra('msg_id') ?? thread, event_id: extra('event_id') }
  const replyTo = Object.fromEntries(Object.entries(answered).filter((entry): entry is [string, string] => entry[1] !== undefined))
  // Each reply to the same message needs a number of its own.
  const numbered = replyTo.msg_id === undefined ? {} : { msg_seq: key.readUInt16BE() }
  const answer = await call({
    url: `${apiBaseOf(posting, official)}/${paths[kind]?.(id)}`,
    headers: { authorization: `QQBot ${token}` },
    json: { content: text, ...replyTo, ...(kind === 'channel' ? {} : { msg_type: 0, ...numbered }) },
  })
  if (answer.status === 200 && typeof own(answer.body, 'id') === 'string') return { ok: true }
  const sent = qqFailure(answer)
  return answer.status === 401 || hasCode(answer, staleToken) ? { stale: sent } : sent
}

const hasCode = (answer: ApiAnswer, codes: readonly number[]): boolean =>
  ['code', 'err_code'].some((key) => codes.includes(Number(own(answer.body, key))))

/** Makes the failure of a call. `idempotent`: the same call again posts nothing twice. */
const qqFailure = (answer: ApiAnswer, idempotent = false): Unsent => {
  const parts = [allAnswerTexts(answer.body, 'code', 'message') ?? '']
  if (answer.status === 201 || answer.status === 202) parts.push('the message waits until QQ has reviewed it')
  if (hasCode(answer, noPush)) parts.push('QQ takes messages of bots that answer one (deliver_extra.msg_id), and few others')
  return failureFromAnswer(answer, { why: parts.filter(Boolean).join('; ') || undefined, idempotent, limited: hasCode(answer, tooMany) })
}
