/** Stands in for the QQ bot API v2: access tokens, and messages to users, groups and channels. */

import type { JsonObject } from '../../../src/core/json.ts'
import type { Double, Reply, Request } from './double.ts'

const app = { app_id: '102000001', client_secret: 'canary-qq-client-secret' }
const token = 'canary-qq-access-token'

const refuse = (status: number, code: number, message: string): Reply => ({ status, body: { code, message, trace_id: 'abc' } })

const giveToken = (json: JsonObject | undefined): Reply =>
  json?.appId === app.app_id && json.clientSecret === app.client_secret
    ? { status: 200, body: { access_token: token, expires_in: '7200' } }
    : { status: 200, body: { code: 100016, message: 'invalid appid or secret' } }

const chatOf = ({ path }: Request): string | undefined => {
  const [, kind, id] = /^\/(v2\/users|v2\/groups|channels)\/([\w-]+)\/messages$/.exec(path) ?? []
  return kind === undefined ? undefined : `${{ 'v2/users': 'user', 'v2/groups': 'group', channels: 'channel' }[kind]}:${id}`
}

const chats = ['user:0A1B2C', 'group:9F8E7D', 'channel:778899']

/** Matches the tags on which QQ acts in the text of a message. */
const tags = /<@|<#|<emoji:|<faceType|<qqbot-|<\/?at\b|@everyone/i

export const qqbot: Double = {
  target: 'qqbot',
  settings: (origin) => ({ ...app, api_base: origin }),
  env: () => ({ QQ_APP_ID: app.app_id, QQ_CLIENT_SECRET: app.client_secret }),
  wrong: (origin) => ({ ...app, client_secret: 'canary-qq-wrong-secret', api_base: `${origin}/` }),
  chat: 'user:0A1B2C',
  unknownChat: 'group:000000',
  thread: 'ROBOT1.0_msg!',
  limit: { max: 4000, unit: 'utf16' },
  idempotent: false,
  posts: ({ path }) => path.endsWith('/messages'),
  answer(request, accept) {
    const { method, path, headers, json } = request
    if (method === 'POST' && path === '/app/getAppAccessToken') return giveToken(json)
    if (headers.authorization !== `QQBot ${token}`) return refuse(401, 11243, 'token not exist or expire')
    const chat = chatOf(request)
    if (method !== 'POST' || chat === undefined) return refuse(404, 10000, 'not found')
    const { content, msg_type: type, msg_id: thread, msg_seq: seq, event_id: event, ...others } = json ?? {}
    const strange = Object.keys(others).length > 0 || [thread, event].some((id) => id !== undefined && typeof id !== 'string')
    if (strange || type !== (chat.startsWith('channel:') ? undefined : 0)) return refuse(400, 12001, 'invalid param')
    if (seq !== undefined && (!Number.isInteger(seq) || thread === undefined)) return refuse(400, 12001, 'invalid msg_seq')
    if (typeof content !== 'string' || content.trim() === '') return refuse(400, 304080, 'content is empty')
    if (content.length > 4000) return refuse(400, 40054000, 'too long')
    if (!chats.includes(chat)) return refuse(400, 40054003, 'not a member')
    const key = seq === undefined ? {} : { key: `${thread} ${seq}` }
    accept({ chat, text: content, ...(thread === undefined ? {} : { thread: String(thread) }), ...key })
    return { status: 200, body: { id: 'ROBOT1.0_sent', timestamp: '2026-01-01T00:00:00+08:00' } }
  },
  limited: { reply: { ...refuse(429, 22009, 'msg limit exceed'), headers: { 'retry-after': '7' } }, waitMs: 7_000 },
  hidden: { status: 200, body: { code: 304003, message: 'url not allowed' } },
  hostile: ['@everyone', '<@!123>', '<#55>', '<emoji:4>', '<qqbot-at-everyone />', '<qqbot-cmd-enter text="/go" />', '<@EVERYONE>'].map(
    (text) => ({ text: `a ${text} b`, never: tags }),
  ),
}
