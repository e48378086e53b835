/** Stands in for GitHub's REST API as lookups ask it. Like GitHub, it refuses what has no token, no version, or another form. */

import type { ServerResponse } from 'node:http'
import { json, type Seen } from './sink.ts'

export const githubToken = 'ghp_canary_lookup_token'
export const repo = 'octo-org/octo-repo'
/** The commit of a pull request of a fork, and that of a branch of the repository itself. */
export const forkSha = '3484a3fb816e0859fd6e1cea078d76385ff50625'
export const ownSha = 'b'.repeat(40)

const pullRequest = (number: number, sha: string, from: string, ref: string) => ({
  number,
  title: `PR ${number}`,
  state: 'open',
  draft: false,
  merged_at: null,
  user: { login: 'octocat' },
  head: { sha, ref, repo: { full_name: from } },
  base: { ref: 'main', repo: { full_name: repo } },
  labels: [{ name: 'agent' }],
  html_url: `https://github.com/${repo}/pull/${number}`,
})
const all = [
  pullRequest(7, forkSha, 'octo-fork/octo-repo', 'master'),
  // Somebody else pushed the same commit to a fork of their own.
  pullRequest(8, forkSha, 'mallory/octo-repo', 'master'),
  pullRequest(9, ownSha, repo, 'topic'),
]
const roles: { readonly [user: string]: { readonly permission: string; readonly role_name: string } } = {
  octocat: { permission: 'write', role_name: 'maintain' },
  reader: { permission: 'read', role_name: 'triage' },
  custom: { permission: 'write', role_name: 'release manager' },
  nobody: { permission: 'none', role_name: '' },
}

type Reply = { readonly status: number; readonly body: object; readonly link?: string }

/** Answers questions. `files`: how many files pull request 7 changes. */
export const githubApi =
  (files = 2) =>
  (response: ServerResponse, seen: Seen): void => {
    const { status, body, link } = replyTo(seen, files)
    json(response, status, body, link === undefined ? {} : { link })
  }

const replyTo = ({ url, method, headers }: Seen, files: number): Reply => {
  const { pathname, searchParams: query } = new URL(String(url), 'http://api.example')
  const [, path = ''] = new RegExp(`^/repos/${repo}/(.+)$`).exec(pathname) ?? []
  if (headers.authorization !== `Bearer ${githubToken}`) return { status: 401, body: { message: 'Bad credentials' } }
  if (method !== 'GET' || headers['x-github-api-version'] !== '2022-11-28' || !headers['user-agent'])
    return { status: 403, body: { message: 'Forbidden' } }
  const [, number] = /^pulls\/(\d+)$/.exec(path) ?? []
  const found = all.find((each) => each.number === Number(number))
  if (found) return { status: 200, body: { ...found, merged: false } }
  if (path === 'pulls') {
    // Without owner and branch GitHub leaves the filter out, and lists all.
    const [owner, branch] = query.get('head')?.split(':') ?? []
    const isOfBranch = ({ head }: (typeof all)[number]): boolean => head.ref === branch && head.repo.full_name.startsWith(`${owner}/`)
    return { status: 200, body: branch ? all.filter(isOfBranch) : all }
  }
  const [, sha] = /^commits\/([^/]+)\/pulls$/.exec(path) ?? []
  // The commits of forks are not listed under the base repository.
  if (sha) return { status: 200, body: all.filter(({ head }) => head.sha === sha && head.repo.full_name === repo) }
  const [, user = ''] = /^collaborators\/([^/]+)\/permission$/.exec(path) ?? []
  const role = roles[decodeURIComponent(user)]
  if (role) return { status: 200, body: role }
  if (path === 'pulls/7/files') return pageOfFiles(Number(query.get('per_page') ?? 30), Number(query.get('page') ?? 1), files)
  return { status: 404, body: { message: 'Not Found' } }
}

const pageOfFiles = (perPage: number, page: number, files: number): Reply => {
  const size = Math.min(100, perPage)
  const from = (page - 1) * size
  const body = Array.from({ length: Math.max(0, Math.min(size, files - from)) }, (_, i) => ({
    filename: `src/f${from + i}.ts`,
    ...(from + i === 0 ? { status: 'renamed', previous_filename: 'lib/f0.ts' } : { status: 'modified' }),
    patch: '@@',
  }))
  return { status: 200, body, link: from + size < files ? '<https://x/?page=2>; rel="next"' : '<https://x/?page=1>; rel="first"' }
}
