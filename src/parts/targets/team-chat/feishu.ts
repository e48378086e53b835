/**
 * The target `feishu`: sends text on Feishu, or on Lark, its international edition: by an app to any chat or person, or to the group of a
 * custom bot's webhook. Feishu recognises a repeated message of an app, but not of a webhook.
 */

import { createHmac } from 'node:crypto'
import { isObject, type Json, type JsonObject, own } from '../../../core/json.ts'
import { type ApiAnswer, allAnswerTexts, failureFromAnswer } from '../delivery/api.ts'
import { apiBaseOf, defineChat, type Posting } from '../kit/chat.ts'
import { chatKeys, homeChannel, secret, textKey, threadKey, webhookUrl } from '../kit/keys.ts'
import { type CallWithToken, issuedToken, type TokenOrFailure, withToken } from '../kit/token-cache.ts'
import { goesByApp, webhookOr } from '../kit/webhook-or-app.ts'
import { permanentFailure, type Sent } from '../target.ts'

const app = ['app_id', 'app_secret']
/** The official addresses of the API, by the setting `domain`. */
const domains = new Map([
  ['feishu', 'https://open.feishu.cn'],
  ['lark', 'https://open.larksuite.com'],
])

export const feishu = defineChat({
  name: 'feishu',
  title: 'Feishu',
  settings: {
    app_id: textKey('Id of the app.', 'FEISHU_APP_ID'),
    app_secret: secret('Secret of the app.', 'FEISHU_APP_SECRET'),
    domain: { ...textKey('feishu, or lark for the international edition.', 'FEISHU_DOMAIN'), default: 'feishu' },
    webhook_url: webhookUrl('FEISHU_WEBHOOK_URL'),
    secret: secret('Key that signs the webhook.', 'FEISHU_WEBHOOK_SECRET'),
    home_channel: homeChannel('FEISHU_HOME_CHANNEL'),
  },
  extra: {
    ...chatKeys('Id of the chat or person.', 'oc_0123456789abcdef'),
    thread_id: threadKey('A message (om_…) or a topic (omt_…) to answer.', 'om_0123456789abcdef'),
  },
  needs: [app, ['webhook_url']],
  forms: { domain: { is: 'feishu or lark', example: 'lark', fits: (domain) => domains.has(domain) } },
  ...webhookOr(app),
  // A webhook takes a body of at most 20 KB. An app would take more, but nobody reads so long a message.
  limit: { max: 18_000, unit: 'json' },
  idempotent: (posting) => goesByApp(posting, app),
  // `<at user_id="all">` mentions everybody.
  escape: (text) => text.replace(/<(?=\/?at\b)/gi, '<\u200b'),
  refuses: (given) =>
    goesByApp(given, app) && given.thread !== undefined && !/^omt?_\w{1,100}$/.test(given.thread)
      ? 'the thread is neither a message (om_…) nor a topic (omt_…)'
      : undefined,
  post: (posting) => (goesByApp(posting, app) ? postByApp(posting) : postToWebhook(posting)),
})

/** Feishu's codes for too many messages. */
const tooMany = [11232, 230020, 99991400]
/** Feishu's codes for a token that is no longer valid. */
const staleToken = [99991661, 99991663]

const postToWebhook = async ({ text, call, setting, clock }: Posting): Promise<Sent> => {
  const timestamp = String(Math.floor(clock.now() / 1000))
  const secret = setting('secret')
  const sign = secret === undefined ? undefined : createHmac('sha256', `${timestamp}\n${secret}`).digest('base64')
  const json = { ...(sign === undefined ? {} : { timestamp, sign }), msg_type: 'text', content: { text } }
  const answer = await call({ url: setting('webhook_url') ?? '', json })
  return isDone(answer) ? { ok: true } : feishuFailure(answer, false)
}

const postByApp = async (posting: Posting): Promise<Sent> => {
  const { clock, setting, keep } = posting
  const api = `${apiBaseOf(posting, domains.get(setting('domain') ?? '') ?? '')}/open-apis`
  return withToken({ identity: ['feishu', api, ...app.map(setting)], clock, keep, fetchToken: () => fetchToken(posting, api) }, (token) =>
    deliver(posting, api, { authorization: `Bearer ${token}` }),
  )
}

const fetchToken = async ({ call, setting }: Posting, api: string): Promise<TokenOrFailure> => {
  const json = { app_id: setting('app_id') ?? '', app_secret: setting('app_secret') ?? '' }
  const answer = await call({ url: `${api}/auth/v3/tenant_access_token/internal`, json })
  if (!isDone(answer)) return feishuFailure(answer, true)
  return issuedToken(own(answer.body, 'tenant_access_token'), own(answer.body, 'expire')) ?? feishuFailure(answer, true)
}

type Headers = { readonly authorization: string }

/** Sends one message by the app: to the chat, or as a reply to the message or topic that `thread` names. */
const deliver = async (posting: Posting, api: string, headers: Headers): Promise<CallWithToken> => {
  const { chat, thread, text, key, call } = posting
  const message = { msg_type: 'text', content: JSON.stringify({ text }), uuid: key.toString('hex').slice(0, 48) }
  const send = async (url: string, address: JsonObject): Promise<CallWithToken> =>
    resultOfMessage(await call({ url, headers, json: { ...message, ...address } }))
  if (thread === undefined) return send(`${api}/im/v1/messages?receive_id_type=${chatIdKind(chat)}`, { receive_id: chat })
  const reply = (root: string): Promise<CallWithToken> => send(`${api}/im/v1/messages/${root}/reply`, { reply_in_thread: true })
  if (thread.startsWith('om_')) return reply(thread)
  // A message cannot be sent to a topic, but it can reply to a message in the topic. So the first message of the topic is looked up.
  const query = new URLSearchParams({ container_id_type: 'thread', container_id: thread, page_size: '1' })
  const listed = await call({ method: 'GET', url: `${api}/im/v1/messages?${query}`, headers })
  if (!isDone(listed)) return resultOfMessage(listed)
  const root = messageIdIn(listed)
  return root === undefined ? permanentFailure(`the topic ${thread} has no message`) : reply(root)
}

/** Returns what kind of id a chat id is, in Feishu's words. */
const chatIdKind = (chat: string): string => {
  const known = { oc_: 'chat_id', ou_: 'open_id', on_: 'union_id' }[chat.slice(0, 3)]
  return known ?? (chat.includes('@') ? 'email' : 'user_id')
}

/** Returns the id of the first message in an answer that lists the messages of a topic; `undefined` where there is none. */
const messageIdIn = (answer: ApiAnswer): string | undefined => {
  const data = own(answer.body, 'data')
  const items = isObject(data) ? own(data, 'items') : undefined
  const [first] = Array.isArray(items) ? items : []
  const id = isObject(first) ? own(first, 'message_id') : undefined
  return typeof id === 'string' && /^om_\w{1,100}$/.test(id) ? id : undefined
}

const resultOfMessage = (answer: ApiAnswer): CallWithToken => {
  if (isDone(answer)) return { ok: true }
  const code = answerCode(answer)
  return typeof code === 'number' && staleToken.includes(code) ? { stale: feishuFailure(answer, true) } : feishuFailure(answer, true)
}

/** Returns the code of an answer with any HTTP status. Older webhooks name the field StatusCode. */
const answerCode = (answer: ApiAnswer): Json | undefined => own(answer.body, 'code') ?? own(answer.body, 'StatusCode')

const isDone = (answer: ApiAnswer): boolean => answer.status === 200 && answerCode(answer) === 0

const feishuFailure = (answer: ApiAnswer, idempotent: boolean): Sent => {
  const code = answerCode(answer)
  const limited = typeof code === 'number' && tooMany.includes(code)
  const seconds = Number(answer.header('x-ogw-ratelimit-reset') ?? 1)
  const retryAfterMs = limited ? (seconds > 0 ? seconds : 1) * 1000 : undefined
  return failureFromAnswer(answer, {
    why: allAnswerTexts(answer.body, 'code', 'StatusCode', 'msg', 'StatusMessage'),
    idempotent,
    limited,
    retryAfterMs,
  })
}
