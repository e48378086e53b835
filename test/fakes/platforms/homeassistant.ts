/**
 * Stands in for Home Assistant's REST API: its notify services, its entities, and persistent notifications. Home Assistant takes each
 * message for a template.
 */

import { type JsonObject, own } from '../../../src/core/json.ts'
import type { Double, Reply, Request } from './double.ts'

const token = 'canary-long-lived-token'
const services = ['mobile_app_phone', 'notify', 'kitchen']
const entities: { readonly [id: string]: string } = { 'notify.phone': 'unknown', 'notify.attic': 'unavailable' }

const badRequest: Reply = { status: 400, body: '400: Bad Request' }

/** Whether the schemas of Home Assistant take these data: only known keys, all of them texts. */
const fits = (data: JsonObject, ...keys: readonly string[]): boolean =>
  typeof own(data, 'message') === 'string' && Object.entries(data).every(([key, value]) => keys.includes(key) && typeof value === 'string')

/** Returns what a notify service makes of a text; `undefined` for a template with a mistake in it. */
const render = (text: string): string | undefined => {
  const rendered = text
    .replace(/\{#.*?#\}/gs, '')
    .replace(/\{\{.*?\}\}/gs, '[rendered]')
    .replace(/\{%.*?%\}/gs, '[executed]')
  return /\{[{%#]/.test(rendered) ? undefined : rendered
}

const stateOf = (id: string): Reply => {
  const state = own(entities, id)
  return state === undefined ? { status: 404, body: { message: 'Entity not found.' } } : { status: 200, body: { entity_id: id, state } }
}

const callOf = (path: string, data: JsonObject): { readonly chat: string; readonly isTemplate: boolean } | undefined => {
  const [, domain, service = ''] = /^\/api\/services\/(\w+)\/(\w+)$/.exec(path) ?? []
  if (domain === 'persistent_notification' && service === 'create' && fits(data, 'message', 'title', 'notification_id'))
    return { chat: `${domain}:${data.notification_id}`, isTemplate: true }
  if (domain !== 'notify') return undefined
  if (service === 'send_message' && fits(data, 'message', 'title', 'entity_id')) return { chat: String(data.entity_id), isTemplate: false }
  return services.includes(service) && fits(data, 'message', 'title') ? { chat: service, isTemplate: true } : undefined
}

const authorized = ({ headers }: Request): boolean => headers.authorization === `Bearer ${token}`

export const homeassistant: Double = {
  target: 'homeassistant',
  settings: (origin) => ({ url: origin, token }),
  env: (origin) => ({ HASS_URL: origin, HASS_TOKEN: token }),
  wrong: (origin) => ({ url: `${origin}/`, token: 'canary-another-token' }),
  chat: 'mobile_app_phone',
  unknownChat: 'mobile_app_gone',
  limit: { max: 4096, unit: 'characters' },
  idempotent: false,
  posts: ({ path }) => path.startsWith('/api/services/'),
  answer(request, accept) {
    if (!authorized(request)) return { status: 401, body: '401: Unauthorized' }
    const { method, path, json } = request
    if (method === 'GET' && path.startsWith('/api/states/')) return stateOf(path.slice('/api/states/'.length))
    if (method !== 'POST') return { status: 405, body: '405: Method Not Allowed' }
    if (json === undefined) return { status: 400, body: { message: 'Data should be valid JSON.' } }
    const called = callOf(path, json)
    if (called === undefined) return badRequest
    const text = called.isTemplate ? render(String(json.message)) : String(json.message)
    const title = render(String(json.title ?? ''))
    if (text === undefined || title === undefined) return badRequest
    // A call for an unknown entity is answered with success, and leaves a line in the log of Home Assistant.
    if (called.chat.startsWith('notify.') && own(entities, called.chat) !== 'unknown') return { status: 200, body: [] }
    accept({ chat: called.chat, text })
    return { status: 200, body: [] }
  },
  limited: { reply: { status: 429, body: 'slow down', headers: { 'retry-after': '7' } }, waitMs: 7_000 },
  hostile: ['{{ states("alarm.code") }}', '{% for x in y %}', '{# gone #}', '{{{ 1 }}}', 'open {{', '{{%', '![x](http://evil.example)'].map(
    (text) => ({
      text: `a ${text} b`,
      never: /\{[{%#]|!\[|rendered|executed|^a {2}b$/,
    }),
  ),
}
