/**
 * The target `matrix`: sends text without mentions to a Matrix room, which is named by its id or alias. The user who sends joins the room
 * where necessary. To an encrypted room nothing is sent.
 */

import { type Json, own } from '../../../core/json.ts'
import { type ApiAnswer, allAnswerTexts, failureFromAnswer } from '../delivery/api.ts'
import { apiBaseOf, defineChat, type Posting } from '../kit/chat.ts'
import { address, chatKeys, homeChannel, password, secret, textKey, threadKey } from '../kit/keys.ts'
import { type CallWithToken, type TokenOrFailure, withToken } from '../kit/token-cache.ts'
import { permanentFailure, type Sent } from '../target.ts'

/** Every login has the same device, so a new login replaces the login before it. */
const device = { device_id: 'HEADGATE', initial_device_display_name: 'headgate' }
const loginMs = 30 * 24 * 3_600_000

export const matrix = defineChat({
  name: 'matrix',
  title: 'Matrix',
  settings: {
    homeserver: address('Address of the homeserver.', 'MATRIX_HOMESERVER'),
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
  forms: { homeserver: { is: 'a web address', example: 'https://matrix.org', fits: (address) => /^https?:\/\/[^/?#\s]/i.test(address) } },
  // A Matrix event may have 64 KB in all.
  limit: { max: 24_000, unit: 'json' },
  idempotent: true,
  checkChat: (chat) =>
    /^(?:!\S{1,254}|#[^\s:]{1,200}:\S{1,200})$/.test(chat) ? undefined : 'chat_id is neither a room (!id) nor an alias (#name:server)',
  checkThread: (thread) => (/^\$\S{1,254}$/.test(thread) ? undefined : 'the thread is not the id of an event ($…)'),
  async post(posting) {
    const { setting, clock, keep } = posting
    const api = `${apiBaseOf(posting, setting('homeserver') ?? '')}/_matrix/client/v3`
    const token = setting('access_token')
    if (token === undefined) {
      const identity = ['matrix', api, setting('user_id'), setting('password')]
      return withToken({ identity, clock, keep, fetchToken: () => login(posting, api) }, (fetched) => sendMessage(posting, api, fetched))
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
  const token = answer.status === 200 ? own(answer.body, 'access_token') : undefined
  return typeof token === 'string' && token !== '' ? { token, lifeMs: loginMs } : matrixFailure(answer)
}

/** Calls the server with the token. `path`: the segments of the path after the address of the API. */
type CallServer = (method: 'GET' | 'POST' | 'PUT', path: readonly string[], json?: Json) => Promise<ApiAnswer>

/** Sends one message. `stale`: the token is no longer valid. */
const sendMessage = async (posting: Posting, api: string, token: string): Promise<CallWithToken> => {
  const ask: CallServer = (method, path, json) =>
    posting.call({
      method,
      url: [api, ...path.map(encodeURIComponent)].join('/'),
      headers: { authorization: `Bearer ${token}` },
      ...(json === undefined ? {} : { json }),
    })
  const found = await findRoom(posting.chat, ask)
  if (!('room' in found)) return found
  // The last segment is a transaction id. For one such id the server posts only one message (Client-Server API, transaction identifiers).
  const answer = await ask(
    'PUT',
    ['rooms', found.room, 'send', 'm.room.message', posting.key.toString('base64url')],
    messageContent(posting),
  )
  return successText(answer, 'event_id') === undefined ? failureOrStale(answer) : { ok: true }
}

const messageContent = ({ text, thread }: Posting): Json => ({
  msgtype: 'm.text',
  body: text,
  // An empty `m.mentions` says that nobody is mentioned. Without `m.mentions`, clients search the text for names.
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

/** Finds the room that a chat id or alias names. A failure is returned as the result of the message. */
const findRoom = async (chat: string, ask: CallServer): Promise<RoomId | CallWithToken> => {
  if (!chat.startsWith('#')) return writableRoom(chat, chat, ask)
  const answer = await ask('GET', ['directory', 'room', chat])
  const room = successText(answer, 'room_id')
  return room === undefined ? failureOrStale(answer) : writableRoom(room, chat, ask)
}

/**
 * Returns the room, after joining it where necessary. Returns a failure when the room cannot be joined, or is encrypted. `name`: the room's
 * id or alias.
 */
const writableRoom = async (room: string, name: string, ask: CallServer): Promise<RoomId | CallWithToken> => {
  const encryption = ['rooms', room, 'state', 'm.room.encryption']
  let state = await ask('GET', encryption)
  if (state.status === 403) {
    // 403 means that the user is not in the room. Joining works with an invitation, or when anybody may join.
    const joined = await ask('POST', ['join', name], {})
    if (successText(joined, 'room_id') === undefined) return failureOrStale(joined)
    state = await ask('GET', encryption)
  }
  if (state.status === 200) return permanentFailure('the room is encrypted, and headgate cannot write to it: use a room without encryption')
  return state.status === 404 && own(state.body, 'errcode') === 'M_NOT_FOUND' ? { room } : failureOrStale(state)
}

/** Returns the text under a key of an answer with status 200; `undefined` for any other answer. */
const successText = (answer: ApiAnswer, key: string): string | undefined => {
  const value = answer.status === 200 ? own(answer.body, key) : undefined
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Makes the failure of a call with a token. `stale`: the server no longer knows the token. */
const failureOrStale = (answer: ApiAnswer): CallWithToken => {
  const sent = matrixFailure(answer)
  return own(answer.body, 'errcode') === 'M_UNKNOWN_TOKEN' ? { stale: sent } : sent
}

/** Makes the failure of a call. A repeat is allowed: only the last call posts, and the server recognises a repeated message. */
const matrixFailure = (answer: ApiAnswer): Sent => {
  const wait = own(answer.body, 'retry_after_ms')
  const retryAfterMs = answer.retryAfterMs ?? (typeof wait === 'number' ? wait : undefined)
  return failureFromAnswer(answer, { why: allAnswerTexts(answer.body, 'errcode', 'error'), idempotent: true, retryAfterMs })
}
