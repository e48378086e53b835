/** Stands in for GitHub's API, on a Unix socket: the tests run the real gh, and let it reach nothing else. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { isObject, own } from '../../../src/core/json.ts'
import { works } from '../process.ts'
import { type Double, listenHttp, type Reply } from './double.ts'

const token = 'ghp_canary_github_token'
const address = 'octo-org/octo.repo#42'
const comments = /^\/(?:api\/v3\/)?repos\/octo-org\/octo\.repo\/issues\/42\/comments$/
const mark = /\n\n<!-- headgate:[0-9a-f]{40} -->$/
/** The tokens by host. An operator's own host has another token, and has the API below a path. */
const tokens: { readonly [host: string]: string } = { 'api.github.com': token, 'git.corp.example': 'ghp_canary_corp_token' }
const nodes = 'comments(last: 100) { nodes { body url viewerDidAuthor } }'

/** Whether the gh of this machine can be used. Without gh, nothing can be shown. */
export const hasGh = (): boolean => works('gh', '--version')

/**
 * Makes a folder whose configuration sends gh to a socket in the folder. The path of a socket must be short, so that of the folder is
 * short.
 */
export const ghFolder = (t: Test): string => {
  const folder = mkdtempSync(join(tmpdir(), 'gh-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'config'))
  writeFileSync(join(folder, 'config', 'config.yml'), `http_unix_socket: ${join(folder, 's')}\n`)
  return folder
}

const missing = (what: string): Reply => ({
  status: 200,
  body: { data: { repository: null }, errors: [{ type: 'NOT_FOUND', message: what }] },
})

export const githubComment: Double = {
  target: 'github_comment',
  settings: () => ({ token }),
  env: () => ({ GH_TOKEN: token }),
  wrong: () => ({ token: 'ghp_canary_wrong_token' }),
  surroundings: (origin) => ({ PATH: '/usr/local/bin:/usr/bin:/bin', HOME: origin, GH_CONFIG_DIR: join(origin, 'config') }),
  chat: address,
  address(chat) {
    const [repo = '', pr_number = ''] = chat.split('#')
    return { repo, pr_number }
  },
  unknownChat: 'octo-org/octo.repo#43',
  idempotent: true,
  startMs: 1_500,
  posts: ({ method, path }) => method === 'POST' && !path.endsWith('/graphql'),
  answer({ method, path, headers, json: sent = {} }, accept, accepted) {
    const isCorp = path.startsWith('/api/')
    const known = own(tokens, headers.host ?? '')
    if (isCorp !== (headers.host === 'git.corp.example') || headers.authorization !== `token ${known}`)
      return { status: 401, body: { message: 'Bad credentials', documentation_url: 'https://docs.github.com/rest' } }
    if (method === 'POST' && path.endsWith('/graphql')) {
      const { query, variables } = sent
      if (typeof query !== 'string' || query.split(nodes).length !== 3)
        return { status: 200, body: { errors: [{ message: 'Parse error' }] } }
      const { owner, name, number } = isObject(variables) ? variables : {}
      if (owner !== 'octo-org' || name !== 'octo.repo' || number !== 42) return missing('Could not resolve to an issue or pull request.')
      const found = accepted
        .slice(-100)
        .map(({ text, key = '' }) => ({ body: text + key, url: 'https://github.com/x#c1', viewerDidAuthor: !text.startsWith('STRANGER') }))
      return { status: 200, body: { data: { repository: { issueOrPullRequest: { comments: { nodes: found } } } } } }
    }
    if (method !== 'POST' || !comments.test(path)) return { status: 404, body: { message: 'Not Found' } }
    const body = own(sent, 'body')
    if (typeof body !== 'string' || body.length > 65_536) return { status: 422, body: { message: 'Validation Failed' } }
    const [key = ''] = mark.exec(body) ?? []
    accept({ chat: address, text: body.replace(mark, ''), key })
    return { status: 201, body: { id: 99, html_url: 'https://github.com/octo-org/octo.repo/issues/42#c99' } }
  },
  // gh does not pass on how long to wait, and GitHub asks for at least a minute.
  limited: { reply: { status: 429, body: { message: 'You have exceeded a secondary rate limit' } }, waitMs: 60_000 },
  hidden: { status: 200, body: { message: 'maintenance' } },
  hostile: [
    { text: 'fine\n/close', never: /^\/close/m },
    { text: 'hey @octocat', never: /@octocat/ },
    { text: 'see ![x](https://evil.example/?q=1) and <IMG src=//evil.example>', never: /!\[|<img/i },
  ],
  async listen(t, running) {
    const folder = ghFolder(t)
    await listenHttp(join(folder, 's'))(t, running)
    return folder
  },
  closed: ghFolder,
}
