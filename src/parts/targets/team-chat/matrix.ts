/** Sends text without mentions to a Matrix room by its id or alias, joins the room if necessary, and refuses encrypted rooms. */

import { type Json, own } from '../../../core/json.ts'
import { type ApiAnswer, allAnswerTexts, refusedBy } from '../../delivery/api.ts'
import { permanentFailure } from '../../delivery/permanent-failure.ts'
import { baseOf, defineChat, type Posting } from '../kit/chat.ts'
import { chatKeys, homeChannel, password, referable, secret, textKey, threadKey } from '../kit/keys.ts'
import { type CallWithToken, type TokenOrFailure, withToken } from '../kit/token-cache.ts'
import type { Sent } from '../target.ts'

/** Every login uses the same device, so a new login replaces the one before. */
const device = { device_id: 'HEADGATE', initial_device_display_name: 'headgate' }
const loginMs = 30 * 24 * 3_600_000

export const matrix = defineChat({
  name: 'matrix',
  title: 'Matrix',
  settings: {
    homeserver: referable('Address of the homeserver.', 'MATRIX_HOMESERVER'),
    access_token: secret('Access token.', 'MATRIX_ACCESS_TOKEN'),
    user_id: textKey('User that logs in with a password.', 'MATRIX_USER_ID'),
    password: password('MATRIX_PASSWORD'),
    home_channel: homeChannel('MATRIX_HOME_ROOM', 'MATRIX_HOME_CHANNEL'),
  },
  extra: {
    ...chatKeys('The room (!id:server), or an alias (#name:server).', '!abcdefghijkl:example.org'),
    thread_id: threadKey('Id of the event that began the thread.', '$abc123'),
  },
  needs: [
    ['homeserver', 'access_token'],
    ['homeserver', 'user_id', 'password'],
  ],
  // A Matrix event may have 64 KB in all.
  limit: { max: 24_000, unit: 'json' },
  idempotent: true,
  checkChat: (chat) =>
    /^(?:!\S{1,254}|#[^\s:]{1,200}:\S{1,200})$/.test(chat) ? undefined : 'chat_id is neither a room (!id) nor an alias (#name:server)',
  checkThread: (thread) => (/^\$\S{1,254}$/.test(thread) ? undefined : 'the thread is not the id of an event ($…)'),
  async post(posting) {
    const { setting, clock, keep } = posting
    const api = `${baseOf(posting, setting('homeserver') ?? '')}/_matrix/client/v3`
    if (!/^https?:\/\/[^/?#\s]/i.test(api)) return permanentFailure('platforms.matrix.homeserver is not a web address')
    const token = setting('access_token')
    if (token === undefined) {
      const identity = ['matrix', api, setting('user_id'), setting('password')]
      return withToken({ identity, clock, keep, fetch: () => login(posting, api) }, (fetched) => sendMessage(posting, api, fetched))
    }
    const used = await sendMessage(posting, api, token)
    return 'stale' in used ? used.stale : used
  },
})

const login = async ({ call, setting }: Posting, api: string): Promise<TokenOrFailure> => {
  const identifier = { type: 'm.id.user', user: setting('user_id') ?? '' }
  const answer = await call({
    url: `${api}/login`,
    json: { type: 'm.login.password', identifier, password: setting('password') ?? '', ...device },
  })
  const token = answer.kind === 'answer' && answer.status === 200 ? own(answer.body, 'access_token') : undefined
  return typeof token === 'string' && token !== '' ? { token, lifeMs: loginMs } : refusalOf(answer)
}

type CallServer = (method: 'GET' | 'POST' | 'PUT', path: readonly string[], json?: Json) => Promise<ApiAnswer>

const sendMessage = async (posting: Posting, api: string, token: string): Promise<CallWithToken> => {
  const ask: CallServer = (method, path, json) =>
    posting.call({
      method,
      url: [api, ...path.map(encodeURIComponent)].join('/'),
      headers: { authorization: `Bearer ${token}` },
      ...(json === undefined ? {} : { json }),
    })
  const found = await roomOf(posting.chat, ask)
  if (!('room' in found)) return found
  // The server posts only one message for one transaction id (Client-Server API, transaction identifiers).
  const answer = await ask(
    'PUT',
    ['rooms', found.room, 'send', 'm.room.message', posting.key.toString('base64url')],
    messageContent(posting),
  )
  return answerText(answer, 'event_id') === undefined ? usedOr(answer) : { ok: true }
}

const messageContent = ({ text, thread }: Posting): Json => ({
  msgtype: 'm.text',
  body: text,
  // The empty map says that nobody is mentioned. Without it, clients look for names in the text.
  'm.mentions': {},
  ...(thread === undefined ? {} : { 'm.relates_to': inThread(thread) }),
})

const inThread = (root: string): Json => ({
  rel_type: 'm.thread',
  event_id: root,
  is_falling_back: true,
  'm.in_reply_to': { event_id: root },
})

type RoomId = { readonly room: string }

const roomOf = async (chat: string, ask: CallServer): Promise<RoomId | CallWithToken> => {
  if (!chat.startsWith('#')) return writable(chat, chat, ask)
  const answer = await ask('GET', ['directory', 'room', chat])
  const room = answerText(answer, 'room_id')
  return room === undefined ? usedOr(answer) : writable(room, chat, ask)
}

/** The room, when we may post in it and it is not encrypted. */
const writable = async (room: string, name: string, ask: CallServer): Promise<RoomId | CallWithToken> => {
  const encryption = ['rooms', room, 'state', 'm.room.encryption']
  let state = await ask('GET', encryption)
  if (state.kind === 'answer' && state.status === 403) {
    // 403 means that we are not in the room. Joining works with an invitation, or when anybody may join.
    const joined = await ask('POST', ['join', name], {})
    if (answerText(joined, 'room_id') === undefined) return usedOr(joined)
    state = await ask('GET', encryption)
  }
  if (state.kind === 'none') return refusalOf(state)
  if (state.status === 200) return permanentFailure('the room is encrypted, and headgate cannot write to it: use a room without encryption')
  return state.status === 404 && own(state.body, 'errcode') === 'M_NOT_FOUND' ? { room } : usedOr(state)
}

const answerText = (answer: ApiAnswer, key: string): string | undefined => {
  const value = answer.kind === 'answer' && answer.status === 200 ? own(answer.body, key) : undefined
  return typeof value === 'string' && value !== '' ? value : undefined
}

const usedOr = (answer: ApiAnswer): CallWithToken => {
  const sent = refusalOf(answer)
  return answer.kind === 'answer' && own(answer.body, 'errcode') === 'M_UNKNOWN_TOKEN' ? { stale: sent } : sent
}

/** Every failure may be repeated: the steps before the message post nothing, and the server recognises a repeated message. */
const refusalOf = (answer: ApiAnswer): Sent => {
  if (answer.kind === 'none') return refusedBy(answer, { idempotent: true })
  const wait = own(answer.body, 'retry_after_ms')
  const retryAfterMs = answer.retryAfterMs ?? (typeof wait === 'number' ? wait : undefined)
  return refusedBy(answer, { why: allAnswerTexts(answer.body, 'errcode', 'error'), idempotent: true, retryAfterMs })
}
