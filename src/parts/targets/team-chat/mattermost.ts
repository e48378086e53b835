/** The target `mattermost`: sends text without mentions and images to a channel or thread, with the token of a bot or a person. */

import { own } from '../../../core/json.ts'
import { answerText, failureFromAnswer } from '../delivery/api.ts'
import { apiBaseOf, defineChat, type Posting } from '../kit/chat.ts'
import { withoutImages } from '../kit/images.ts'
import { botToken, chatKeys, homeChannel, serverUrl, threadKey } from '../kit/keys.ts'
import type { Sent } from '../target.ts'

const id = /^[a-z0-9]{26}$/

// The server searches for a mention at an @ that follows no letter or number, and reads `&#64;` as an @ too.
const withoutMentions = (text: string): string => text.replace(/(?<![\p{L}\p{N}])@(?=\S)|&(?=#|commat)/giu, '$&\u200b')

export const mattermost = defineChat({
  name: 'mattermost',
  title: 'Mattermost',
  settings: {
    url: serverUrl('MATTERMOST_URL'),
    token: botToken('MATTERMOST_TOKEN'),
    home_channel: homeChannel('MATTERMOST_HOME_CHANNEL'),
  },
  extra: {
    ...chatKeys('Id of the channel: 26 letters and digits.', '4xp9fdt77pncbef59f4k1qe83o'),
    thread_id: threadKey('Id of the post to answer.', '4xp9fdt77pncbef59f4k1qe83o'),
  },
  needs: [['url', 'token']],
  limit: { max: 16_383, unit: 'characters' },
  idempotent: false,
  escape: (text) => withoutImages(withoutMentions(text)),
  checkChat: (chat) => (id.test(chat) ? undefined : 'chat_id is not the id of a channel (26 letters and digits)'),
  checkThread: (thread) => (id.test(thread) ? undefined : 'the thread is not the id of a post (26 letters and digits)'),
  post: (posting) => post(posting),
})

const post = async (posting: Posting): Promise<Sent> => {
  const { text, chat, thread, setting, call } = posting
  const answer = await call({
    url: `${apiBaseOf(posting, setting('url') ?? '')}/api/v4/posts`,
    headers: { authorization: `Bearer ${setting('token')}` },
    json: { channel_id: chat, message: text, ...(thread === undefined ? {} : { root_id: thread }) },
  })
  if (answer.status === 201 && typeof own(answer.body, 'id') === 'string') return { ok: true }
  // x-ratelimit-reset has the seconds until the limit resets. Mattermost does not always send Retry-After.
  const reset = Number(answer.header('x-ratelimit-reset') ?? Number.NaN)
  const resetMs = answer.status === 429 && Number.isFinite(reset) ? reset * 1000 : undefined
  return failureFromAnswer(answer, {
    why: answerText(answer.body, 'message', 'id'),
    idempotent: false,
    retryAfterMs: answer.retryAfterMs ?? resetMs,
  })
}
