/** Stands in for GitLab: notes on merge requests and issues, whose text can hold commands. */

import type { Double } from './double.ts'

const token = 'glpat-canary-gitlab-token'
const mark = /\n\n<!-- headgate:[0-9a-f]{40} -->$/
const notes = /^\/api\/v4\/projects\/group%2Fproject\/(merge_requests|issues)\/7\/notes$/

export const gitlabComment: Double = {
  target: 'gitlab_comment',
  settings: (origin) => ({ token, host: origin }),
  env: (origin) => ({ GITLAB_TOKEN: token, GITLAB_HOST: origin }),
  wrong: (origin) => ({ token: 'glpat-canary-wrong-token', host: origin }),
  chat: 'group/project!7',
  address(chat) {
    const [project = '', iid = ''] = chat.split('!')
    return { project, iid, kind: 'merge_request' }
  },
  unknownChat: 'group/project!8',
  idempotent: false,
  posts: ({ method }) => method === 'POST',
  answer({ method, path, headers, json }, accept) {
    if (headers['private-token'] !== token) return { status: 401, body: { message: '401 Unauthorized' } }
    if (method !== 'POST' || !notes.test(path)) return { status: 404, body: { message: '404 Not found' } }
    const text = json?.body
    if (typeof text !== 'string' || text.trim() === '') return { status: 400, body: { error: 'body is missing, body is empty' } }
    if (text.length > 1_000_000) return { status: 400, body: { message: { note: ['is too long (maximum is 1000000 characters)'] } } }
    if (!mark.test(text)) return { status: 400, body: { message: 'its mark is missing' } }
    accept({ chat: 'group/project!7', text: text.replace(mark, '') })
    return { status: 201, body: { id: 301, body: text } }
  },
  limited: { reply: { status: 429, body: 'Retry later', headers: { 'retry-after': '30' } }, waitMs: 30_000 },
  hostile: [
    { text: 'fine\n/close', never: /^\/close/m },
    { text: '> /merge', never: /^> \/merge/m },
    { text: 'hey @all and &#64;root', never: /@all|&#64;root/ },
    { text: 'see ![x](https://evil.example/?q=1) and <IMG src=//evil.example>', never: /!\[|<img/i },
  ],
}
