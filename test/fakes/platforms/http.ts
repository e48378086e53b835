/** Stands in for an operator's own receiver of Standard Webhooks, which checks the signature before anything else. */

import { createHmac } from 'node:crypto'
import type { Double } from './double.ts'

const secret = 'canary-http-signing-secret'

export const http: Double = {
  target: 'http',
  settings: () => ({}),
  env: () => ({}),
  chat: '/in',
  // The chats of this double are paths. Without a path, there is no address of a receiver.
  address: (chat, origin) => ({ url: chat === '' ? '' : `${origin}${chat}`, secret }),
  unknownChat: '/gone',
  idempotent: true,
  byStatus: true,
  posts: () => true,
  answer({ method, path, headers, json, text: body }, accept) {
    const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature } = headers
    const digest = createHmac('sha256', secret).update(`${id}.${at}.${body}`).digest('base64')
    if (signature !== `v1,${digest}` || !/^\d{10}$/.test(String(at))) return { status: 401, body: { error: 'bad signature' } }
    if (method !== 'POST' || path !== '/in') return { status: 404 }
    if (typeof json?.text !== 'string' || typeof json.route !== 'string' || typeof json.delivery_id !== 'string') return { status: 422 }
    accept({ chat: path, text: json.text, key: String(id) })
    return { status: 204 }
  },
  limited: { reply: { status: 429, headers: { 'retry-after': '7' } }, waitMs: 7_000 },
}
