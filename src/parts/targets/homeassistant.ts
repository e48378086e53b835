/** Notifies by Home Assistant: by a notify service or entity, or, without a chat, by a persistent notification. */

import { type JsonObject, own } from '../../core/json.ts'
import { type ApiAnswer, type ApiRequest, answerText, refusedBy } from '../delivery/api.ts'
import { baseOf, defineChat, type Posting } from './kit/chat.ts'
import { withoutImages } from './kit/images.ts'
import { botToken, chatKeys, homeChannel, serverUrl } from './kit/keys.ts'
import type { Sent } from './target.ts'

const persistent = 'persistent_notification'

// Home Assistant renders messages of notify services as Jinja templates, and persistent notifications as Markdown.
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
  noChat: () => persistent,
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

const titled = ({ text, extra }: Posting): JsonObject => {
  const title = extra('title')
  return { message: text, ...(title === undefined ? {} : { title: disarm(title) }) }
}

/** A persistent notification replaces an earlier one with the same id, so a repeat cannot show twice. */
const notifyPersistently = (posting: Posting): Promise<Sent> => {
  const { key, extra, part } = posting
  const name = extra('notification_id') ?? `headgate_${key.toString('hex').slice(0, 24)}`
  const id = part === 1 || extra('notification_id') === undefined ? name : `${name}_${part}`
  return callService(posting, `${persistent}/create`, { ...titled(posting), notification_id: id }, true)
}

/** For an entity that does not exist, the API reports success and sends nothing. So then the service of that name is called. */
const notifyEntity = async (posting: Posting): Promise<Sent> => {
  const { chat } = posting
  const found = await posting.call(request(posting, { method: 'GET', path: `states/${chat}` }))
  if (found.kind === 'answer' && found.status === 404) return callService(posting, chat.replace('.', '/'), titled(posting))
  if (found.kind === 'none' || found.status !== 200 || own(found.body, 'entity_id') !== chat) return refusalOf(found, true)
  if (own(found.body, 'state') === 'unavailable') return { ok: false, why: `${chat} is unavailable`, repeatable: true }
  return callService(posting, 'notify/send_message', { entity_id: chat, ...titled(posting) })
}

const callService = async (posting: Posting, path: string, data: JsonObject, idempotent = false): Promise<Sent> => {
  const answer = await posting.call(request(posting, { path: `services/${path}`, json: data }))
  // On success the API answers with the list of changed states, which is usually empty.
  const done = answer.kind === 'answer' && (answer.status === 200 || answer.status === 201) && /^\s*\[/.test(answer.text)
  return done ? { ok: true } : refusalOf(answer, idempotent, `services/${path}`)
}

type Call = { readonly path: string } & Pick<ApiRequest, 'method' | 'json'>

const request = (posting: Posting, { path, ...rest }: Call): ApiRequest => ({
  ...rest,
  url: `${baseOf(posting, posting.setting('url') ?? '')}/api/${path}`,
  headers: { authorization: `Bearer ${posting.setting('token')}` },
})

const refusalOf = (answer: ApiAnswer, idempotent: boolean, service?: string): Sent => {
  if (answer.kind === 'none') return refusedBy(answer, { idempotent })
  // For an unknown service, the API answers only "400: Bad Request".
  const hint = answer.status === 400 && service !== undefined ? `${service} is unknown, or refuses the message` : undefined
  return refusedBy(answer, { why: answerText(answer.body, 'message') ?? hint, idempotent })
}
