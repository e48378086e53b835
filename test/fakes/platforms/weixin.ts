/** Stands in for Tencent's iLink bot API: sendmessage, whose errors come with status 200. */

import { isObject, type Json } from '../../../src/core/json.ts'
import type { Double, Reply, Request } from './double.ts'

const token = 'canary-ilink-bot-token'

const answer = (ret: number, errmsg: string): Reply => ({ status: 200, body: { ret, errmsg } })

const headersFit = ({ headers }: Request): boolean => {
  const uin = Buffer.from(String(headers['x-wechat-uin'] ?? ''), 'base64').toString()
  const version = Number(headers['ilink-app-clientversion'])
  return (
    headers.authorizationtype === 'ilink_bot_token' &&
    headers['ilink-app-id'] === 'bot' &&
    /^\d{1,10}$/.test(uin) &&
    Number(uin) < 2 ** 32 &&
    version > 0 &&
    version < 2 ** 24
  )
}

const textOf = (items: Json | undefined): string | undefined => {
  const [item, ...more] = Array.isArray(items) ? items : []
  if (!isObject(item) || more.length > 0 || item.type !== 1 || !isObject(item.text_item)) return undefined
  return typeof item.text_item.text === 'string' && item.text_item.text !== '' ? item.text_item.text : undefined
}

export const weixin: Double = {
  target: 'weixin',
  settings: (origin) => ({ base_url: origin, token }),
  env: (origin) => ({ WEIXIN_BASE_URL: origin, WEIXIN_TOKEN: token }),
  wrong: (origin) => ({ api_base: `${origin}/`, token: 'canary-ended-token' }),
  chat: 'o9cq80peer@im.wechat',
  unknownChat: 'stranger@im.wechat',
  limit: { max: 2000, unit: 'utf16' },
  idempotent: false,
  posts: ({ path }) => path.endsWith('/sendmessage'),
  answer(request, accept) {
    const { method, path, headers, json } = request
    if (method !== 'POST' || path !== '/ilink/bot/sendmessage') return { status: 404, body: '' }
    if (headers.authorization !== `Bearer ${token}` || !headersFit(request)) return answer(-14, 'session timeout')
    const { msg, base_info: info } = json ?? {}
    if (!isObject(msg) || !isObject(info) || !/^\d+\.\d+\.\d+$/.test(String(info.channel_version))) return answer(-1, 'bad request')
    const { to_user_id: chat, from_user_id: from, client_id: id, message_type: type, message_state: state, context_token: context } = msg
    const text = textOf(msg.item_list)
    if (from !== '' || type !== 2 || state !== 2 || typeof id !== 'string' || id === '' || text === undefined) return answer(-1, 'bad msg')
    if (text.length > 2000) return answer(-1, 'text too long')
    if (context !== undefined && context !== 'canary-context') return answer(-14, 'session timeout')
    if (chat !== 'o9cq80peer@im.wechat') return answer(-3, 'no such user')
    accept({ chat, text, key: id })
    // Older servers leave `ret` out.
    return { status: 200, body: context === undefined ? {} : { ret: 0, errmsg: '' } }
  },
  limited: { reply: answer(-2, 'freq limit'), waitMs: 5_000 },
  hidden: answer(-14, 'session timeout'),
}
