/**
 * The target `google_chat`: sends text by an app (a service account) to any space of Google Chat, or to the space of a webhook. Google Chat
 * recognises a repeated message of an app, but not of a webhook.
 */

import { isObject, own } from '../../../core/json.ts'
import { type ApiAnswer, allAnswerTexts, failureFromAnswer } from '../delivery/api.ts'
import { apiBaseOf, defineChat, type Posting } from '../kit/chat.ts'
import { fetchToken, readAccount } from '../kit/google-account.ts'
import { chatKeys, homeChannel, secret, threadKey, webhookUrl } from '../kit/keys.ts'
import { type CallWithToken, withToken } from '../kit/token-cache.ts'
import { goesByApp, webhookOr } from '../kit/webhook-or-app.ts'
import { permanentFailure, type Sent } from '../target.ts'

const app = ['service_account_json']
const scope = 'https://www.googleapis.com/auth/chat.bot'

export const googleChat = defineChat({
  name: 'google_chat',
  title: 'Google Chat',
  settings: {
    webhook_url: webhookUrl('GOOGLE_CHAT_WEBHOOK_URL'),
    service_account_json: secret('Service account key: JSON or the path of its file.', 'GOOGLE_CHAT_SERVICE_ACCOUNT_JSON'),
    home_channel: homeChannel('GOOGLE_CHAT_HOME_CHANNEL'),
  },
  extra: {
    ...chatKeys('The space.', 'spaces/AAAA1234567'),
    thread_id: threadKey('Name or key of the thread; a new key begins one.', '{repository.name}-{number}'),
  },
  needs: [['webhook_url'], app],
  ...webhookOr(app),
  // The whole message may have 32 000 bytes.
  limit: { max: 30_000, unit: 'json' },
  idempotent: (posting) => goesByApp(posting, app),
  // `<users/all>` mentions everybody, and `<url|label>` hides where the link leads.
  escape: (text) => text.replace(/<(?=users\/|[a-z][a-z\d+.-]*:)/gi, '<\u200b'),
  refuses: (given) => (goesByApp(given, app) && spaceIn(given.chat) === undefined ? 'chat_id is no space (spaces/…)' : undefined),
  post: (posting) => (goesByApp(posting, app) ? postByApp(posting) : postToWebhook(posting)),
})

const postToWebhook = async (posting: Posting): Promise<Sent> => {
  const used = await post(posting, new URL(posting.setting('webhook_url') ?? ''), {}, false)
  return 'stale' in used ? used.stale : used
}

const spaceIn = (chat: string): string | undefined => /^(?:spaces\/)?([\w-]{1,100})$/.exec(chat)?.[1]

const postByApp = async (posting: Posting): Promise<Sent> => {
  const { call, chat, clock, setting, keep } = posting
  const account = await readAccount(setting('service_account_json') ?? '')
  if ('problem' in account) return permanentFailure(`service_account_json ${account.problem}`)
  const url = new URL(`${apiBaseOf(posting, 'https://chat.googleapis.com')}/v1/spaces/${spaceIn(chat)}/messages`)
  const tokenUrl = `${apiBaseOf(posting, 'https://oauth2.googleapis.com')}/token`
  const identity = ['google_chat', tokenUrl, account.email, account.key]
  return withToken({ identity, clock, keep, fetchToken: () => fetchToken(account, { url: tokenUrl, scope, call, clock }) }, (token) =>
    post(posting, url, { authorization: `Bearer ${token}` }, true),
  )
}

type Headers = { readonly [name: string]: string }

/**
 * Posts one message to `url`, where messages of a space are posted. After a 401 the failure is returned as `stale`: the token of the app
 * may be no longer valid.
 */
const post = async ({ text, thread, key, call }: Posting, url: URL, headers: Headers, idempotent: boolean): Promise<CallWithToken> => {
  url.searchParams.set('requestId', key.toString('hex'))
  if (thread !== undefined) url.searchParams.set('messageReplyOption', 'REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD')
  const where = thread === undefined ? {} : { thread: /^spaces\/[\w-]+\/threads\//.test(thread) ? { name: thread } : { threadKey: thread } }
  const answer = await call({ url: url.href, headers, json: { text, ...where } })
  if (answer.status === 200 && typeof own(answer.body, 'name') === 'string') return { ok: true }
  const sent = googleChatFailure(answer, idempotent)
  return answer.status === 401 ? { stale: sent } : sent
}

const googleChatFailure = (answer: ApiAnswer, idempotent: boolean): Sent => {
  const error = own(answer.body, 'error')
  const why = isObject(error) ? allAnswerTexts(error, 'status', 'message') : undefined
  // The API often does not say how long to wait. A space takes 60 messages a minute, so a few seconds are enough.
  const retryAfterMs = answer.retryAfterMs ?? (answer.status === 429 ? 5000 : undefined)
  return failureFromAnswer(answer, { why, idempotent, retryAfterMs })
}
