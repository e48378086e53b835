/**
 * The target `bluebubbles`: sends plain text as iMessages through a BlueBubbles server on a Mac. `chat_id` is the GUID of a chat, a phone
 * number or an e-mail address.
 */

import { isObject, type Json, type JsonObject, own } from '../../../core/json.ts'
import { type ApiAnswer, answerText, failureFromAnswer } from '../delivery/api.ts'
import { apiBaseOf, defineChat, type Posting, uuidOf } from '../kit/chat.ts'
import { chatKeys, homeChannel, password, serverUrl, textKey, threadKey } from '../kit/keys.ts'
import { permanentFailure, type Sent } from '../target.ts'

/** The number of chats that one call asks for. An answer with more chats could be longer than `callApi` reads. */
const pageSize = 50
const maxPages = 40
const privateApi = 'private-api'

export const bluebubbles = defineChat({
  name: 'bluebubbles',
  title: 'BlueBubbles',
  settings: {
    server_url: serverUrl('BLUEBUBBLES_SERVER_URL'),
    password: password('BLUEBUBBLES_PASSWORD'),
    method: { ...textKey('How the server sends: apple-script or private-api.'), default: 'apple-script' },
    home_channel: homeChannel('BLUEBUBBLES_HOME_CHANNEL'),
  },
  extra: {
    ...chatKeys('Number, address, or guid of the chat.', '+15550100'),
    thread_id: threadKey('Guid of the message to answer.', '{message_guid}'),
  },
  needs: [['server_url', 'password']],
  forms: {
    method: {
      is: `apple-script or ${privateApi}`,
      example: privateApi,
      fits: (method) => method === 'apple-script' || method === privateApi,
    },
  },
  limit: { max: 4000, unit: 'utf16' },
  idempotent: false,
  // The server answers only when the Mac has sent the message, which may take long.
  callSeconds: 60,
  checkChat: (chat) =>
    /^(?:[A-Za-z]+;[-+];)?[^\s;]{1,200}$/.test(chat)
      ? undefined
      : 'chat_id is neither a chat GUID (iMessage;-;+15551234567) nor an address',
  async post(posting) {
    const method = posting.setting('method') ?? ''
    const lookup = await findChat(posting)
    if ('refused' in lookup) return lookup.refused
    const body = { message: posting.text, tempGuid: uuidOf(posting.key) }
    if (lookup.guid === undefined) {
      if (method !== privateApi)
        return permanentFailure(`it has no chat with ${posting.chat}: start one on the Mac, or set method: ${privateApi}`)
      return resultOfMessage(await askServer(posting, 'chat/new', { addresses: [posting.chat], method, ...body }))
    }
    // A reply needs the private API: the server uses it for a reply even when `method` says apple-script.
    const reply = posting.thread === undefined ? { method } : { method: privateApi, selectedMessageGuid: posting.thread, partIndex: 0 }
    return resultOfMessage(await askServer(posting, 'message/text', { chatGuid: lookup.guid, ...body, ...reply }))
  },
})

const askServer = (posting: Posting, path: string, json: JsonObject): Promise<ApiAnswer> => {
  const password = encodeURIComponent(posting.setting('password') ?? '')
  return posting.call({ url: `${apiBaseOf(posting, posting.setting('server_url') ?? '')}/api/v1/${path}?password=${password}`, json })
}

const isDone = ({ status, body }: ApiAnswer): boolean => status === 200 && own(body, 'status') === 200

const resultOfMessage = (answer: ApiAnswer): Sent => (isDone(answer) ? { ok: true } : bluebubblesFailure(answer, false))

const bluebubblesFailure = (answer: ApiAnswer, idempotent: boolean): Sent => {
  const error = own(answer.body, 'error')
  const why = (isObject(error) ? answerText(error, 'message') : undefined) ?? answerText(answer.body, 'message')
  return failureFromAnswer(answer, { why, idempotent })
}

/**
 * `guid`: the GUID of the chat; `undefined` when it is not among the 2,000 chats of the server with the latest messages. `refused`: the
 * server did not list its chats.
 */
type FoundChat = { readonly guid: string | undefined } | { readonly refused: Sent }

/** Finds the chat with the phone number or address of `chat_id`. A group chat in which that address takes part does not count. */
const findChat = async (posting: Posting): Promise<FoundChat> => {
  if (posting.chat.includes(';')) return { guid: posting.chat }
  for (let page = 0; page < maxPages; page++) {
    const answer = await askServer(posting, 'chat/query', {
      limit: pageSize,
      offset: page * pageSize,
      sort: 'lastmessage',
      with: ['participants'],
    })
    const chats = isDone(answer) ? own(answer.body, 'data') : undefined
    if (!Array.isArray(chats)) return { refused: bluebubblesFailure(answer, true) }
    const chat = chats.find((chat) => isChatWith(chat, posting.chat))
    const guid = isObject(chat) ? own(chat, 'guid') : undefined
    if (typeof guid === 'string') return { guid }
    if (chats.length < pageSize) break
  }
  return { guid: undefined }
}

/** Whether a chat is a conversation with this address and nobody else. */
const isChatWith = (chat: Json, address: string): boolean => {
  if (!isObject(chat)) return false
  if (own(chat, 'chatIdentifier') === address) return true
  const people = own(chat, 'participants')
  const [only] = Array.isArray(people) && people.length === 1 ? people : []
  return isObject(only) && own(only, 'address') === address
}
