/** Stands in for an ntfy server: publishing as JSON at its root, and errors with codes of ntfy's own. */

import { isObject, type JsonObject } from '../../../src/core/json.ts'
import type { Double, Reply } from './double.ts'

const token = 'tk_canary-ntfy-token'
const topic = 'alerts'
const forbidden = 'secret_plans'

const refuse = (code: number, error: string): Reply => {
  const http = Math.floor(code / 100)
  return { status: http, body: { code, http, error, link: 'https://ntfy.sh/docs/publish/' } }
}

const known = new Set(['topic', 'message', 'title', 'priority', 'tags', 'click', 'markdown'])

export const ntfy: Double = {
  target: 'ntfy',
  settings: (origin) => ({ topic, token, server_url: origin }),
  env: (origin) => ({ NTFY_TOPIC: topic, NTFY_TOKEN: token, NTFY_SERVER_URL: origin }),
  wrong: (origin) => ({ topic, token: 'tk_canary-wrong-token', server_url: origin }),
  chat: topic,
  unknownChat: forbidden,
  limit: { max: 4096, unit: 'json' },
  idempotent: false,
  posts: ({ method }) => method === 'POST',
  answer({ method, path, headers, json, text: raw }, accept) {
    if (headers.authorization !== `Bearer ${token}`) return refuse(40101, 'unauthorized')
    if (method !== 'POST' || path !== '/') return refuse(40401, 'page not found')
    if (Buffer.byteLength(raw) > 2 * 4096) return refuse(41303, 'JSON body too large')
    if (!json || Object.keys(json).some((key) => !known.has(key))) return refuse(40024, 'invalid request: request body must be valid JSON')
    const { topic: chat, message, title, priority, tags, markdown, click } = json
    if (typeof chat !== 'string' || !/^[-_A-Za-z0-9]{1,64}$/.test(chat)) return refuse(40009, 'invalid request: topic invalid')
    if (chat === forbidden) return refuse(40301, 'forbidden')
    if (typeof message !== 'string' || message === '') return refuse(40024, 'invalid request: no message')
    // ntfy makes a file of a longer message.
    if (Buffer.byteLength(message) > 4096) return refuse(41301, 'attachment too large')
    if (!isKind({ title, click }, 'string') || !isKind({ priority }, 'number') || !isKind({ markdown }, 'boolean'))
      return refuse(40024, 'invalid request: JSON')
    if (tags !== undefined && !(Array.isArray(tags) && tags.every((tag) => typeof tag === 'string')))
      return refuse(40024, 'invalid request: JSON')
    if (typeof priority === 'number' && (priority < 1 || priority > 5)) return refuse(40007, 'invalid request: priority invalid')
    accept({ chat, text: message })
    return { status: 200, body: { id: 'x1', time: 1_700_000_000, event: 'message', topic: chat, message } }
  },
  limited: { reply: refuse(42901, 'limit reached: too many requests'), waitMs: 5_000 },
  hidden: { status: 200, body: { healthy: true } },
}

const isKind = (values: { readonly [key: string]: JsonObject[string] | undefined }, kind: string): boolean =>
  isObject(values) && Object.values(values).every((value) => value === undefined || typeof value === kind)
