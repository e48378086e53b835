/** Stands in for the REST API of Gitea and Forgejo as lookups ask it. Like Gitea, it gives at most 50 items a page. */

import type { ServerResponse } from 'node:http'
import { json, type Seen } from './sink.ts'

export const giteaToken = 'gitea_canary_lookup_token'
export const giteaRepo = 'acme.org/web-shop'
/** The commit of a pull request of a fork, that of a branch of the repository itself, and one as which a pull request was merged. */
export const giteaForkSha = '1'.repeat(40)
export const giteaOwnSha = '2'.repeat(40)
export const giteaMergedSha = '3'.repeat(40)

const pullRequest = (number: number, sha: string, from: string | undefined, ref: string) => ({
  number,
  title: `PR ${number}`,
  state: 'open',
  draft: false,
  merged: false,
  merged_at: null,
  merge_commit_sha: null as string | null,
  user: { login: 'robin' },
  head: { sha, ref, repo: from === undefined ? null : { full_name: from } },
  base: { ref: 'main', repo: { full_name: giteaRepo } },
  labels: [{ name: 'agent' }],
  html_url: `https://git.example.org/${giteaRepo}/pulls/${number}`,
})
const all = [
  pullRequest(7, giteaForkSha, 'robin/web-shop', 'main'),
  // Somebody else pushed the same commit to a fork of their own.
  pullRequest(8, giteaForkSha, 'mallory/web-shop', 'main'),
  // The branch of this one is gone, and with it its commit.
  { ...pullRequest(6, '', undefined, 'refs/pull/6/head'), state: 'closed' },
  ...Array.from({ length: 50 }, (_, i) => pullRequest(100 + i, '9'.repeat(40), giteaRepo, `topic-${i}`)),
  pullRequest(9, giteaOwnSha, giteaRepo, 'topic'),
  { ...pullRequest(10, '4'.repeat(40), giteaRepo, 'old'), state: 'closed', merged: true, merge_commit_sha: giteaMergedSha },
]
const permissions: { readonly [user: string]: string } = { robin: 'write', reader: 'read', boss: 'owner', chief: 'admin', nobody: 'none' }

type Reply = { readonly status: number; readonly body: object; readonly link?: string }

/** Answers questions. `files`: how many files pull request 7 changes. `most`: the most items of a page. */
export const giteaApi =
  (files = 2, most = 50) =>
  (response: ServerResponse, seen: Seen): void => {
    const { status, body, link } = replyTo(seen, files, most)
    json(response, status, body, link === undefined ? {} : { link })
  }

const replyTo = ({ url, method, headers }: Seen, files: number, most: number): Reply => {
  const { pathname, searchParams: query } = new URL(String(url), 'http://api.example')
  const [, path = ''] = new RegExp(`^/api/v1/repos/${giteaRepo}/(.+)$`).exec(pathname) ?? []
  if (method !== 'GET' || headers.authorization !== `token ${giteaToken}`) return { status: 401, body: { message: 'token is required' } }
  const page = (items: readonly object[]): Reply => {
    const size = Math.min(most, Number(query.get('limit') ?? 30))
    const from = (Number(query.get('page') ?? 1) - 1) * size
    const body = items.slice(from, from + size)
    // A list of one page has no links.
    return {
      status: 200,
      body,
      ...(items.length > size ? { link: `<https://x/>; rel="${from + size < items.length ? 'next' : 'first'}"` } : {}),
    }
  }
  const found = all.find(({ number }) => path === `pulls/${number}`)
  if (found) return { status: 200, body: found }
  if (path === 'pulls') return page(all)
  const merged = all.find(({ merge_commit_sha: sha }) => sha !== null && path === `commits/${sha}/pull`)
  if (merged) return { status: 200, body: merged }
  const permission = permissions[decodeURIComponent(/^collaborators\/([^/]+)\/permission$/.exec(path)?.[1] ?? '')]
  if (permission !== undefined) return { status: 200, body: { permission, role_name: permission, user: {} } }
  if (path === 'pulls/7/files') return page(Array.from({ length: files }, (_, i) => fileOf(i)))
  return { status: 404, body: { message: 'The target could not be found.' } }
}

const fileOf = (i: number): object => ({
  filename: `src/f${i}.ts`,
  ...(i === 0 ? { status: 'renamed', previous_filename: 'lib/f0.ts' } : { status: i === 1 ? 'deleted' : 'changed' }),
})
