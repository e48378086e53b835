/** The target `wecom`: sends on WeCom as an AI bot, as the app of a company, or to the group of a robot's webhook. */

import { minuteMs } from '../../../core/clock.ts'
import { type Json, type JsonObject, own } from '../../../core/json.ts'
import { type ApiAnswer, allAnswerTexts, failureFromAnswer } from '../delivery/api.ts'
import { apiBaseOf, defineChat, type Posting } from '../kit/chat.ts'
import { address, chatKeys, homeChannel, secret, textKey, webhookUrl } from '../kit/keys.ts'
import { type CallWithToken, issuedToken, type TokenOrFailure, withToken } from '../kit/token-cache.ts'
import { goesByApp, webhookOr } from '../kit/webhook-or-app.ts'
import { permanentFailure, type Sent } from '../target.ts'

const bot = ['bot_id', 'secret']
const app = ['corp_id', 'corp_secret', 'agent_id']

export const wecom = defineChat({
  name: 'wecom',
  aliases: ['wecom_callback'],
  title: 'WeCom',
  settings: {
    bot_id: {
      ...textKey('Id of the AI bot.', 'WECOM_BOT_ID'),
      markdownDescription:
        'Id of the AI bot, which may have one connection only: a program of your own that is connected as the same bot is cut off by each delivery.',
    },
    secret: secret('Secret of the AI bot.', 'WECOM_SECRET'),
    websocket_url: address("Another address of the AI bot's server.", 'WECOM_WEBSOCKET_URL'),
    webhook_url: webhookUrl('WECOM_WEBHOOK_URL', 'WEWORK_WEBHOOK_URL'),
    corp_id: textKey('Id of the company.', 'WECOM_CALLBACK_CORP_ID'),
    corp_secret: secret('Secret of the company app.', 'WECOM_CALLBACK_CORP_SECRET'),
    agent_id: { ...textKey('Agent id of the company app.', 'WECOM_CALLBACK_AGENT_ID'), type: ['string', 'number'] },
    home_channel: homeChannel('WECOM_HOME_CHANNEL'),
  },
  extra: chatKeys('Id of the chat or person.'),
  needs: [['webhook_url'], bot, app],
  forms: { agent_id: { is: 'a number', example: '1000002', fits: (id) => /^\d{1,10}$/.test(id) } },
  ...webhookOr(bot, app),
  // The limit of the app: WeCom cuts off the end of a longer text without an error.
  limit: { max: 2048, unit: 'bytes' },
  idempotent: false,
  // `<@userid>` mentions somebody.
  escape: (text) => text.replaceAll('<@', '<\u200b@'),
  refuses(given) {
    const { chat } = given
    if (goesByApp(given, bot)) return /^[A-Za-z0-9][\w.@-]{0,127}$/.test(chat) ? undefined : 'chat_id is no id of a person or a group'
    return goesByApp(given, app) && !receiver.test(chat) ? 'chat_id is no id of a person, and none after party:, tag: or chat:' : undefined
  },
  post(posting) {
    if (goesByApp(posting, bot)) return postByBot(posting)
    return goesByApp(posting, app) ? postByApp(posting) : postToWebhook(posting)
  },
})

/** WeCom's codes for too many messages. Its limits count messages per minute, so the wait after them is a minute. */
const tooMany = [45009, 45033]
const isTooMany = (code: Json | undefined): boolean => typeof code === 'number' && tooMany.includes(code)
/** WeCom's codes for a token that is no longer valid. */
const staleToken = [40001, 40014, 42001]

const postToWebhook = async ({ text, call, setting }: Posting): Promise<Sent> => {
  const answer = await call({ url: setting('webhook_url') ?? '', json: { msgtype: 'text', text: { content: text } } })
  return answerCode(answer) === 0 ? { ok: true } : wecomFailure(answer, false)
}

const postByBot = async ({ chat, text, setting, leftMs, keep }: Posting): Promise<Sent> => {
  const { pushByBot } = await import('../kit/wecom-bot.ts')
  return pushByBot({
    url: setting('websocket_url') ?? 'wss://openws.work.weixin.qq.com',
    botId: setting('bot_id') ?? '',
    secret: setting('secret') ?? '',
    chat,
    markdown: text,
    timeoutMs: leftMs(),
    keep,
    refused: (code, why) => (isTooMany(code) ? { ok: false, why, repeatable: true, retryAfterMs: minuteMs } : permanentFailure(why)),
  })
}

/** A receiver of the app's messages: the id of a person, or an id behind a word for its kind, such as `tag:`. */
const receiver = /^(?:(user|party|tag|chat):)?([A-Za-z0-9][\w.@-]{0,63})$/

const postByApp = async (posting: Posting): Promise<Sent> => {
  const { chat, clock, setting, text, keep } = posting
  const [, kind = 'user', id = ''] = receiver.exec(chat) ?? []
  const message = { msgtype: 'text', text: { content: text }, safe: 0 }
  const base = apiBaseOf(posting, 'https://qyapi.weixin.qq.com')
  return withToken({ identity: ['wecom', base, ...app.map(setting)], clock, keep, fetchToken: () => fetchToken(posting, base) }, (token) =>
    kind === 'chat'
      ? post(posting, `${base}/cgi-bin/appchat/send?`, token, { ...message, chatid: id })
      : post(posting, `${base}/cgi-bin/message/send?`, token, { ...message, [`to${kind}`]: id, agentid: Number(setting('agent_id')) }),
  )
}

const fetchToken = async ({ call, setting }: Posting, base: string): Promise<TokenOrFailure> => {
  const query = new URLSearchParams({ corpid: setting('corp_id') ?? '', corpsecret: setting('corp_secret') ?? '' })
  const answer = await call({ method: 'GET', url: `${base}/cgi-bin/gettoken?${query}` })
  if (answerCode(answer) !== 0) return wecomFailure(answer, true)
  return issuedToken(own(answer.body, 'access_token'), own(answer.body, 'expires_in')) ?? wecomFailure(answer, true)
}

const post = async ({ call }: Posting, url: string, token: string, json: JsonObject): Promise<CallWithToken> => {
  const answer = await call({ url: url + new URLSearchParams({ access_token: token }), json })
  const code = answerCode(answer)
  if (typeof code === 'number' && staleToken.includes(code)) return { stale: wecomFailure(answer, false) }
  if (code !== 0) return wecomFailure(answer, false)
  const lost = ['invaliduser', 'invalidparty', 'invalidtag', 'unlicenseduser'].some((key) => own(answer.body, key) || false)
  return lost ? permanentFailure('no such receiver, or out of reach of the app') : { ok: true }
}

/** Returns the code of an answer, which is 0 after a success. WeCom answers errors with status 200 too. */
const answerCode = (answer: ApiAnswer): Json | undefined => (answer.status === 200 ? own(answer.body, 'errcode') : undefined)

const wecomFailure = (answer: ApiAnswer, idempotent: boolean): Sent => {
  const limited = isTooMany(answerCode(answer))
  const why = allAnswerTexts(answer.body, 'errcode', 'errmsg')
  return failureFromAnswer(answer, { why, idempotent, limited, retryAfterMs: limited ? minuteMs : undefined })
}
