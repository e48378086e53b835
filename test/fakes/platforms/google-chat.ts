/**
 * Stands in for Google Chat: spaces.messages.create by the address of a webhook, or by a service account, which signs a text and gets a
 * token for it.
 */

import { generateKeyPairSync, type KeyObject, verify } from 'node:crypto'
import { isObject, type JsonObject } from '../../../src/core/json.ts'
import type { Accepted, Double, Reply, Request } from './double.ts'

const limit = { max: 30_000, unit: 'json' } as const
const hostile = [
  { text: 'hi <users/all> and <users/123>', never: /<users\//i },
  { text: '<https://evil.example|https://bank.example>', never: /<https?:/ },
]

const refuse = (code: number, status: string, message: string): Reply => ({ status: code, body: { error: { code, message, status } } })

const create = ({ method, path, query, json }: Request, accept: (message: Accepted) => void): Reply => {
  const space = /^\/v1\/(spaces\/\w+)\/messages$/.exec(path)?.[1]
  if (method !== 'POST' || space === undefined || !json) return refuse(400, 'INVALID_ARGUMENT', 'Invalid JSON payload received.')
  if (space !== 'spaces/AAA') return refuse(404, 'NOT_FOUND', 'Space not found.')
  const { text, thread = {}, ...more } = json
  const isText = typeof text === 'string' && text.trim() !== '' && Object.keys(more).length === 0
  if (!isText || !isObject(thread)) return refuse(400, 'INVALID_ARGUMENT', 'Message cannot be empty.')
  if (Buffer.byteLength(JSON.stringify(json)) > 32_000) return refuse(400, 'INVALID_ARGUMENT', 'Message is too long.')
  const { name, threadKey, ...others } = thread
  const isThread = name === undefined || /^spaces\/\w+\/threads\/\w+$/.test(String(name))
  const isKey = threadKey === undefined || /^[^/]{1,4000}$/.test(String(threadKey))
  if (!isThread || !isKey || Object.keys(others).length > 0) return refuse(400, 'INVALID_ARGUMENT', 'Invalid thread.')
  const named = name ?? threadKey
  // Without this option, Google Chat ignores the thread.
  const isReply = query.get('messageReplyOption') === 'REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD'
  const key = query.get('requestId')
  accept({ chat: space, text, ...(isReply && named !== undefined ? { thread: String(named) } : {}), ...(key === null ? {} : { key }) })
  return { status: 200, body: { name: `${space}/messages/1`, thread: { name: `${space}/threads/1` } } }
}

const common = { target: 'google_chat', chat: 'spaces/AAA', thread: 'deploys', limit, hostile }
const posts = ({ path }: Request): boolean => path.endsWith('/messages')
const limited = { reply: refuse(429, 'RESOURCE_EXHAUSTED', 'Resource has been exhausted (e.g. check quota).'), waitMs: 5000 }

const hook = (origin: string, token = 'canary-google-hook-token='): string =>
  `${origin}/v1/spaces/AAA/messages?key=canary-google-hook-key&token=${encodeURIComponent(token)}`

export const googleChat: Double = {
  ...common,
  way: 'webhook',
  ownChat: true,
  settings: (origin) => ({ webhook_url: hook(origin) }),
  env: (origin) => ({ GOOGLE_CHAT_WEBHOOK_URL: hook(origin) }),
  wrong: (origin) => ({ webhook_url: hook(origin, 'canary-google-wrong-token') }),
  idempotent: false,
  posts,
  answer(request, accept) {
    const isKnown = request.query.get('key') === 'canary-google-hook-key' && request.query.get('token') === 'canary-google-hook-token='
    return isKnown ? create(request, accept) : refuse(403, 'PERMISSION_DENIED', `The token ${request.query.get('token')} is not valid.`)
  },
  limited,
}

const pairOf = () => generateKeyPairSync('rsa', { modulusLength: 2048 })
const pair = pairOf()
const token = 'ya29.canary-google-access-token'

/** Returns the JSON of a service account's key. */
const account = (key: KeyObject): string => {
  const private_key = key.export({ type: 'pkcs8', format: 'pem' }).toString()
  return JSON.stringify({ type: 'service_account', client_email: 'canary@p.example', private_key_id: 'k1', private_key })
}
export const googleAccount = account(pair.privateKey)
const otherAccount = account(pairOf().privateKey)

const partOf = (jwt: string, place: number): JsonObject => JSON.parse(Buffer.from(jwt.split('.')[place] ?? '', 'base64url').toString())

const exchange = ({ method, form }: Request): Reply => {
  const refused = (why: string): Reply => ({ status: 400, body: { error: 'invalid_grant', error_description: why } })
  const jwt = form?.get('assertion') ?? ''
  if (method !== 'POST' || form?.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer') return refused('bad grant_type')
  const [signed, signature = ''] = [jwt.slice(0, jwt.lastIndexOf('.')), jwt.split('.')[2]]
  const isSigned = verify('sha256', Buffer.from(signed), pair.publicKey, Buffer.from(signature, 'base64url'))
  if (!isSigned || partOf(jwt, 0).alg !== 'RS256' || partOf(jwt, 0).kid !== 'k1') return refused('Invalid JWT Signature.')
  const { iss, scope, aud, iat, exp } = partOf(jwt, 1)
  const isTimed = Number.isInteger(iat) && Number(iat) < 10_000_000_000 && Number(exp) - Number(iat) <= 3600
  const isOurs = iss === 'canary@p.example' && aud === 'https://oauth2.googleapis.com/token'
  if (!isTimed || !isOurs || scope !== 'https://www.googleapis.com/auth/chat.bot') return refused('Invalid JWT: claims')
  return { status: 200, body: { access_token: token, expires_in: 3599, token_type: 'Bearer' } }
}

export const googleChatApp: Double = {
  ...common,
  way: 'app',
  settings: (origin) => ({ service_account_json: googleAccount, api_base: origin }),
  env: () => ({ GOOGLE_CHAT_SERVICE_ACCOUNT_JSON: googleAccount }),
  wrong: (origin) => ({ service_account_json: otherAccount, api_base: origin }),
  unknownChat: 'spaces/BBB',
  idempotent: true,
  posts,
  answer(request, accept) {
    if (request.path === '/token') return exchange(request)
    if (request.headers.authorization !== `Bearer ${token}`) return refuse(401, 'UNAUTHENTICATED', 'Invalid authentication credentials.')
    return create(request, accept)
  },
  limited,
}
