/** Stands in for DingTalk: the webhook of a signed robot, and the API of an app's robot with its tokens. */

import { createHmac } from 'node:crypto'
import { isObject, type Json, own } from '../../../src/core/json.ts'
import type { Double, Reply } from './double.ts'

const access = 'canary-dingtalk-robot-access-token'
const secret = 'SECcanary-dingtalk-sign'
const limit = { max: 14_000, unit: 'json' } as const

const said = (errcode: number, errmsg: string): Reply => ({ status: 200, body: { errcode, errmsg } })
const hook = (origin: string, token = access): string => `${origin}/robot/send?access_token=${token}`

export const dingtalk: Double = {
  target: 'dingtalk',
  way: 'webhook',
  settings: (origin) => ({ webhook_url: hook(origin), secret }),
  env: (origin) => ({ DINGTALK_WEBHOOK_URL: hook(origin), DINGTALK_SECRET: secret }),
  wrong: (origin) => ({ webhook_url: hook(origin), secret: 'SECcanary-dingtalk-wrong' }),
  chat: 'cidGroup1==',
  ownChat: true,
  limit,
  idempotent: false,
  posts: ({ path }) => path === '/robot/send',
  answer({ method, path, query, text, json }, accept) {
    if (method !== 'POST' || path !== '/robot/send') return { status: 404, body: 'Not Found' }
    if (query.get('access_token') !== access) return said(300001, 'token is not exist')
    const [at = '', second] = query.getAll('timestamp')
    const sign = createHmac('sha256', secret).update(`${at}\n${secret}`).digest('base64')
    const isSigned = /^\d{13}$/.test(at) && second === undefined && query.getAll('sign').join() === sign
    if (!isSigned) return said(310000, 'description:机器人发送签名不匹配;solution:请确认签名和生成签名的时间戳')
    if (Buffer.byteLength(text) > 20_000) return said(460101, 'message too long, exceed 20000 bytes')
    const content = isObject(json?.text) ? own(json.text, 'content') : undefined
    if (json?.msgtype !== 'text' || typeof content !== 'string' || content.trim() === '') return said(40035, '缺少参数 json')
    accept({ chat: dingtalk.chat, text: content })
    return said(0, 'ok')
  },
  limited: { reply: said(130101, 'send too fast, exceed 20 times per minute'), waitMs: 600_000 },
  hidden: said(310000, 'description:关键词不匹配;solution:请联系群管理员查看此机器人的关键词'),
  hostile: [{ text: 'look here @all @everyone', never: /^$/ }],
  harmless: ({ json }) => JSON.stringify(json?.at) === '{"isAtAll":false}',
}

const token = 'canary-dingtalk-app-token'
const key = { client_id: 'dingkey1', client_secret: 'canary-dingtalk-client-secret' }

const refuse = (status: number, code: string, message: string): Reply => ({ status, body: { code, message, requestid: 'R-1' } })

/** Returns the text of a `msgParam`, which is JSON inside of a text. */
const contentOf = (param: Json | undefined): string | undefined => {
  if (typeof param !== 'string' || Buffer.byteLength(param) > 15_000) return undefined
  const { content } = JSON.parse(param) as { content?: Json }
  return typeof content === 'string' && content.trim() !== '' ? content : undefined
}

export const dingtalkApp: Double = {
  target: 'dingtalk',
  way: 'app',
  settings: (origin) => ({ ...key, api_base: origin }),
  env: () => ({ DINGTALK_CLIENT_ID: key.client_id, DINGTALK_CLIENT_SECRET: key.client_secret }),
  wrong: (origin) => ({ ...key, client_secret: 'canary-dingtalk-wrong-secret', api_base: origin }),
  chat: 'cidGroup1==',
  unknownChat: 'cidNowhere==',
  limit,
  idempotent: false,
  posts: ({ path }) => path.startsWith('/v1.0/robot/'),
  answer({ method, path, headers, json }, accept) {
    if (method !== 'POST' || json === undefined) return refuse(400, 'InvalidParameter', 'JSON is wanted')
    if (path === '/v1.0/oauth2/accessToken') {
      const known = json.appKey === key.client_id && json.appSecret === key.client_secret
      return known
        ? { status: 200, body: { accessToken: token, expireIn: 7200 } }
        : refuse(400, 'invalidClientIdOrSecret', '无效的clientId或者clientSecret')
    }
    if (headers['x-acs-dingtalk-access-token'] !== token) return refuse(400, 'InvalidAuthentication', '不合法的access_token')
    const content = contentOf(json.msgParam)
    if (json.robotCode !== key.client_id || json.msgKey !== 'sampleText') return refuse(400, 'invalidParameter.robotCode', 'no such robot')
    if (content === undefined) return refuse(400, 'invalidParameter.msgParam', 'msgParam is wrong or too long')
    if (path === '/v1.0/robot/groupMessages/send') {
      if (json.openConversationId !== dingtalkApp.chat) return refuse(400, 'invalidParameter.openConversationId', 'no such group')
      accept({ chat: dingtalkApp.chat, text: content })
      return { status: 200, body: { processQueryKey: 'q1' } }
    }
    if (path !== '/v1.0/robot/oToMessages/batchSend' || !Array.isArray(json.userIds)) return refuse(404, 'InvalidAction', 'no such call')
    const lists = { invalidStaffIdList: json.userIds.filter((id) => id !== 'manager1'), flowControlledStaffIdList: [] }
    if (lists.invalidStaffIdList.length === 0) accept({ chat: 'user:manager1', text: content })
    return { status: 200, body: { processQueryKey: 'q2', ...lists } }
  },
  limited: { reply: refuse(403, 'Forbidden.AccessDenied.QpsLimitForAppkeyAndApi', 'qps limited'), waitMs: 1000 },
}
