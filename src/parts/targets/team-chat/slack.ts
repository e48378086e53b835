/**
 * The target `slack`: sends text to any channel by a bot, or to the channel of an incoming webhook. The text mentions nobody, hides no
 * links, and its links show no previews.
 */

import { own } from '../../../core/json.ts'
import { excerpt, printable } from '../../../core/text.ts'
import { answerText, failureFromAnswer } from '../delivery/api.ts'
import { apiBaseOf, defineChat, type Posting } from '../kit/chat.ts'
import { botToken, chatKeys, homeChannel, threadKey, webhookUrl } from '../kit/keys.ts'
import { goesByApp, webhookOr } from '../kit/webhook-or-app.ts'
import type { Sent } from '../target.ts'

const bot = ['token']

export const slack = defineChat({
  name: 'slack',
  title: 'Slack',
  settings: {
    token: botToken('SLACK_BOT_TOKEN'),
    webhook_url: webhookUrl('SLACK_WEBHOOK_URL'),
    home_channel: homeChannel('SLACK_HOME_CHANNEL'),
  },
  extra: {
    ...chatKeys('Id of the channel, or #channel.', 'C0123456789', '#alerts'),
    thread_id: threadKey('The ts of the message to answer.', '1712345678.000100'),
  },
  needs: [bot, ['webhook_url']],
  ...webhookOr(bot),
  limit: { max: 4000, unit: 'characters' },
  idempotent: false,
  checkChat: (chat) =>
    /^(?:[CDGUW][A-Z0-9]{2,30}|#[^\s#&<>]{1,80})$/.test(chat) ? undefined : 'chat_id is neither the id of a channel (C…) nor #channel',
  checkThread: (thread) => (/^\d{1,12}\.\d{1,8}$/.test(thread) ? undefined : 'the thread is not the ts of a message (1712345678.000100)'),
  post: (posting) => (goesByApp(posting, bot) ? postByBot(posting) : postToWebhook(posting)),
})

/**
 * Escapes a text, so that `<!channel>` and `<@U…>` mention nobody and `<url|label>` hides no link. A text is escaped after it was split,
 * so that no cut falls into an entity such as `&lt;`, and the limit counts characters as they are shown.
 */
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const messageOf = ({ text, thread }: Posting) => ({
  text: escaped(text),
  ...(thread === undefined ? {} : { thread_ts: thread }),
  link_names: false,
  unfurl_links: false,
  unfurl_media: false,
})

const postByBot = async (posting: Posting): Promise<Sent> => {
  const answer = await posting.call({
    url: `${apiBaseOf(posting, 'https://slack.com')}/api/chat.postMessage`,
    headers: { authorization: `Bearer ${posting.setting('token')}` },
    json: { channel: posting.chat, parse: 'none', ...messageOf(posting) },
  })
  if (answer.status === 200 && own(answer.body, 'ok') === true) return { ok: true }
  const error = answerText(answer.body, 'error')
  const needed = answerText(answer.body, 'needed')
  const why = error === undefined || needed === undefined ? error : `${error}: ${needed}`
  return failureFromAnswer(answer, { why, idempotent: false, limited: error !== undefined && /^rate_?limited$/.test(error) })
}

/** Posts to the webhook, which answers in plain text: `ok`, or what is wrong. */
const postToWebhook = async (posting: Posting): Promise<Sent> => {
  const answer = await posting.call({ url: posting.setting('webhook_url') ?? '', json: messageOf(posting) })
  if (answer.status === 200 && answer.text.trim() === 'ok') return { ok: true }
  return failureFromAnswer(answer, { why: printable(excerpt(answer.text.trim(), 200)) || undefined, idempotent: false })
}
