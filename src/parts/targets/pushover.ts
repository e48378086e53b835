/** The target `pushover`: notifies a user or a group by Pushover. The key of the user or group is the chat of this target. */

import { own } from '../../core/json.ts'
import { cut, excerpt, printable } from '../../core/text.ts'
import { type ApiAnswer, failureFromAnswer } from './delivery/api.ts'
import { apiBaseOf, defineChat, type Posting } from './kit/chat.ts'
import { botToken, chatKeys, homeChannel, referable } from './kit/keys.ts'

const emergency = '2'

type CheckedOption = { readonly key: string; readonly isValid: (text: string) => boolean; readonly problem: string }

/** Keys of `deliver_extra` that go to Pushover as they are, and whose values must have a certain form. */
const checkedOptions: readonly CheckedOption[] = [
  { key: 'priority', isValid: (text) => /^(?:-[12]|[0-2])$/.test(text), problem: 'priority is not a number from -2 to 2' },
  { key: 'device', isValid: (text) => /^[\w-]{1,25}(?:,[\w-]{1,25}){0,9}$/.test(text), problem: 'device is no name of a device' },
  { key: 'sound', isValid: (text) => /^\w{1,20}$/.test(text), problem: 'sound is no name of a sound' },
  { key: 'url', isValid: (text) => /^https?:\/\/[^/\s]\S{0,500}$/i.test(text), problem: 'url is no web address, or is too long' },
]
/** The keys of `deliver_extra` with a free text, each with the longest length of the text in UTF-16 units. A longer text is cut. */
const captions: { readonly [key: string]: number } = { title: 250, url_title: 100 }

export const pushover = defineChat({
  name: 'pushover',
  title: 'Pushover',
  settings: {
    token: botToken('PUSHOVER_TOKEN', 'PUSHOVER_APP_TOKEN'),
    user: referable('User name.', 'PUSHOVER_USER', 'PUSHOVER_USER_KEY'),
    home_channel: homeChannel('PUSHOVER_HOME_CHANNEL'),
  },
  extra: {
    ...chatKeys('Key of the user or group.'),
    title: { description: 'Title of the notification.', examples: ['{title}'] },
    priority: { description: 'From -2 (silent) to 2 (until somebody confirms it).', examples: [0, 1], 'x-exact': true },
    device: { description: 'Names of devices, with commas between.', examples: ['phone'], 'x-exact': true },
    sound: { description: 'Name of the sound.', examples: ['siren'], 'x-exact': true },
    url: {
      title: 'Link',
      description: 'Web address that the notification shows.',
      examples: ['{pull_request.html_url}'],
      'x-exact': true,
    },
    url_title: { title: 'Title of the link', description: 'What stands for the address.', examples: ['Open'] },
  },
  needs: [
    ['token', 'user'],
    ['token', 'home_channel'],
  ],
  defaultChat: (setting) => setting('user'),
  limit: { max: 1024, unit: 'characters' },
  idempotent: false,
  checkChat: (chat) => (/^[A-Za-z0-9]{30}$/.test(chat) ? undefined : 'chat_id is no key of a user or group of Pushover'),
  refuses: ({ extra }) =>
    checkedOptions.find(({ key, isValid }) => {
      const text = extra(key)
      return text !== undefined && !isValid(text)
    })?.problem,
  post: async (posting) => {
    const { chat, text, setting, call } = posting
    const answer = await call({
      url: `${apiBaseOf(posting, 'https://api.pushover.net')}/1/messages.json`,
      form: { token: setting('token') ?? '', user: chat, message: text, ...optionFields(posting) },
    })
    if (answer.status === 200 && own(answer.body, 'status') === 1) return { ok: true }
    return failureFromAnswer(answer, { why: reasons(answer), idempotent: false })
  },
})

const optionFields = ({ extra }: Posting): { readonly [name: string]: string } => ({
  ...Object.fromEntries(checkedOptions.flatMap(({ key }) => optionalField(key, extra(key)))),
  ...Object.fromEntries(Object.entries(captions).flatMap(([key, max]) => optionalField(key, cut(extra(key) ?? '', max) || undefined))),
  // Pushover repeats an emergency every minute until somebody confirms it, for an hour at most.
  ...(extra('priority') === emergency ? { retry: '60', expire: '3600' } : {}),
})

const optionalField = (key: string, text: string | undefined): [string, string][] => (text === undefined ? [] : [[key, text]])

/** Joins the errors in an answer of Pushover. */
const reasons = (answer: ApiAnswer): string | undefined => {
  const errors = own(answer.body, 'errors')
  return Array.isArray(errors) ? printable(excerpt(errors.filter((error) => typeof error === 'string').join('; '), 200)) : undefined
}
