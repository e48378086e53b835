/** Stands in for Slack: chat.postMessage by a bot, whose errors come with status 200, and an incoming webhook, which answers in words. */

import type { JsonObject } from '../../../src/core/json.ts'
import type { Double, Reply, Request } from './double.ts'

const token = 'xoxb-canary-slack-token'
const channel = 'C0000000001'
const thread = '1712345678.000100'
const limit = { max: 4000, unit: 'characters' } as const

const refuse = (error: string, more: JsonObject = {}): Reply => ({ status: 200, body: { ok: false, error, ...more } })
const words = (status: number, body: string): Reply => ({ status, body })
/** Returns what a reader of the message sees. */
const shown = (text: string): string => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')

/** Matches what no text may hold: a sign that begins a mention or a link, and an ampersand that begins no entity. */
const live = /[<>]|&(?!(?:amp|lt|gt);)/
const hostile = [
  { text: '<!channel> <!here|here> <@U0000000001> <!subteam^S1>', never: /^$/ },
  { text: '<https://evil.example|https://bank.example> a&b &lt;!channel&gt;', never: /^$/ },
]
const harmless = ({ json }: Request): boolean =>
  !live.test(String(json?.text)) && json?.link_names === false && json.unfurl_links === false && json.unfurl_media === false

const problemOf = ({ method, json }: Request): string | undefined => {
  if (method !== 'POST' || json === undefined) return 'invalid_json'
  if (typeof json.text !== 'string' || json.text.trim() === '') return 'no_text'
  if (json.text.length > 40_000 || [...shown(json.text)].length > limit.max) return 'msg_too_long'
  if (json.thread_ts !== undefined && json.thread_ts !== thread) return 'invalid_thread_ts'
  return undefined
}

const messageOf = ({ json }: Request) => ({
  chat: channel,
  text: shown(String(json?.text)),
  ...(json?.thread_ts === undefined ? {} : { thread: String(json.thread_ts) }),
})

export const slack: Double = {
  target: 'slack',
  way: 'bot',
  settings: (origin) => ({ token, api_base: origin }),
  env: () => ({ SLACK_BOT_TOKEN: token }),
  wrong: (origin) => ({ token: 'xoxb-canary-slack-wrong', api_base: origin }),
  chat: channel,
  unknownChat: 'C0000000009',
  thread,
  limit,
  idempotent: false,
  posts: ({ path }) => path === '/api/chat.postMessage',
  answer(request, accept) {
    const { path, headers, json } = request
    if (path !== '/api/chat.postMessage') return refuse('unknown_method')
    if (headers['content-type'] !== 'application/json; charset=utf-8') return refuse('invalid_post_type')
    if (headers.authorization === undefined) return refuse('not_authed')
    if (headers.authorization !== `Bearer ${token}`) return refuse('invalid_auth')
    const problem = problemOf(request)
    if (problem !== undefined) return refuse(problem)
    if (json?.parse !== 'none') return refuse('invalid_arguments')
    if (json.channel !== channel) return refuse('channel_not_found')
    accept(messageOf(request))
    return { status: 200, body: { ok: true, channel, ts: '1712345679.000200', message: { text: json.text ?? null } } }
  },
  limited: { reply: { status: 429, body: { ok: false, error: 'ratelimited' }, headers: { 'retry-after': '3' } }, waitMs: 3000 },
  hidden: refuse('missing_scope', { needed: 'chat:write', provided: 'chat:read' }),
  hostile,
  harmless,
}

const path = '/services/T00000001/B00000001/canary-slack-webhook'

export const slackWebhook: Double = {
  target: 'slack',
  way: 'webhook',
  settings: (origin) => ({ webhook_url: origin + path }),
  env: (origin) => ({ SLACK_WEBHOOK_URL: origin + path }),
  wrong: (origin) => ({ webhook_url: `${origin}/services/T00000001/B00000001/canary-slack-unknown` }),
  chat: channel,
  ownChat: true,
  thread,
  limit,
  idempotent: false,
  posts: () => true,
  answer(request, accept) {
    if (request.path !== path) return words(404, 'no_service')
    const problem = problemOf(request)
    if (problem !== undefined) return words(400, problem)
    if (request.json?.channel !== undefined) return words(400, 'invalid_payload')
    accept(messageOf(request))
    return words(200, 'ok')
  },
  limited: { reply: { status: 429, body: 'rate_limited', headers: { 'retry-after': '3' } }, waitMs: 3000 },
  hidden: words(200, 'no_text'),
  hostile,
  harmless,
}
