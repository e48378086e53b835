/**
 * The target `dingtalk`: sends text without mentions to the group of a robot's webhook, or, by the robot of an app, to any group or person.
 */

import { createHmac } from 'node:crypto'
import { type JsonObject, own } from '../../../core/json.ts'
import { type ApiAnswer, allAnswerTexts, failureFromAnswer } from '../delivery/api.ts'
import { apiBaseOf, defineChat, type Posting } from '../kit/chat.ts'
import { chatKeys, homeChannel, secret, textKey, webhookUrl } from '../kit/keys.ts'
import { type CallWithToken, issuedToken, type TokenOrFailure, withToken } from '../kit/token-cache.ts'
import { goesByApp, webhookOr } from '../kit/webhook-or-app.ts'
import { permanentFailure, type Sent } from '../target.ts'

const app = ['client_id', 'client_secret']

export const dingtalk = defineChat({
  name: 'dingtalk',
  title: 'DingTalk',
  settings: {
    webhook_url: webhookUrl('DINGTALK_WEBHOOK_URL'),
    secret: secret('Key that signs the webhook.', 'DINGTALK_SECRET'),
    client_id: textKey('Id of the app.', 'DINGTALK_CLIENT_ID'),
    client_secret: secret('Secret of the app.', 'DINGTALK_CLIENT_SECRET'),
    robot_code: textKey('Code of the app robot; default: client_id.', 'DINGTALK_ROBOT_CODE'),
    home_channel: homeChannel('DINGTALK_HOME_CHANNEL'),
  },
  extra: chatKeys('Id of the conversation or person.'),
  needs: [['webhook_url'], app],
  ...webhookOr(app),
  // The limit of the app is stricter than that of the webhook: 15 000 bytes of msgParam, which has the text and little else.
  limit: { max: 14_000, unit: 'json' },
  idempotent: false,
  refuses: (given) =>
    goesByApp(given, app) && !isGroup(given.chat) && personIn(given.chat) === undefined
      ? 'chat_id is neither a group (cid…) nor a person (user:…)'
      : undefined,
  post: (posting) => (goesByApp(posting, app) ? postByApp(posting) : postToWebhook(posting)),
})

/** After more than 20 messages in a minute, DingTalk blocks a robot for ten minutes. */
const blockedMs = 600_000
/** The codes of a blocked robot. */
const blockedCodes = [130101, 410100]

const postToWebhook = async ({ text, call, setting, clock }: Posting): Promise<Sent> => {
  const url = new URL(setting('webhook_url') ?? '')
  const secret = setting('secret')
  if (secret !== undefined) {
    const timestamp = String(clock.now())
    url.searchParams.set('timestamp', timestamp)
    url.searchParams.set('sign', createHmac('sha256', secret).update(`${timestamp}\n${secret}`).digest('base64'))
  }
  const answer = await call({ url: url.href, json: { msgtype: 'text', text: { content: text }, at: { isAtAll: false } } })
  const code = own(answer.body, 'errcode')
  if (answer.status === 200 && code === 0) return { ok: true }
  const limited = typeof code === 'number' && blockedCodes.includes(code)
  const why = allAnswerTexts(answer.body, 'errcode', 'errmsg')
  return failureFromAnswer(answer, { why, idempotent: false, limited, retryAfterMs: limited ? blockedMs : undefined })
}

const isGroup = (chat: string): boolean => /^cid[\w+/=]{1,100}$/.test(chat)
const personIn = (chat: string): string | undefined => /^(?:user:)?([\w.@+-]{1,64})$/.exec(chat)?.[1]

const postByApp = async (posting: Posting): Promise<Sent> => {
  const { chat, clock, setting, text, keep } = posting
  const message = {
    robotCode: setting('robot_code') ?? setting('client_id') ?? '',
    msgKey: 'sampleText',
    msgParam: JSON.stringify({ content: text }),
  }
  const base = apiBaseOf(posting, 'https://api.dingtalk.com')
  return withToken(
    { identity: ['dingtalk', base, ...app.map(setting)], clock, keep, fetchToken: () => fetchToken(posting, base) },
    (token) =>
      isGroup(chat)
        ? post(posting, `${base}/v1.0/robot/groupMessages/send`, token, { ...message, openConversationId: chat })
        : post(posting, `${base}/v1.0/robot/oToMessages/batchSend`, token, { ...message, userIds: [personIn(chat) ?? ''] }),
  )
}

const fetchToken = async ({ call, setting }: Posting, base: string): Promise<TokenOrFailure> => {
  const json = { appKey: setting('client_id') ?? '', appSecret: setting('client_secret') ?? '' }
  const answer = await call({ url: `${base}/v1.0/oauth2/accessToken`, json })
  return issuedToken(own(answer.body, 'accessToken'), own(answer.body, 'expireIn')) ?? dingtalkFailure(answer, true)
}

/** Posts one message by the app. `stale`: the token is no longer valid. */
const post = async ({ call }: Posting, url: string, token: string, json: JsonObject): Promise<CallWithToken> => {
  const answer = await call({ url, headers: { 'x-acs-dingtalk-access-token': token }, json })
  const { body, status } = answer
  if (status === 401 || own(body, 'code') === 'InvalidAuthentication') return { stale: dingtalkFailure(answer, false) }
  // The message has only one receiver. When a list of failures in the answer names somebody, nobody got the message.
  if (isFilled(own(body, 'flowControlledStaffIdList'))) {
    return { ok: false, why: 'too many messages to this person', repeatable: true, receiver: 'up', retryAfterMs: 60_000 }
  }
  const isLost = ['invalidStaffIdList', 'filteredStaffIdList'].some((key) => isFilled(own(body, key)))
  if (isLost) return permanentFailure('no such person, or out of reach of the robot')
  return status === 200 && typeof own(body, 'processQueryKey') === 'string' ? { ok: true } : dingtalkFailure(answer, false)
}

const isFilled = (value: unknown): boolean => Array.isArray(value) && value.length > 0

/** Makes the failure of a call of the app's API. `idempotent`: the same call again cannot post twice. */
const dingtalkFailure = (answer: ApiAnswer, idempotent: boolean): Sent => {
  const { body } = answer
  const limited = /QpsLimit/.test(String(own(body, 'code')))
  return failureFromAnswer(answer, {
    why: allAnswerTexts(body, 'code', 'message'),
    idempotent,
    limited,
    retryAfterMs: limited ? 1000 : undefined,
  })
}
