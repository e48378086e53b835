/** Stands in for GitLab's REST API as lookups ask it. Like GitLab, it refuses what has no token, and knows a project by path and number. */

import type { ServerResponse } from 'node:http'
import { json, type Seen } from './sink.ts'

export const gitlabToken = 'glpat-canary-lookup-token'
export const project = 'group/sub-group/project'
/** The commit of a merge request of a fork, and that of a branch of the project itself. */
export const forkCommit = 'd'.repeat(40)
export const ownCommit = 'e'.repeat(40)
const mergeCommit = 'f'.repeat(40)

const numbers: { readonly [path: string]: number } = { [project]: 51, 'robin/project': 52, 'mallory/project': 53 }
const mergeRequest = (iid: number, sha: string, source: number, branch: string) => ({
  iid,
  title: `MR ${iid}`,
  state: 'opened',
  draft: true,
  author: { username: 'robin' },
  sha,
  merge_commit_sha: null as string | null,
  squash_commit_sha: null,
  source_branch: branch,
  target_branch: 'main',
  source_project_id: source as number | null,
  target_project_id: 51,
  labels: ['agent'],
  references: { short: `!${iid}`, full: `${project}!${iid}` },
  web_url: `https://gitlab.com/${project}/-/merge_requests/${iid}`,
})
const all = [
  mergeRequest(7, forkCommit, 52, 'master'),
  // Somebody else pushed the same commit to a fork of their own.
  mergeRequest(8, forkCommit, 53, 'master'),
  mergeRequest(9, ownCommit, 51, 'topic'),
  { ...mergeRequest(10, 'a'.repeat(40), 51, 'old'), state: 'merged', merge_commit_sha: mergeCommit },
  { ...mergeRequest(11, 'b'.repeat(40), 0, 'gone'), state: 'closed', source_project_id: null },
]
const users: { readonly [name: string]: number } = { robin: 7, guest: 8, reporter: 9, developer: 10, owner: 11, stranger: 12 }
const levels: { readonly [id: number]: number } = { 7: 40, 8: 10, 9: 20, 10: 30, 11: 50 }

type Reply = { readonly status: number; readonly body: object; readonly link?: string }
const notFound: Reply = { status: 404, body: { message: '404 Not Found' } }

/** Answers questions. `files`: how many files merge request 7 changes. */
export const gitlabApi =
  (files = 2) =>
  (response: ServerResponse, seen: Seen): void => {
    const { status, body, link } = replyTo(seen, files)
    json(response, status, body, link === undefined ? {} : { link })
  }

const replyTo = ({ url, method, headers }: Seen, files: number): Reply => {
  const { pathname, searchParams: query } = new URL(String(url), 'http://api.example')
  if (method !== 'GET' || headers.authorization !== `Bearer ${gitlabToken}`) return { status: 401, body: { message: '401 Unauthorized' } }
  if (pathname === '/api/v4/users') {
    const name = query.get('username') ?? ''
    return { status: 200, body: users[name] === undefined ? [] : [{ id: users[name], username: name }] }
  }
  const [, id = '', path = ''] = /^\/api\/v4\/projects\/([^/]+)(?:\/(.+))?$/.exec(pathname) ?? []
  const number = numbers[decodeURIComponent(id)] ?? Number(id)
  const known = Object.entries(numbers).find(([, each]) => each === number)?.[0]
  if (known === undefined) return notFound
  if (path === '') return { status: 200, body: { id: number, path_with_namespace: known } }
  const ofProject = all.filter(({ target_project_id: target }) => target === number)
  const [, iid] = /^merge_requests\/(\d+)$/.exec(path) ?? []
  const found = ofProject.find((each) => each.iid === Number(iid))
  if (found) return { status: 200, body: found }
  const [, commit] = /^repository\/commits\/([^/]+)\/merge_requests$/.exec(path) ?? []
  if (commit) return { status: 200, body: ofProject.filter(({ sha, merge_commit_sha: merged }) => sha === commit || merged === commit) }
  const level = levels[Number(/^members\/all\/(\d+)$/.exec(path)?.[1])]
  if (level !== undefined) return { status: 200, body: { id: 1, access_level: level } }
  if (path === 'merge_requests/7/diffs') return pageOfFiles(Number(query.get('per_page') ?? 20), Number(query.get('page') ?? 1), files)
  return notFound
}

const pageOfFiles = (perPage: number, page: number, files: number): Reply => {
  const size = Math.min(100, perPage)
  const from = (page - 1) * size
  const body = Array.from({ length: Math.max(0, Math.min(size, files - from)) }, (_, i) => ({
    old_path: from + i === 0 ? 'lib/f0.ts' : `src/f${from + i}.ts`,
    new_path: `src/f${from + i}.ts`,
    new_file: from + i === 2,
    renamed_file: from + i === 0,
    deleted_file: from + i === 3,
    diff: '@@',
  }))
  return { status: 200, body, link: from + size < files ? '<https://x/?page=2>; rel="next"' : '<https://x/?page=1>; rel="first"' }
}
