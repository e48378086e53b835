/** Sends on Feishu or Lark to any chat or person by an app, which recognises a repeat, or to the group of a custom bot's webhook. */

import { createHmac } from 'node:crypto'
import { isObject, type Json, type JsonObject, own } from '../../../core/json.ts'
import { type ApiAnswer, allAnswerTexts, refusedBy } from '../../delivery/api.ts'
import { permanentFailure } from '../../delivery/permanent-failure.ts'
import { baseOf, defineChat, type Posting } from '../kit/chat.ts'
import { chatKeys, homeChannel, secret, textKey, threadKey, webhookUrl } from '../kit/keys.ts'
import { type CallWithToken, issued, type TokenOrFailure, withToken } from '../kit/token-cache.ts'
import { goesByApp, webhookOr } from '../kit/webhook-or-app.ts'
import type { Sent } from '../target.ts'

const app = ['app_id', 'app_secret']
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
  ...webhookOr(app),
  // A webhook takes 20 KB in all. An app would take more, but nobody reads so long a message.
  limit: { max: 18_000, unit: 'json' },
  idempotent: (posting) => goesByApp(posting, app),
  // `<at user_id="all">` mentions everybody.
  escape: (text) => text.replace(/<(?=\/?at\b)/gi, '<\u200b'),
  post: (posting) => (goesByApp(posting, app) ? postByApp(posting) : postToWebhook(posting)),
})

const tooMany = [11232, 230020, 99991400]
const staleToken = [99991661, 99991663]

const postToWebhook = async ({ text, call, setting, clock }: Posting): Promise<Sent> => {
  const timestamp = String(Math.floor(clock.now() / 1000))
  const secret = setting('secret')
  const sign = secret === undefined ? undefined : createHmac('sha256', `${timestamp}\n${secret}`).digest('base64')
  const json = { ...(sign === undefined ? {} : { timestamp, sign }), msg_type: 'text', content: { text } }
  const answer = await call({ url: setting('webhook_url') ?? '', json })
  return isDone(answer) ? { ok: true } : refusalOf(answer, false)
}

const postByApp = async (posting: Posting): Promise<Sent> => {
  const { clock, setting, thread, keep } = posting
  const official = domains.get(setting('domain') ?? '')
  if (official === undefined) return permanentFailure('platforms.feishu.domain is neither feishu nor lark')
  if (thread !== undefined && !/^omt?_\w{1,100}$/.test(thread))
    return permanentFailure('the thread is neither a message (om_…) nor a topic (omt_…)')
  const api = `${baseOf(posting, official)}/open-apis`
  return withToken({ identity: ['feishu', api, ...app.map(setting)], clock, keep, fetch: () => fetchToken(posting, api) }, (token) =>
    deliver(posting, api, { authorization: `Bearer ${token}` }),
  )
}

const fetchToken = async ({ call, setting }: Posting, api: string): Promise<TokenOrFailure> => {
  const json = { app_id: setting('app_id') ?? '', app_secret: setting('app_secret') ?? '' }
  const answer = await call({ url: `${api}/auth/v3/tenant_access_token/internal`, json })
  if (answer.kind === 'none' || !isDone(answer)) return refusalOf(answer, true)
  return issued(own(answer.body, 'tenant_access_token'), own(answer.body, 'expire')) ?? refusalOf(answer, true)
}

type Headers = { readonly authorization: string }

const deliver = async (posting: Posting, api: string, headers: Headers): Promise<CallWithToken> => {
  const { chat, thread, text, key, call } = posting
  const message = { msg_type: 'text', content: JSON.stringify({ text }), uuid: key.toString('hex').slice(0, 48) }
  const send = async (url: string, more: JsonObject): Promise<CallWithToken> =>
    verdict(await call({ url, headers, json: { ...message, ...more } }))
  if (thread === undefined) return send(`${api}/im/v1/messages?receive_id_type=${kindOf(chat)}`, { receive_id: chat })
  const reply = (root: string): Promise<CallWithToken> => send(`${api}/im/v1/messages/${root}/reply`, { reply_in_thread: true })
  if (thread.startsWith('om_')) return reply(thread)
  // A message cannot be sent to a topic. It can only reply to a message in the topic, so we look for one.
  const query = new URLSearchParams({ container_id_type: 'thread', container_id: thread, page_size: '1' })
  const listed = await call({ method: 'GET', url: `${api}/im/v1/messages?${query}`, headers })
  if (!isDone(listed)) return verdict(listed)
  const root = rootIn(listed)
  return root === undefined ? permanentFailure(`the topic ${thread} has no message`) : reply(root)
}

const kindOf = (chat: string): string => {
  const known = { oc_: 'chat_id', ou_: 'open_id', on_: 'union_id' }[chat.slice(0, 3)]
  return known ?? (chat.includes('@') ? 'email' : 'user_id')
}

const rootIn = (answer: ApiAnswer): string | undefined => {
  const data = answer.kind === 'answer' ? own(answer.body, 'data') : undefined
  const items = isObject(data) ? own(data, 'items') : undefined
  const [first] = Array.isArray(items) ? items : []
  const id = isObject(first) ? own(first, 'message_id') : undefined
  return typeof id === 'string' && /^om_\w{1,100}$/.test(id) ? id : undefined
}

const verdict = (answer: ApiAnswer): CallWithToken => {
  if (isDone(answer)) return { ok: true }
  const code = answerCode(answer)
  return typeof code === 'number' && staleToken.includes(code) ? { stale: refusalOf(answer, true) } : refusalOf(answer, true)
}

/** The code of an answer with any status. Older webhooks name the field StatusCode. */
const answerCode = (answer: ApiAnswer): Json | undefined =>
  answer.kind === 'answer' ? (own(answer.body, 'code') ?? own(answer.body, 'StatusCode')) : undefined

const isDone = (answer: ApiAnswer): boolean => answer.kind === 'answer' && answer.status === 200 && answerCode(answer) === 0

const refusalOf = (answer: ApiAnswer, idempotent: boolean): Sent => {
  if (answer.kind === 'none') return refusedBy(answer, { idempotent })
  const code = answerCode(answer)
  const limited = typeof code === 'number' && tooMany.includes(code)
  const seconds = Number(answer.header('x-ogw-ratelimit-reset') ?? 1)
  const retryAfterMs = limited ? (seconds > 0 ? seconds : 1) * 1000 : undefined
  return refusedBy(answer, {
    why: allAnswerTexts(answer.body, 'code', 'StatusCode', 'msg', 'StatusMessage'),
    idempotent,
    limited,
    retryAfterMs,
  })
}
