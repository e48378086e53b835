/** Stands in for a Matrix homeserver: rooms, aliases, joining, encryption state, a password login, and messages with transaction ids. */

import { isObject, type Json } from '../../../src/core/json.ts'
import type { Accepted, Double, Reply, Request } from './double.ts'

const token = 'syt_canary_matrix_token'
const password = 'canary-matrix-password'
const user = '@bot:example.org'
const room = '!room:example.org'
const root = '$root'

/** A room that the bot was invited to and has not joined yet. */
export const invited = '!invited'
export const closed = '!closed:example.org'
export const encrypted = '!secret:example.org'
export const alias = '#room:example.org'

const refuse = (status: number, errcode: string, error: string): Reply => ({ status, body: { errcode, error } })
const done = (body: Json): Reply => ({ status: 200, body })

const problemOf = (content: Request['json'], text: string): Reply | undefined => {
  if (Buffer.byteLength(text) > 60_000) return refuse(413, 'M_TOO_LARGE', 'event too large')
  if (content?.msgtype !== 'm.text' || typeof content.body !== 'string') return refuse(400, 'M_BAD_JSON', 'no body')
  if (content.format !== undefined || content.formatted_body !== undefined) return refuse(400, 'M_BAD_JSON', 'not plain')
  const relation = content['m.relates_to']
  if (relation === undefined) return undefined
  const isThread = isObject(relation) && relation.rel_type === 'm.thread' && relation.is_falling_back === true && relation.event_id === root
  // Clients without threads show the message as a reply, so the message must also name what it replies to.
  if (isThread && JSON.stringify(relation['m.in_reply_to']) !== JSON.stringify({ event_id: root }))
    return refuse(400, 'M_BAD_JSON', 'no reply')
  return isThread ? undefined : refuse(400, 'M_UNKNOWN', 'Cannot start threads from an event with a relation')
}

type Call = { readonly request: Request; readonly rest: readonly string[]; readonly joined: Set<string> }

const unrecognized = refuse(404, 'M_UNRECOGNIZED', 'Unrecognized request')

/** Makes a homeserver, which remembers the rooms that were joined. */
const homeserver = (): Double['answer'] => {
  const joined = new Set([room, encrypted])
  return (request, accept) => {
    const [, matrix, client, version, ...rest] = request.path.split('/').map(decodeURIComponent)
    if (matrix !== '_matrix' || client !== 'client' || version !== 'v3') return unrecognized
    const [kind] = rest
    if (kind === 'login') return login(request)
    const { authorization } = request.headers
    if (authorization === undefined) return refuse(401, 'M_MISSING_TOKEN', 'Missing access token')
    if (authorization !== `Bearer ${token}`) return refuse(401, 'M_UNKNOWN_TOKEN', 'Invalid access token passed.')
    return kind === 'rooms' ? inRoom({ request, rest, joined }, accept) : toRoom({ request, rest, joined })
  }
}

const toRoom = ({ request: { method, json }, rest: [kind, name = '', last], joined }: Call): Reply => {
  if (method === 'GET' && kind === 'directory' && name === 'room')
    return last === alias ? done({ room_id: room, servers: ['example.org'] }) : refuse(404, 'M_NOT_FOUND', 'Room alias not found')
  if (method !== 'POST' || kind !== 'join' || json === undefined) return unrecognized
  if (name !== invited) return refuse(403, 'M_FORBIDDEN', 'You are not invited to this room.')
  joined.add(name)
  return done({ room_id: name })
}

const inRoom = ({ request, rest, joined }: Call, accept: (message: Accepted) => void): Reply => {
  const [, name = '', what, type, txn = ''] = rest
  if (!joined.has(name)) return refuse(403, 'M_FORBIDDEN', `User ${user} not in room ${name}`)
  if (request.method === 'GET' && what === 'state' && type === 'm.room.encryption')
    return name === encrypted ? done({ algorithm: 'm.megolm.v1.aes-sha2' }) : refuse(404, 'M_NOT_FOUND', 'Event not found.')
  if (request.method !== 'PUT' || what !== 'send' || type !== 'm.room.message' || txn === '') return unrecognized
  const problem = problemOf(request.json, request.text)
  if (problem) return problem
  const thread = request.json?.['m.relates_to'] === undefined ? {} : { thread: root }
  accept({ chat: name, text: String(request.json?.body), key: txn, ...thread })
  return done({ event_id: '$event' })
}

const login = ({ json }: Request): Reply => {
  const { type, identifier, password: given, device_id: device } = json ?? {}
  const isUser = isObject(identifier) && identifier.type === 'm.id.user' && identifier.user === user
  if (type !== 'm.login.password' || typeof device !== 'string') return refuse(400, 'M_UNKNOWN', 'Unknown login type')
  if (!isUser || given !== password) return refuse(403, 'M_FORBIDDEN', 'Invalid username or password')
  return done({ user_id: user, access_token: token, device_id: device })
}

export const matrix: Double = {
  target: 'matrix',
  way: 'token',
  settings: (origin) => ({ homeserver: origin, access_token: token }),
  env: (origin) => ({ MATRIX_HOMESERVER: origin, MATRIX_ACCESS_TOKEN: token }),
  wrong: (origin) => ({ homeserver: origin, access_token: 'syt_canary_matrix_wrong' }),
  chat: room,
  unknownChat: closed,
  thread: root,
  limit: { max: 24_000, unit: 'json' },
  idempotent: true,
  posts: ({ method }) => method === 'PUT',
  answer: homeserver(),
  limited: {
    reply: { status: 429, body: { errcode: 'M_LIMIT_EXCEEDED', error: 'Too Many Requests', retry_after_ms: 2345 } },
    waitMs: 2345,
  },
  hostile: ['@room hello', '@jane:example.org', '<b>@room</b>'].map((text) => ({ text, never: /^$/ })),
  harmless: ({ json }) => JSON.stringify(json?.['m.mentions']) === '{}',
}

export const matrixLogin: Double = {
  ...matrix,
  way: 'password',
  settings: (origin) => ({ homeserver: origin, user_id: user, password }),
  env: (origin) => ({ MATRIX_HOMESERVER: origin, MATRIX_USER_ID: user, MATRIX_PASSWORD: password }),
  wrong: (origin) => ({ homeserver: origin, user_id: user, password: 'canary-matrix-wrong-password' }),
  answer: homeserver(),
}
