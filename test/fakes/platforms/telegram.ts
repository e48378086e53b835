/** Stands in for the Telegram Bot API: sendMessage, with errors in Telegram's own form. */

import type { Json } from '../../../src/core/json.ts'
import type { Double, Reply } from './double.ts'

const token = '123456:canary-telegram-token'

const refuse = (status: number, description: string, parameters?: Json): Reply => ({
  status,
  body: { ok: false, error_code: status, description, ...(parameters === undefined ? {} : { parameters }) },
})

export const telegram: Double = {
  target: 'telegram',
  settings: (origin) => ({ token, api_base: origin }),
  env: () => ({ TELEGRAM_BOT_TOKEN: token }),
  wrong: (origin) => ({ token: '123456:canary-wrong-token', api_base: origin }),
  chat: '-100123',
  unknownChat: '-100999',
  thread: '77',
  limit: { max: 4096, unit: 'utf16' },
  idempotent: false,
  posts: ({ path }) => path.endsWith('/sendMessage'),
  answer({ method, path, json }, accept) {
    const [, sent, name] = /^\/bot([^/]+)\/(\w+)$/.exec(path) ?? []
    if (sent !== token) return refuse(401, 'Unauthorized')
    if (method !== 'POST' || name !== 'sendMessage') return refuse(404, 'Not Found: method not found')
    const { chat_id: chat, text, message_thread_id: thread, parse_mode: mode } = json ?? {}
    if (typeof text !== 'string' || text.trim() === '') return refuse(400, 'Bad Request: message text is empty')
    if (text.length > 4096) return refuse(400, 'Bad Request: message is too long')
    if (mode !== undefined) return refuse(400, "Bad Request: can't parse entities")
    if (String(chat) !== '-100123') return refuse(400, 'Bad Request: chat not found')
    if (thread !== undefined && thread !== 77) return refuse(400, 'Bad Request: message thread not found')
    accept({ chat: String(chat), text, ...(thread === undefined ? {} : { thread: String(thread) }) })
    return { status: 200, body: { ok: true, result: { message_id: 1, date: 0, chat: { id: -100123, type: 'supergroup' }, text } } }
  },
  hostile: ['@jane_doe look', 'ask (@jane_doe), or x.@admin_1'].map((text) => ({ text, never: /(?<![\p{L}\p{N}_])@\w/u })),
  harmless: ({ json }) => JSON.stringify(json?.link_preview_options) === '{"is_disabled":true}',
  limited: { reply: refuse(429, 'Too Many Requests: retry after 7', { retry_after: 7 }), waitMs: 7_000 },
}
