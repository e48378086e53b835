/**
 * The target `homeassistant`: notifies through the REST API of Home Assistant, by the notify service or notify entity that `chat_id` or
 * `home_channel` names. Without either, the text becomes a persistent notification on the dashboard.
 */

import { type JsonObject, own } from '../../core/json.ts'
import { type ApiAnswer, type ApiRequest, answerText, failureFromAnswer } from './delivery/api.ts'
import { apiBaseOf, defineChat, type Posting } from './kit/chat.ts'
import { withoutImages } from './kit/images.ts'
import { botToken, chatKeys, homeChannel, serverUrl } from './kit/keys.ts'
import type { Sent } from './target.ts'

const persistent = 'persistent_notification'

/** Breaks Jinja templates, which Home Assistant renders in messages of notify services, and images, which it shows in notifications. */
const disarm = (text: string): string => withoutImages(text.replace(/\{(?=[{%#])/g, '{\u200b'))

export const homeassistant = defineChat({
  name: 'homeassistant',
  title: 'Home Assistant',
  settings: {
    token: botToken('HASS_TOKEN'),
    url: { ...serverUrl('HASS_URL'), default: 'http://homeassistant.local:8123' },
    home_channel: homeChannel('HASS_HOME_CHANNEL'),
  },
  extra: {
    ...chatKeys('A notify service (mobile_app_phone), or an entity (notify.phone).', 'mobile_app_my_phone', 'notify.phone'),
    title: { description: 'Title of the notification.', examples: ['{title}'] },
    notification_id: {
      description: 'A persistent notification takes the place of the one with the same id.',
      examples: ['{repository.name}-{number}'],
      'x-exact': true,
    },
  },
  needs: [['token']],
  defaultChat: () => persistent,
  limit: { max: 4096, unit: 'characters' },
  idempotent: ({ chat }) => chat === persistent,
  escape: disarm,
  checkChat: (chat) =>
    /^(?:notify\.)?[a-z0-9_]{1,200}$/.test(chat) ? undefined : 'chat_id is no notify service (mobile_app_phone) or entity (notify.phone)',
  post: (posting) => {
    if (posting.chat === persistent) return notifyPersistently(posting)
    return posting.chat.startsWith('notify.') ? notifyEntity(posting) : callService(posting, `notify/${posting.chat}`, titled(posting))
  },
})

/** Makes the data of a service call: the text, with the `title` in `deliver_extra`, if there is one. */
const titled = ({ text, extra }: Posting): JsonObject => {
  const title = extra('title')
  return { message: text, ...(title === undefined ? {} : { title: disarm(title) }) }
}

/** Makes a persistent notification. It replaces an earlier notification with the same id, so a repeated text cannot show twice. */
const notifyPersistently = (posting: Posting): Promise<Sent> => {
  const { key, extra, part } = posting
  const name = extra('notification_id') ?? `headgate_${key.toString('hex').slice(0, 24)}`
  const id = part === 1 || extra('notification_id') === undefined ? name : `${name}_${part}`
  return callService(posting, `${persistent}/create`, { ...titled(posting), notification_id: id }, true)
}

/**
 * Notifies an entity. For an entity that does not exist, the API reports success and sends nothing. So the entity is looked up first, and
 * if it is not there, the notify service with its name is called.
 */
const notifyEntity = async (posting: Posting): Promise<Sent> => {
  const { chat } = posting
  const found = await posting.call(request(posting, { method: 'GET', path: `states/${chat}` }))
  if (found.status === 404) return callService(posting, chat.replace('.', '/'), titled(posting))
  if (found.status !== 200 || own(found.body, 'entity_id') !== chat) return homeAssistantFailure(found, true)
  if (own(found.body, 'state') === 'unavailable') return { ok: false, why: `${chat} is unavailable`, repeatable: true, receiver: 'up' }
  return callService(posting, 'notify/send_message', { entity_id: chat, ...titled(posting) })
}

/** Calls a service. `idempotent`: whether the same call twice shows only once. */
const callService = async (posting: Posting, path: string, data: JsonObject, idempotent = false): Promise<Sent> => {
  const answer = await posting.call(request(posting, { path: `services/${path}`, json: data }))
  // On success the API answers with the list of changed states, which is usually empty.
  const done = (answer.status === 200 || answer.status === 201) && /^\s*\[/.test(answer.text)
  return done ? { ok: true } : homeAssistantFailure(answer, idempotent, `services/${path}`)
}

type Call = { readonly path: string } & Pick<ApiRequest, 'method' | 'json'>

const request = (posting: Posting, { path, ...rest }: Call): ApiRequest => ({
  ...rest,
  url: `${apiBaseOf(posting, posting.setting('url') ?? '')}/api/${path}`,
  headers: { authorization: `Bearer ${posting.setting('token')}` },
})

/** Makes the failure of a call. `service`: the path of the service that was called. */
const homeAssistantFailure = (answer: ApiAnswer, idempotent: boolean, service?: string): Sent => {
  // For an unknown service, the API answers only "400: Bad Request".
  const hint = answer.status === 400 && service !== undefined ? `${service} is unknown, or refuses the message` : undefined
  return failureFromAnswer(answer, { why: answerText(answer.body, 'message') ?? hint, idempotent })
}
