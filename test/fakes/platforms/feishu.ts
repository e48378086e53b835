/** Stands in for Feishu: the messages API of an app with its tokens, and the webhook of a signed custom bot. */

import { createHmac } from 'node:crypto'
import { isObject, type JsonObject, own } from '../../../src/core/json.ts'
import type { Accepted, Double, Reply, Request } from './double.ts'

const app = { app_id: 'cli_1', app_secret: 'canary-feishu-app-secret' }
const token = 't-canary-feishu-tenant-token'
const limit = { max: 18_000, unit: 'json' } as const
const hostile = [
  { text: '<at user_id="all">everyone</at>', never: /<\/?at\b/i },
  { text: '<AT\nuser_id="ou_1"></AT>', never: /<\/?at\b/i },
]

const refuse = (code: number, msg: string, status = 400): Reply => ({ status, body: { code, msg } })
const done = (data: JsonObject): Reply => ({ status: 200, body: { code: 0, msg: 'success', data } })

const idTypes: { readonly [type: string]: string } = {
  oc_1: 'chat_id',
  ou_1: 'open_id',
  on_1: 'union_id',
  'a@b.example': 'email',
  u1: 'user_id',
}

/** Returns the message in a body, whose content is JSON inside of a text. */
const messageIn = ({ json, text, headers }: Request): { readonly text: string; readonly key: string } | undefined => {
  if (headers['content-type'] !== 'application/json; charset=utf-8' || Buffer.byteLength(text) > 150 * 1024) return undefined
  const { content, msg_type: type, uuid } = json ?? {}
  if (type !== 'text' || typeof content !== 'string' || typeof uuid !== 'string' || uuid.length > 50) return undefined
  const inner = JSON.parse(content) as JsonObject
  return typeof inner.text === 'string' && inner.text.trim() !== '' ? { text: inner.text, key: uuid } : undefined
}

const tokenFor = ({ method, json }: Request): Reply =>
  method === 'POST' && json?.app_id === app.app_id && json.app_secret === app.app_secret
    ? { status: 200, body: { code: 0, msg: 'ok', tenant_access_token: token, expire: 7200 } }
    : refuse(10014, 'app secret invalid', 200)

const reply = (request: Request, root: string, accept: (message: Accepted) => void): Reply => {
  const message = messageIn(request)
  if (!message || request.json?.reply_in_thread !== true || request.json.receive_id !== undefined)
    return refuse(230001, 'invalid parameter')
  if (root !== 'om_root') return refuse(231003, 'The message was not found.')
  accept({ chat: 'oc_1', thread: root, ...message })
  return done({ message_id: 'om_2' })
}

export const feishu: Double = {
  target: 'feishu',
  way: 'app',
  settings: (origin) => ({ ...app, api_base: origin }),
  env: () => ({ FEISHU_APP_ID: app.app_id, FEISHU_APP_SECRET: app.app_secret, FEISHU_DOMAIN: 'lark' }),
  wrong: (origin) => ({ ...app, app_secret: 'canary-feishu-wrong-secret', api_base: origin }),
  chat: 'oc_1',
  unknownChat: 'oc_9',
  thread: 'om_root',
  limit,
  idempotent: true,
  posts: ({ method, path }) => method === 'POST' && path.startsWith('/open-apis/im/'),
  answer(request, accept) {
    const { method, path, query, headers, json } = request
    if (path === '/open-apis/auth/v3/tenant_access_token/internal') return tokenFor(request)
    if (headers.authorization === undefined) return refuse(99991661, 'Missing access token for authorization.')
    if (headers.authorization !== `Bearer ${token}`) return refuse(99991663, 'Invalid access token for authorization.')
    if (method === 'GET' && path === '/open-apis/im/v1/messages') {
      if (query.get('container_id_type') !== 'thread') return refuse(230001, 'invalid container_id_type')
      return done({ items: query.get('container_id') === 'omt_1' ? [{ message_id: 'om_root' }] : [], has_more: false })
    }
    const root = /^\/open-apis\/im\/v1\/messages\/(\w+)\/reply$/.exec(path)?.[1]
    if (root !== undefined) return reply(request, root, accept)
    const message = messageIn(request)
    const id = String(json?.receive_id)
    if (path !== '/open-apis/im/v1/messages' || !message) return refuse(230001, 'Your request contains an invalid request parameter.')
    if (!Object.hasOwn(idTypes, id)) return refuse(230002, 'Bot/User can NOT be out of the chat.')
    if (query.get('receive_id_type') !== idTypes[id]) return refuse(230001, 'invalid receive_id_type')
    accept({ chat: id, ...message })
    return done({ message_id: 'om_1' })
  },
  limited: { reply: refuse(230020, 'This operation triggers the frequency limit.'), waitMs: 1000 },
  hidden: refuse(230006, 'Bot ability is not activated.', 200),
  hostile,
}

const secret = 'canary-feishu-sign-secret'
const path = '/open-apis/bot/v2/hook/canary-feishu-hook'

export const feishuBot: Double = {
  target: 'feishu',
  way: 'webhook',
  settings: (origin) => ({ webhook_url: origin + path, secret }),
  env: (origin) => ({ FEISHU_WEBHOOK_URL: origin + path, FEISHU_WEBHOOK_SECRET: secret }),
  wrong: (origin) => ({ webhook_url: origin + path, secret: 'canary-feishu-wrong-sign' }),
  chat: 'oc_1',
  ownChat: true,
  limit,
  idempotent: false,
  posts: () => true,
  answer(request, accept) {
    const { timestamp, sign, msg_type: type, content } = request.json ?? {}
    if (request.method !== 'POST' || request.path !== path)
      return refuse(19001, 'param invalid: incoming webhook access token invalid', 200)
    if (Buffer.byteLength(request.text) > 20 * 1024) return refuse(9499, 'Bad Request: too large', 200)
    const expected = createHmac('sha256', `${timestamp}\n${secret}`).digest('base64')
    if (typeof timestamp !== 'string' || !/^\d{10}$/.test(timestamp) || sign !== expected)
      return refuse(19021, 'sign match fail or timestamp is not within one hour from current time', 200)
    const text = isObject(content) ? own(content, 'text') : undefined
    if (type !== 'text' || typeof text !== 'string' || text.trim() === '') return refuse(9499, 'Bad Request', 200)
    accept({ chat: 'oc_1', text })
    return { status: 200, body: { StatusCode: 0, StatusMessage: 'success', code: 0, data: {}, msg: 'success' } }
  },
  limited: { reply: refuse(11232, 'frequency limited', 200), waitMs: 1000 },
  hidden: refuse(19024, 'Key Words Not Found', 200),
  hostile,
}
