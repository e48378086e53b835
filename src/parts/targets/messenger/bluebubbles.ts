/** Sends iMessages through a BlueBubbles server on a Mac: plain text, to a chat by its GUID, a phone number or an address. */

import { isObject, type Json, type JsonObject, own } from '../../../core/json.ts'
import { type ApiAnswer, answerText, refusedBy } from '../../delivery/api.ts'
import { permanentFailure } from '../../delivery/permanent-failure.ts'
import { baseOf, defineChat, type Posting, uuidOf } from '../kit/chat.ts'
import { chatKeys, homeChannel, password, serverUrl, textKey, threadKey } from '../kit/keys.ts'
import type { Sent } from '../target.ts'

// A page must fit into what we read of an answer. The chats used last come first.
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
  limit: { max: 4000, unit: 'utf16' },
  idempotent: false,
  // The server answers only when the Mac has sent the message.
  callSeconds: 60,
  checkChat: (chat) =>
    /^(?:[A-Za-z]+;[-+];)?[^\s;]{1,200}$/.test(chat)
      ? undefined
      : 'chat_id is neither a chat GUID (iMessage;-;+15551234567) nor an address',
  async post(posting) {
    const method = posting.setting('method')
    if (method !== 'apple-script' && method !== privateApi) return permanentFailure(`method is neither apple-script nor ${privateApi}`)
    const lookup = await guidOf(posting)
    if ('refused' in lookup) return lookup.refused
    const body = { message: posting.text, tempGuid: uuidOf(posting.key) }
    if (lookup.guid === undefined) {
      if (method !== privateApi)
        return permanentFailure(`it has no chat with ${posting.chat}: start one on the Mac, or set method: ${privateApi}`)
      return sentBy(await askServer(posting, 'chat/new', { addresses: [posting.chat], method, ...body }))
    }
    // Only the private API can reply to a message. For a reply, the server uses it whatever `method` says.
    const answered = posting.thread === undefined ? { method } : { method: privateApi, selectedMessageGuid: posting.thread, partIndex: 0 }
    return sentBy(await askServer(posting, 'message/text', { chatGuid: lookup.guid, ...body, ...answered }))
  },
})

const askServer = (posting: Posting, path: string, json: JsonObject): Promise<ApiAnswer> => {
  const password = encodeURIComponent(posting.setting('password') ?? '')
  return posting.call({ url: `${baseOf(posting, posting.setting('server_url') ?? '')}/api/v1/${path}?password=${password}`, json })
}

const isDone = (answer: ApiAnswer): answer is ApiAnswer & { readonly kind: 'answer' } =>
  answer.kind === 'answer' && answer.status === 200 && own(answer.body, 'status') === 200

const sentBy = (answer: ApiAnswer): Sent => (isDone(answer) ? { ok: true } : refusalOf(answer, false))

const refusalOf = (answer: ApiAnswer, idempotent: boolean): Sent => {
  if (answer.kind === 'none') return refusedBy(answer, { idempotent })
  const error = own(answer.body, 'error')
  const why = (isObject(error) ? answerText(error, 'message') : undefined) ?? answerText(answer.body, 'message')
  return refusedBy(answer, { why, idempotent })
}

type FoundChat = { readonly guid: string | undefined } | { readonly refused: Sent }

/** Finds the chat with one address. A group chat in which the address takes part does not count. */
const guidOf = async (posting: Posting): Promise<FoundChat> => {
  if (posting.chat.includes(';')) return { guid: posting.chat }
  for (let page = 0; page < maxPages; page++) {
    const answer = await askServer(posting, 'chat/query', {
      limit: pageSize,
      offset: page * pageSize,
      sort: 'lastmessage',
      with: ['participants'],
    })
    const chats = isDone(answer) ? own(answer.body, 'data') : undefined
    if (!Array.isArray(chats)) return { refused: refusalOf(answer, true) }
    const chat = chats.find((chat) => isWith(chat, posting.chat))
    const guid = isObject(chat) ? own(chat, 'guid') : undefined
    if (typeof guid === 'string') return { guid }
    if (chats.length < pageSize) break
  }
  return { guid: undefined }
}

const isWith = (chat: Json, address: string): boolean => {
  if (!isObject(chat)) return false
  if (own(chat, 'chatIdentifier') === address) return true
  const people = own(chat, 'participants')
  const [only] = Array.isArray(people) && people.length === 1 ? people : []
  return isObject(only) && own(only, 'address') === address
}
