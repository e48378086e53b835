/**
 * What each built-in target reads from `deliver_extra`, for editors: its keys in the order they are offered, and what is particular to them
 * there. The schema of routes says the rest. A target of which it says all is not listed.
 */

import type { TargetPart } from '../../src/parts/targets/target.ts'

export type ExtraKey = {
  readonly title?: string
  readonly description?: string
  readonly examples?: readonly (string | number)[]
  /** Understood, but another key is the usual one. */
  readonly doNotSuggest?: true
}
type Keys = { readonly [key: string]: ExtraKey }
type Extras = { readonly [target: string]: Keys }

const hidden: ExtraKey = { doNotSuggest: true }

/** Keys of a chat target that knows no threads: it passes one over. */
const chat = (description: string, ...examples: readonly string[]) => ({
  chat_id: { description: `${description} Absent: the home channel.`, examples },
  message_thread_id: hidden,
  thread_id: hidden,
})

const threaded = (to: ReturnType<typeof chat>, description: string, example: string) => ({
  ...to,
  thread_id: { description, examples: [example] },
})

const link = (title: string, description: string): ExtraKey => ({ title, description, examples: ['{pull_request.html_url}'] })

const extras: Extras = {
  log: {},
  github_comment: { repo: {}, pr_number: {} },
  gitlab_comment: { project: {}, iid: {}, kind: {} },
  http: { url: {}, secret: { examples: ['${OUTGOING_SECRET}'] }, headers: {} },
  email: {
    chat_id: { description: 'The address, or several with commas between. Absent: the home channel.', examples: ['ops@example.org'] },
    subject: {},
    thread_id: { description: 'The Message-ID that the mail answers.', examples: ['{message_id}'] },
    message_thread_id: hidden,
  },
  telegram: {
    ...chat('Number of the chat (a group has a minus sign), or @channel.', '-1001234567890', '@my_channel'),
    message_thread_id: { description: 'Number of the topic in a group with topics.', examples: ['7'] },
  },
  discord: threaded(chat('Number of the channel.', '123456789012345678'), 'Number of the thread.', '123456789012345678'),
  slack: threaded(
    chat('Id of the channel, or #channel.', 'C0123456789', '#alerts'),
    'The ts of the message to answer.',
    '1712345678.000100',
  ),
  matrix: threaded(
    chat('The room (!id:server), or an alias (#name:server).', '!abcdefghijkl:example.org'),
    'Id of the event that began the thread.',
    '$abc123',
  ),
  mattermost: threaded(
    chat('Id of the channel: 26 letters and digits.', '4xp9fdt77pncbef59f4k1qe83o'),
    'Id of the post to answer.',
    '4xp9fdt77pncbef59f4k1qe83o',
  ),
  feishu: threaded(
    chat('Id of the chat or person.', 'oc_0123456789abcdef'),
    'A message (om_…) or a topic (omt_…) to answer.',
    'om_0123456789abcdef',
  ),
  google_chat: threaded(
    chat('The space.', 'spaces/AAAA1234567'),
    'Name or key of the thread; a new key begins one.',
    '{repository.name}-{number}',
  ),
  dingtalk: chat('Id of the conversation or person.'),
  wecom: chat('Id of the chat or person.'),
  // A workflow posts into the chat that it was made for.
  teams: {},
  whatsapp: {
    ...threaded(chat('Phone number with its country code.', '15550100'), 'Id of the message to answer.', '{message_id}'),
    template: {
      title: 'Message template',
      description: 'Name of an approved template: only those reach who has not written for a day. The text is its one value.',
      examples: ['event_notice'],
    },
    template_language: { title: 'Template language', description: 'Language of the template. Absent: en_US.', examples: ['en_US'] },
  },
  signal: chat('A number, an account id, or group:<id>.', '+15550100'),
  sms: chat('Phone number with its country code.', '+15550100'),
  line: chat('Id of a user (U…), group (C…) or room (R…).', 'U0123456789abcdef0123456789abcdef'),
  bluebubbles: threaded(chat('Number, address, or guid of the chat.', '+15550100'), 'Guid of the message to answer.', '{message_guid}'),
  weixin: {
    ...chat('User id of WeChat.'),
    context_token: {
      title: 'Context token',
      description: 'Token of the conversation that the text belongs to.',
      examples: ['{context_token}'],
    },
  },
  qqbot: {
    ...chat('user:<id>, group:<id> or channel:<id>.', 'group:0123456789ABCDEF'),
    msg_id: { title: 'Message', description: 'Id of the message to answer.', examples: ['{id}'] },
    event_id: { title: 'Event', description: 'Id of the event to answer.', examples: ['{event_id}'] },
  },
  homeassistant: {
    ...chat('A notify service (mobile_app_phone), or an entity (notify.phone).', 'mobile_app_my_phone', 'notify.phone'),
    title: { title: 'Title', description: 'Title of the notification.', examples: ['{title}'] },
    notification_id: {
      title: 'Notification id',
      description: 'A persistent notification takes the place of the one with the same id.',
      examples: ['{repository.name}-{number}'],
    },
  },
  ntfy: {
    ...chat('The topic.', 'alerts'),
    title: { title: 'Title', description: 'Title of the message.', examples: ['{title}'] },
    priority: { title: 'Priority', description: 'From 1 (lowest) to 5 (urgent).', examples: [3, 5] },
    tags: { title: 'Tags', description: 'Tags or emoji names, with commas between.', examples: ['warning,skull'] },
    click: link('Click', 'Address that a click opens.'),
  },
  pushover: {
    ...chat('Key of the user or group.'),
    title: { title: 'Title', description: 'Title of the notification.', examples: ['{title}'] },
    priority: { title: 'Priority', description: 'From -2 (silent) to 2 (until somebody confirms it).', examples: [0, 1] },
    device: { title: 'Device', description: 'Names of devices, with commas between.', examples: ['phone'] },
    sound: { title: 'Sound', description: 'Name of the sound.', examples: ['siren'] },
    url: link('Link', 'Web address that the notification shows.'),
    url_title: { title: 'Title of the link', description: 'What stands for the address.', examples: ['Open'] },
  },
}

/** The keys of a target, with what is particular to them. */
export const extrasOf = ({ name, reads = [] }: Pick<TargetPart, 'name' | 'reads'>): Keys =>
  extras[name] ?? Object.fromEntries(reads.map((key) => [key, {}]))
