/** Stands in for a BlueBubbles server: its validators, the look-up of chats in pages, and errors in its envelope. */

import type { JsonObject } from '../../../src/core/json.ts'
import type { Double, Reply, Request } from './double.ts'

const password = 'canary & pass/word'

const refuse = (status: number, message: string, error: string): Reply => ({
  status,
  body: { status, message, error: { type: 'Validation Error', message: error } },
})
const invalid = (error: string): Reply => refuse(400, "You've made a bad request!", error)
const done = (message: string, data: JsonObject | JsonObject[]): Reply => ({ status: 200, body: { status: 200, message, data } })

const texts = ['chatGuid', 'tempGuid', 'message', 'method', 'selectedMessageGuid']
const chat = (guid: string, ...addresses: readonly string[]): JsonObject => ({
  guid,
  chatIdentifier: guid.split(';')[2] ?? '',
  participants: addresses.map((address) => ({ address })),
})

/** The chats, more than one page of them. The group stands before the chat with one of its people. */
const chats: readonly JsonObject[] = [
  chat('iMessage;+;chat1', '+15550001', 'friend@example.org'),
  ...Array.from({ length: 60 }, (_, i) => chat(`iMessage;-;+1666${i}`, `+1666${i}`)),
  chat('any;-;+15550001', '+15550001'),
  chat('iMessage;-;alias', 'friend@example.org'),
]

const query = (json: JsonObject): Reply => {
  const { limit, offset, with: members } = json
  if (typeof limit !== 'number' || limit < 1 || limit > 1000 || typeof offset !== 'number' || offset < 0) return invalid('limit or offset')
  if (json.sort !== undefined && json.sort !== 'lastmessage') return invalid('The selected sort is invalid.')
  const full = Array.isArray(members) && members.includes('participants')
  const page = chats.slice(offset, offset + limit).map((each) => (full ? each : { ...each, participants: [] }))
  return done('Successfully fetched chats!', page)
}

/** Returns what the server's validator says of a message; `undefined` for a valid one. */
const problemOf = (json: JsonObject): string | undefined => {
  const wrong = texts.find((key) => json[key] !== undefined && typeof json[key] !== 'string')
  if (wrong !== undefined) return `The ${wrong} must be a string.`
  if (json.method !== undefined && json.method !== 'apple-script' && json.method !== 'private-api') return 'The selected method is invalid.'
  if (typeof json.message !== 'string' || json.message.trim() === '') return 'The message field is required.'
  return typeof json.tempGuid === 'string' && json.tempGuid !== '' ? undefined : `A 'tempGuid' is required when sending via AppleScript`
}

const respond = ({ method, path, query: { size }, json }: Request, get: string | null): Reply | undefined => {
  if (get !== password || size !== 1) return refuse(401, 'You are not authorized to access this resource', 'Unauthorized')
  if (method !== 'POST' || json === undefined) return refuse(404, 'Not Found', 'no such route')
  return path === '/api/v1/chat/query' ? query(json) : undefined
}

export const bluebubbles: Double = {
  target: 'bluebubbles',
  settings: (origin) => ({ server_url: origin, password, method: 'private-api' }),
  env: (origin) => ({ BLUEBUBBLES_SERVER_URL: origin, BLUEBUBBLES_PASSWORD: password }),
  wrong: (origin) => ({ server_url: `${origin}/`, password: 'canary-wrong-password' }),
  chat: 'iMessage;-;+15551234',
  unknownChat: 'iMessage;+;chat999',
  thread: 'A1B2-message-guid',
  limit: { max: 4000, unit: 'utf16' },
  idempotent: false,
  posts: ({ path }) => path === '/api/v1/message/text' || path === '/api/v1/chat/new',
  answer(request, accept) {
    const early = respond(request, request.query.get('password'))
    if (early) return early
    const json = request.json ?? {}
    const problem = problemOf(json)
    if (problem !== undefined) return invalid(problem)
    const message = { text: String(json.message), key: String(json.tempGuid) }
    if (request.path === '/api/v1/chat/new') {
      if (!Array.isArray(json.addresses) || json.addresses.some((address) => typeof address !== 'string')) return invalid('addresses')
      accept({ chat: `new:${json.addresses.join()}`, ...message })
      return done('Successfully created chat!', { guid: 'iMessage;-;new' })
    }
    if (request.path !== '/api/v1/message/text') return refuse(404, 'Not Found', 'no such route')
    const known = json.chatGuid === 'iMessage;-;+15551234' || chats.some(({ guid }) => guid === json.chatGuid)
    if (!known) return refuse(404, 'The requested resource was not found', 'Chat does not exist!')
    const thread = json.selectedMessageGuid
    accept({ chat: String(json.chatGuid), ...message, ...(thread === undefined ? {} : { thread: String(thread) }) })
    return done('Message sent!', { guid: 'p:0/1' })
  },
  limited: { reply: { status: 429, body: '', headers: { 'retry-after': '7' } }, waitMs: 7_000 },
  hidden: { status: 200, body: { status: 500, message: 'Failed to send message!', error: { type: 'iMessage Error', message: 'no' } } },
}
