/** Stands in for the Discord API, version 10: messages to channels by a bot, and webhooks, which answer with the message only where `wait` is set. */

import { isObject, type JsonObject } from '../../../src/core/json.ts'
import type { Double, Reply, Request } from './double.ts'

const token = 'canary-discord-token.abc.def'
const channel = '100000000000000001'
const thread = '100000000000000077'
const limit = { max: 2000, unit: 'characters' } as const
const hostile = ['@everyone and @here', '<@100000000000000005> <@&100000000000000006>'].map((text) => ({ text, never: /^$/ }))

const refuse = (status: number, code: number, message: string, more: JsonObject = {}): Reply => ({
  status,
  body: { code, message, ...more },
})
const limited = {
  reply: {
    status: 429,
    body: { message: 'You are being rate limited.', retry_after: 1.337, global: false },
    headers: { 'retry-after': '2' },
  },
  waitMs: 1337,
}

/** Returns the refusal of a message with which something is wrong. */
const problemOf = ({ method, headers, json }: Request): Reply | undefined => {
  if (!/^DiscordBot \(https?:\/\/\S+, \S+\)/.test(headers['user-agent'] ?? '')) return refuse(400, 40333, 'internal network error')
  if (method !== 'POST') return refuse(405, 0, '405: Method Not Allowed')
  if (json === undefined) return refuse(400, 50109, 'The request body contains invalid JSON.')
  const { content, allowed_mentions: mentions, flags } = json
  if (typeof content !== 'string' || content.trim() === '') return refuse(400, 50006, 'Cannot send an empty message')
  if ([...content].length > limit.max) return refuse(400, 50035, 'Invalid Form Body', { errors: { content: {} } })
  if (!isObject(mentions) || !Array.isArray(mentions.parse) || !Number.isInteger(flags)) return refuse(400, 50035, 'Invalid Form Body')
  return undefined
}

// The flag 4 keeps Discord from loading previews of the addresses in the text.
const harmless = ({ json }: Request): boolean => JSON.stringify(json?.allowed_mentions) === '{"parse":[]}' && json?.flags === 4
const took = (id: string): Reply => ({ status: 200, body: { id: '100000000000000099', channel_id: id, type: 0 } })

export const discord: Double = {
  target: 'discord',
  way: 'bot',
  settings: (origin) => ({ token, api_base: origin }),
  env: () => ({ DISCORD_BOT_TOKEN: token }),
  wrong: (origin) => ({ token: 'canary-discord-wrong', api_base: origin }),
  chat: channel,
  unknownChat: '100000000000000009',
  limit,
  idempotent: true,
  posts: ({ path }) => path.endsWith('/messages'),
  answer(request, accept) {
    const { path, headers, json } = request
    if (headers.authorization !== `Bot ${token}`) return refuse(401, 0, '401: Unauthorized')
    const id = /^\/api\/v10\/channels\/(\d+)\/messages$/.exec(path)?.[1]
    if (id === undefined) return refuse(404, 0, '404: Not Found')
    const problem = problemOf(request)
    if (problem) return problem
    const { content, nonce, enforce_nonce: enforced } = json ?? {}
    if (typeof nonce !== 'string' || nonce.length > 25 || enforced !== true) return refuse(400, 50035, 'Invalid Form Body')
    if (id === thread) accept({ chat: channel, text: String(content), thread, key: nonce })
    else if (id === channel) accept({ chat: channel, text: String(content), key: nonce })
    else return refuse(404, 10003, 'Unknown Channel')
    return took(id)
  },
  thread,
  limited,
  hostile,
  harmless,
}

const path = '/api/webhooks/100000000000000011/canary-discord-webhook'

export const discordWebhook: Double = {
  target: 'discord',
  way: 'webhook',
  settings: (origin) => ({ webhook_url: origin + path }),
  env: (origin) => ({ DISCORD_WEBHOOK_URL: origin + path }),
  wrong: (origin) => ({ webhook_url: `${origin}/api/webhooks/100000000000000011/canary-discord-unknown` }),
  chat: channel,
  ownChat: true,
  thread,
  limit,
  idempotent: false,
  posts: () => true,
  answer(request, accept) {
    if (request.path !== path || request.headers.authorization !== undefined) return refuse(404, 10015, 'Unknown Webhook')
    const problem = problemOf(request)
    if (problem) return problem
    if (request.json?.nonce !== undefined) return refuse(400, 50035, 'Invalid Form Body')
    const into = request.query.get('thread_id')
    if (into !== null && into !== thread) return refuse(404, 10003, 'Unknown Channel')
    accept({ chat: channel, text: String(request.json?.content), ...(into === null ? {} : { thread: into }) })
    return request.query.get('wait') === 'true' ? took(channel) : { status: 204 }
  },
  limited,
  hostile,
  harmless,
}
