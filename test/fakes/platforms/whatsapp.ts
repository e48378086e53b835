/** Stands in for the WhatsApp Cloud API, and for the bridge that some operators run on their own machine. */

import { isObject, type Json, type JsonObject } from '../../../src/core/json.ts'
import type { Double, Reply, Request } from './double.ts'

const cloud = { phone_number_id: '106540352242922', access_token: 'EAAcanary-whatsapp-token' }

const refuse = (status: number, code: number, message: string, details?: string): Reply => ({
  status,
  body: {
    error: {
      message: `(#${code}) ${message}`,
      type: 'OAuthException',
      code,
      ...(details === undefined ? {} : { error_data: { messaging_product: 'whatsapp', details } }),
      fbtrace_id: 'Az8or2yhqkZfEZ',
    },
  },
})
const invalid = (details: string): Reply => refuse(400, 100, 'Invalid parameter', details)

const only = (value: Json | undefined, ...keys: readonly string[]): JsonObject | undefined =>
  isObject(value) && Object.keys(value).every((key) => keys.includes(key)) ? value : undefined

/** Returns the one value of a template. The value may have no line break, no tab and no run of spaces. */
const valueIn = (template: JsonObject): string | undefined => {
  const [component, ...more] = Array.isArray(template.components) ? template.components : []
  const { type, parameters } = only(component, 'type', 'parameters') ?? {}
  const [parameter, ...others] = Array.isArray(parameters) ? parameters : []
  const value = only(parameter, 'type', 'text')
  if (more.length > 0 || others.length > 0 || type !== 'body' || value?.type !== 'text' || typeof value.text !== 'string') return undefined
  return value.text.length > 1024 || /[\n\t]| {5}/.test(value.text) ? undefined : value.text
}

const textOf = ({ type, text, template }: JsonObject): string | undefined => {
  if (type === 'text') {
    const { body, preview_url: preview } = only(text, 'body', 'preview_url') ?? {}
    return typeof body === 'string' && body.trim() !== '' && body.length <= 4096 && preview === false ? body : undefined
  }
  const named = only(template, 'name', 'language', 'components')
  const language = only(named?.language, 'code')
  return type === 'template' && named?.name === 'alert' && language?.code === 'en_US' ? valueIn(named) : undefined
}

export const whatsapp: Double = {
  target: 'whatsapp',
  way: 'Cloud API',
  settings: (origin) => ({ ...cloud, api_base: origin }),
  env: () => ({ WHATSAPP_CLOUD_PHONE_NUMBER_ID: cloud.phone_number_id, WHATSAPP_CLOUD_ACCESS_TOKEN: cloud.access_token }),
  wrong: (origin) => ({ ...cloud, access_token: 'EAAcanary-expired', api_base: `${origin}/` }),
  chat: '491701234567',
  unknownChat: '4900000',
  thread: 'wamid.HBgLMQ==',
  limit: { max: 4096, unit: 'utf16' },
  idempotent: false,
  posts: ({ path }) => path.endsWith('/messages'),
  answer({ method, path, headers, json }, accept) {
    if (headers.authorization !== `Bearer ${cloud.access_token}`) return refuse(401, 190, 'Access token has expired')
    if (method !== 'POST' || path !== `/v20.0/${cloud.phone_number_id}/messages`) return refuse(404, 100, 'Unsupported post request')
    const body = only(json, 'messaging_product', 'recipient_type', 'to', 'type', 'text', 'template', 'context')
    if (body?.messaging_product !== 'whatsapp' || body.recipient_type !== 'individual') return invalid('messaging_product')
    const text = textOf(body)
    if (text === undefined) return invalid('text or template')
    const context = only(body.context, 'message_id')
    if (body.context !== undefined && typeof context?.message_id !== 'string') return invalid('context')
    if (typeof body.to !== 'string' || !/^\d+$/.test(body.to)) return invalid('to')
    if (body.to === '49111' && body.type === 'text') return refuse(400, 131047, 'Re-engagement message')
    if (body.to !== '491701234567' && body.to !== '49111') return refuse(400, 131026, 'Message undeliverable')
    accept({ chat: body.to, text, ...(context === undefined ? {} : { thread: String(context.message_id) }) })
    return { status: 200, body: { messaging_product: 'whatsapp', contacts: [{ input: body.to }], messages: [{ id: 'wamid.X' }] } }
  },
  limited: { reply: refuse(400, 131056, 'Pair rate limit hit'), waitMs: 6_000 },
  hidden: { status: 200, body: { messaging_product: 'whatsapp', messages: [] } },
}

/** Answers as the bridge, which has no credentials: it serves this machine alone, and checks the host that the request names. */
const answerAsBridge = ({ method, path, headers, json }: Request, accept: Parameters<Double['answer']>[1]): Reply => {
  if (!/^(?:localhost|127\.0\.0\.1)(?::\d+)?$/.test(headers.host ?? '')) return { status: 400, body: { error: 'Invalid Host header.' } }
  if (method !== 'POST' || path !== '/send') return { status: 404, body: 'Cannot POST' }
  const { chatId, message, replyTo } = json ?? {}
  if (typeof chatId !== 'string' || typeof message !== 'string' || message === '') {
    return { status: 400, body: { error: 'chatId and message are required' } }
  }
  if (!/@(?:s\.whatsapp\.net|g\.us|lid)$/.test(chatId)) return { status: 500, body: { error: 'jid is not an address' } }
  accept({ chat: chatId, text: message, ...(replyTo === undefined ? {} : { thread: String(replyTo) }) })
  return { status: 200, body: { success: true, messageId: '3EB0', messageIds: ['3EB0'] } }
}

export const whatsappBridge: Double = {
  target: 'whatsapp',
  way: 'bridge',
  settings: (origin) => ({ bridge_url: origin }),
  env: (origin) => ({ WHATSAPP_BRIDGE_URL: origin }),
  chat: '120363041234567890@g.us',
  thread: '3EB0C767',
  limit: { max: 4096, unit: 'utf16' },
  idempotent: false,
  posts: ({ path }) => path === '/send',
  answer: answerAsBridge,
  limited: { reply: { status: 503, body: { error: 'Not connected to WhatsApp' } }, waitMs: undefined },
  hidden: { status: 200, body: { success: false } },
}
