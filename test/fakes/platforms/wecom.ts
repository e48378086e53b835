/**
 * Stands in for WeCom: the webhook of a group robot, messages of a corp app with its tokens, and a bot's WebSocket. Every error comes with
 * status 200.
 */

import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import { isObject, type JsonObject, own, parseObject } from '../../../src/core/json.ts'
import type { Double, Listen, Reply } from './double.ts'

const robot = 'canary-wecom-robot-key'
const limit = { max: 2048, unit: 'bytes' } as const
const hostile = [{ text: 'hey <@all> and <@zhangsan>', never: /<@/ }]

const said = (errcode: number, errmsg: string, more: JsonObject = {}): Reply => ({
  status: 200,
  body: { errcode, errmsg: errcode === 0 ? errmsg : `${errmsg}, hint: [1], from ip: 192.0.2.1`, ...more },
})
const hook = (origin: string, key = robot): string => `${origin}/cgi-bin/webhook/send?key=${key}`

const contentOf = (json: JsonObject | undefined): string | undefined => {
  const content = json?.msgtype === 'text' && isObject(json.text) ? own(json.text, 'content') : undefined
  return typeof content === 'string' && content.trim() !== '' ? content : undefined
}

export const wecom: Double = {
  target: 'wecom',
  way: 'webhook',
  settings: (origin) => ({ webhook_url: hook(origin) }),
  env: (origin) => ({ WECOM_WEBHOOK_URL: hook(origin) }),
  wrong: (origin) => ({ webhook_url: hook(origin, 'canary-wecom-wrong-key') }),
  chat: 'group',
  ownChat: true,
  limit,
  idempotent: false,
  posts: ({ path }) => path === '/cgi-bin/webhook/send',
  answer({ method, path, query, json }, accept) {
    if (method !== 'POST' || path !== '/cgi-bin/webhook/send' || query.get('key') !== robot) return said(93000, 'invalid webhook url')
    const content = contentOf(json)
    if (content === undefined) return said(44004, 'empty content')
    if (Buffer.byteLength(content) > 2048) return said(40058, 'text.content exceed max length 2048')
    accept({ chat: 'group', text: content })
    return said(0, 'ok')
  },
  limited: { reply: said(45009, 'api freq out of limit'), waitMs: 60_000 },
  hidden: said(93000, 'invalid webhook url'),
  hostile,
  harmless: ({ json }) => !JSON.stringify(json).includes('mentioned'),
}

const token = 'canary-wecom-access-token'
const app = { corp_id: 'ww1', corp_secret: 'canary-wecom-corp-secret', agent_id: '1000002' }

const people: { readonly [key: string]: string } = { touser: 'zhangsan', toparty: '2', totag: '3' }

export const wecomApp: Double = {
  target: 'wecom',
  way: 'app',
  settings: (origin) => ({ ...app, api_base: origin }),
  env: () => ({ WECOM_CALLBACK_CORP_ID: 'ww1', WECOM_CALLBACK_CORP_SECRET: app.corp_secret, WECOM_CALLBACK_AGENT_ID: '1000002' }),
  wrong: (origin) => ({ ...app, corp_secret: 'canary-wecom-wrong-secret', api_base: origin }),
  chat: 'zhangsan',
  unknownChat: 'lisi',
  limit,
  idempotent: false,
  posts: ({ path }) => path.endsWith('/send'),
  answer({ method, path, query, json }, accept) {
    if (path === '/cgi-bin/gettoken') {
      const known = method === 'GET' && query.get('corpid') === app.corp_id && query.get('corpsecret') === app.corp_secret
      return known ? said(0, 'ok', { access_token: token, expires_in: 7200 }) : said(40001, 'invalid credential')
    }
    if (query.get('access_token') !== token) return said(40014, 'invalid access_token')
    const content = contentOf(json)
    if (method !== 'POST' || content === undefined) return said(44004, 'empty content')
    // WeCom cuts off what is too long, and does not say so.
    const text = Buffer.from(content).subarray(0, 2048).toString()
    if (path === '/cgi-bin/appchat/send') {
      if (json?.chatid !== 'chat1') return said(86003, 'invalid chatid')
      accept({ chat: 'chat:chat1', text })
      return said(0, 'ok')
    }
    if (path !== '/cgi-bin/message/send' || json?.agentid !== 1000002) return said(40056, 'invalid agentid')
    const [to, id] = Object.entries(json).find(([key]) => key in people) ?? ['', '']
    if (id === 'half') return said(0, 'ok', { invaliduser: 'half', msgid: 'm1' })
    if (id !== people[to]) return said(81013, 'user & party & tag all invalid')
    accept({ chat: to === 'touser' ? String(id) : `${to.slice(2)}:${id}`, text })
    return said(0, 'ok', { invaliduser: '', msgid: 'm1' })
  },
  limited: { reply: said(45009, 'api freq out of limit'), waitMs: 60_000 },
  hidden: said(60020, 'not allow to access from your ip'),
  hostile,
}

// ---- the AI bot

const bot = { bot_id: 'bot1', secret: 'canary-wecom-bot-secret' }

/** Answers each frame under the id of its request. A bot that connects anew ends its earlier connection. */
const listenWs: Listen = async (t, running) => {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  await new Promise<void>((ready) => server.once('listening', ready))
  t.teardown(() => {
    for (const client of server.clients) client.terminate()
    server.close()
  })
  let current: WebSocket | undefined
  const subscribe = (socket: WebSocket): void => {
    current?.send(
      JSON.stringify({ cmd: 'aibot_event_callback', headers: { req_id: 'e1' }, body: { event: { eventtype: 'disconnected_event' } } }),
    )
    current?.close()
    current = socket
  }
  server.on('connection', (socket) => {
    socket.on('message', (data) => {
      const text = String(data)
      const json = parseObject(text) ?? {}
      const about = { query: new URLSearchParams(), headers: { 'x-bot': current === socket ? 'bot1' : undefined }, form: undefined }
      const reply = running.answer({ method: 'WS', path: String(json.cmd), text, json, ...about })
      if (reply === 'silence') return
      if (!isObject(reply.body)) return socket.terminate()
      if (json.cmd === 'aibot_subscribe' && reply.body.errcode === 0) subscribe(socket)
      socket.send(JSON.stringify({ ...reply.body, headers: json.headers ?? {} }))
    })
    socket.on('close', () => {
      if (current === socket) current = undefined
    })
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

export const wecomBot: Double = {
  target: 'wecom',
  way: 'bot',
  settings: (origin) => ({ ...bot, websocket_url: origin }),
  env: (origin) => ({ WECOM_BOT_ID: bot.bot_id, WECOM_SECRET: bot.secret, WECOM_WEBSOCKET_URL: origin }),
  wrong: (origin) => ({ ...bot, secret: 'canary-wecom-wrong-secret', websocket_url: origin }),
  chat: 'zhangsan',
  unknownChat: 'lisi',
  // A bot may send 4096 bytes. The target uses only as many as in its other ways of sending.
  limit,
  idempotent: false,
  posts: ({ path }) => path === 'aibot_send_msg',
  answer({ path, headers, json }, accept) {
    const { headers: { req_id: id } = {}, body } = (json ?? {}) as { readonly headers?: JsonObject; readonly body?: JsonObject }
    if (typeof id !== 'string' || id === '' || !isObject(body)) return said(40008, 'invalid message')
    if (path === 'aibot_subscribe')
      return body.bot_id === bot.bot_id && body.secret === bot.secret ? said(0, 'ok') : said(40001, `invalid secret ${body.secret}`)
    if (path !== 'aibot_send_msg') return said(40008, 'invalid cmd')
    if (headers['x-bot'] !== 'bot1') return said(40014, 'not subscribed')
    const content = body.msgtype === 'markdown' && isObject(body.markdown) ? body.markdown.content : undefined
    if (typeof content !== 'string' || content.trim() === '') return said(44004, 'empty content')
    if (Buffer.byteLength(content) > 4096) return said(40058, 'markdown.content exceed max length 4096')
    if (body.chatid !== 'zhangsan') return said(86003, 'invalid chatid')
    accept({ chat: 'zhangsan', text: content })
    return said(0, 'ok')
  },
  limited: { reply: said(45009, 'api freq out of limit'), waitMs: 60_000 },
  hidden: said(86003, 'invalid chatid'),
  hostile,
  listen: listenWs,
}
