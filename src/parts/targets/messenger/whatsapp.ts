/**
 * The target `whatsapp`: sends text by WhatsApp's Cloud API when its settings are there, else by a bridge. A bridge is a program of the
 * operator that acts as a linked device.
 */

import { isObject, type Json, type JsonObject, own } from '../../../core/json.ts'
import { answerText, failureFromAnswer } from '../delivery/api.ts'
import { isOn } from '../delivery/settings.ts'
import { apiBaseOf, defineChat, type Posting } from '../kit/chat.ts'
import { address, chatKeys, homeChannel, onOff, secret, textKey, threadKey } from '../kit/keys.ts'
import type { Sent } from '../target.ts'

const localBridge = 'http://127.0.0.1:3000'
const cloudKeys = ['phone_number_id', 'access_token']

/** The Cloud API's codes for "not now": a limit of the app, the account, the number or the receiver is reached, or the service is down. */
const notNow = [4, 80007, 130429, 131016, 131056]
/** The code for too many messages from one number to one receiver. */
const pairRate = 131056
const pairRateMs = 6_000

const number = /^\+?\d[\d ().-]{3,30}$/
const jid = /^\d[\d-]{3,40}@(?:s\.whatsapp\.net|g\.us|lid)$/

export const whatsapp = defineChat({
  name: 'whatsapp',
  aliases: ['whatsapp_cloud'],
  title: 'WhatsApp',
  settings: {
    phone_number_id: textKey('Id of the sending number (Cloud API).', 'WHATSAPP_CLOUD_PHONE_NUMBER_ID'),
    access_token: secret('Access token.', 'WHATSAPP_CLOUD_ACCESS_TOKEN'),
    api_version: { ...textKey('Version of the Cloud API.', 'WHATSAPP_CLOUD_API_VERSION'), default: 'v20.0' },
    bridge: onOff('true: the local bridge.', 'WHATSAPP_ENABLED'),
    bridge_url: address('Address of the local bridge.', 'WHATSAPP_BRIDGE_URL'),
    home_channel: homeChannel('WHATSAPP_CLOUD_HOME_CHANNEL', 'WHATSAPP_HOME_CHANNEL'),
  },
  extra: {
    ...chatKeys('Phone number with its country code.', '15550100'),
    thread_id: threadKey('Id of the message to answer.', '{message_id}'),
    template: {
      title: 'Message template',
      description: 'Name of an approved template: only those reach who has not written for a day. The text is its one value.',
      examples: ['event_notice'],
      'x-exact': true,
    },
    template_language: {
      title: 'Template language',
      description: 'Language of the template. Absent: en_US.',
      examples: ['en_US'],
      'x-exact': true,
    },
  },
  needs: [cloudKeys, ['bridge_url'], ['bridge']],
  forms: {
    phone_number_id: { is: 'a number', example: '106540352242922', fits: (id) => /^\d{1,30}$/.test(id) },
    api_version: { is: 'a version', example: 'v20.0', fits: (version) => /^v\d{1,3}\.\d{1,2}$/.test(version) },
  },
  // A template may have 1024 characters in all, together with the text around the value.
  limit: ({ extra }) => ({ max: extra('template') === undefined ? 4096 : 900, unit: 'utf16' }),
  idempotent: false,
  checkChat: (chat) => (number.test(chat) || jid.test(chat) ? undefined : 'chat_id is neither a phone number nor an id like 123456@g.us'),
  refuses(given) {
    const { setting } = given
    const [first, ...more] = cloudKeys.filter((key) => setting(key) === undefined)
    if (first === undefined) return refusedByCloud(given)
    // One setting of the Cloud API without the other is a mistake. The bridge is not used then, because it would send from another number.
    if (more.length === 0) return `not connected: set platforms.whatsapp.${first}`
    return bridgeOf(given) === undefined ? 'not connected: platforms.whatsapp.bridge is off' : undefined
  },
  post: (posting) =>
    cloudKeys.every((key) => posting.setting(key) !== undefined)
      ? postToCloud(posting)
      : postToBridge(posting, (bridgeOf(posting) ?? '').replace(/\/+$/, '')),
})

const bridgeOf = (given: Pick<Posting, 'setting'>): string | undefined =>
  given.setting('bridge_url') ?? (isOn(given.setting('bridge')) ? apiBaseOf(given, localBridge) : undefined)

const refusedByCloud = ({ chat, extra }: Pick<Posting, 'chat' | 'extra'>): string | undefined => {
  if (/@(?:g\.us|lid)$/.test(chat)) return 'the Cloud API sends to phone numbers only'
  return messageContent({ text: '', extra }) === undefined ? 'template or template_language is no valid name' : undefined
}

/** Returns the digits of a phone number, or of the number in an id. */
const digitsOf = (chat: string): string => chat.replace(/@.*|\D/g, '')

const postToCloud = async (posting: Posting): Promise<Sent> => {
  const { chat, thread, setting, call } = posting
  const content = messageContent(posting)
  const answer = await call({
    url: `${apiBaseOf(posting, 'https://graph.facebook.com')}/${setting('api_version')}/${setting('phone_number_id')}/messages`,
    headers: { authorization: `Bearer ${setting('access_token')}` },
    json: {
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: digitsOf(chat),
      ...(thread === undefined ? {} : { context: { message_id: thread } }),
      ...content,
    },
  })
  if (answer.status === 200 && hasMessageId(answer.body)) return { ok: true }
  const given = own(answer.body, 'error')
  const error = isObject(given) ? given : {}
  const code = Number(own(error, 'code'))
  return failureFromAnswer(answer, {
    why: errorReason(error, code),
    idempotent: false,
    limited: notNow.includes(code),
    retryAfterMs: code === pairRate ? pairRateMs : undefined,
  })
}

/**
 * Makes a text message, or a template with the text as its value; `undefined` where the name or language of the template is malformed. Only
 * a template may go to somebody who has not written for a day.
 */
const messageContent = ({ text, extra }: Pick<Posting, 'text' | 'extra'>): JsonObject | undefined => {
  const name = extra('template')
  if (name === undefined) return { type: 'text', text: { body: text, preview_url: false } }
  const code = extra('template_language') ?? 'en_US'
  if (!/^[a-z0-9_]{1,512}$/.test(name) || !/^[A-Za-z_]{2,10}$/.test(code)) return undefined
  // The API refuses line breaks and runs of spaces in a template's value.
  const value: Json = { type: 'text', text: text.replace(/\s+/g, ' ') }
  return { type: 'template', template: { name, language: { code }, components: [{ type: 'body', parameters: [value] }] } }
}

const hasMessageId = (body: JsonObject): boolean => {
  const messages = own(body, 'messages')
  const [first] = Array.isArray(messages) ? messages : []
  return isObject(first) && typeof own(first, 'id') === 'string'
}

const errorReason = (error: JsonObject, code: number): string | undefined => {
  const data = own(error, 'error_data')
  const details = isObject(data) ? answerText(data, 'details') : undefined
  const hint = code === 131047 && 'name a template in deliver_extra.template'
  return [answerText(error, 'message'), details, hint].filter(Boolean).join('; ') || undefined
}

const postToBridge = async ({ chat, text, thread, part, call }: Posting, bridge: string): Promise<Sent> => {
  const chatId = chat.includes('@') ? chat : `${digitsOf(chat)}@s.whatsapp.net`
  const reply = thread === undefined || part > 1 ? {} : { replyTo: thread }
  const answer = await call({ url: `${bridge}/send`, json: { chatId, message: text, ...reply } })
  if (answer.status === 200 && own(answer.body, 'success') === true) return { ok: true }
  // Status 503 means that the bridge has no link to WhatsApp now, and sent nothing.
  return failureFromAnswer(answer, { why: answerText(answer.body, 'error'), idempotent: false, limited: answer.status === 503 })
}
