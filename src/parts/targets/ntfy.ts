/** The target `ntfy`: publishes to a topic of ntfy.sh, or of the operator's own ntfy server. The topic is the chat of this target. */

import { type JsonObject, own } from '../../core/json.ts'
import { cut } from '../../core/text.ts'
import { allAnswerTexts, answerText, failureFromAnswer } from './delivery/api.ts'
import { isOn } from './delivery/settings.ts'
import { apiBaseOf, defineChat, type Posting } from './kit/chat.ts'
import { withoutImages } from './kit/images.ts'
import { botToken, chatKeys, homeChannel, onOff, serverUrl, textKey } from './kit/keys.ts'
import type { Sent } from './target.ts'

const maxTitleChars = 250
const maxClickChars = 1_000
/** After its first requests, a client of ntfy.sh may send one request every five seconds. */
const refillMs = 5_000
/** ntfy's code for too many requests. */
const requestsLimited = '42901'

export const ntfy = defineChat({
  name: 'ntfy',
  title: 'ntfy',
  settings: {
    topic: textKey('Topic.', 'NTFY_PUBLISH_TOPIC', 'NTFY_TOPIC'),
    server_url: serverUrl('NTFY_SERVER_URL'),
    token: botToken('NTFY_TOKEN'),
    markdown: onOff('true: texts are Markdown.', 'NTFY_MARKDOWN'),
    home_channel: homeChannel('NTFY_HOME_CHANNEL'),
  },
  extra: {
    ...chatKeys('The topic.', 'alerts'),
    title: { description: 'Title of the message.', examples: ['{title}'] },
    priority: { description: 'From 1 (lowest) to 5 (urgent).', examples: [3, 5], 'x-exact': true },
    tags: { description: 'Tags or emoji names, with commas between.', examples: ['warning,skull'], 'x-exact': true },
    click: { description: 'Address that a click opens.', examples: ['{pull_request.html_url}'], 'x-exact': true },
  },
  // ntfy.sh needs no account, so a setting must say that ntfy is wanted.
  needs: [['topic'], ['home_channel'], ['server_url'], ['token']],
  defaultChat: (setting) => setting('topic'),
  // ntfy takes messages of 4096 bytes, in a JSON body of twice as many. The bytes of the escaped text are counted, so both limits are kept.
  limit: { max: 4096, unit: 'json' },
  idempotent: false,
  // The web app of ntfy loads images in Markdown.
  escape: (text, { setting }) => (isOn(setting('markdown')) ? withoutImages(text) : text),
  checkChat: (chat) => (/^[-\w]{1,64}$/.test(chat) ? undefined : 'chat_id is no topic of ntfy (letters, digits, - and _)'),
  refuses({ extra }) {
    const [priority, tags, click] = [extra('priority'), extra('tags'), extra('click')]
    if (priority !== undefined && !/^[1-5]$/.test(priority)) return 'priority is not a number from 1 to 5'
    if (tags !== undefined && !tagList(tags).every((tag) => /^[\w+-]{1,40}$/.test(tag))) return 'tags is no list of words'
    if (click !== undefined && !(/^https?:\/\/[^/]/i.test(click) && URL.canParse(click) && click.length <= maxClickChars))
      return 'click is no web address, or is too long'
    return undefined
  },
  post: (posting) => publish(posting, publishFields(posting)),
})

const tagList = (tags: string): string[] => tags.split(',').map((tag) => tag.trim())

/** Makes the fields of a message besides its text and topic, from `deliver_extra` and settings. */
const publishFields = ({ extra, setting }: Posting): JsonObject => {
  const [title, priority, tags, click] = [extra('title'), extra('priority'), extra('tags'), extra('click')]
  return {
    ...(title === undefined ? {} : { title: cut(title, maxTitleChars) }),
    ...(priority === undefined ? {} : { priority: Number(priority) }),
    ...(tags === undefined ? {} : { tags: tagList(tags) }),
    ...(click === undefined ? {} : { click }),
    ...(isOn(setting('markdown')) ? { markdown: true } : {}),
  }
}

const publish = async (posting: Posting, fields: JsonObject): Promise<Sent> => {
  const { chat, text, setting, call } = posting
  const token = setting('token')
  const answer = await call({
    url: `${apiBaseOf(posting, setting('server_url') ?? 'https://ntfy.sh')}/`,
    headers: token === undefined ? {} : { authorization: authorization(token) },
    json: { topic: chat, message: text, ...fields },
  })
  if (answer.status === 200 && own(answer.body, 'event') === 'message' && answerText(answer.body, 'id') !== undefined) return { ok: true }
  return failureFromAnswer(answer, {
    why: allAnswerTexts(answer.body, 'code', 'error'),
    idempotent: false,
    retryAfterMs: answerText(answer.body, 'code') === requestsLimited ? (answer.retryAfterMs ?? refillMs) : undefined,
  })
}

/** Makes the header `authorization` from the setting `token`, which is an access token or `user:password`. */
const authorization = (token: string): string =>
  token.includes(':') ? `Basic ${Buffer.from(token).toString('base64')}` : `Bearer ${token}`
