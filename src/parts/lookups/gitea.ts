/** The lookup `gitea`: asks Gitea or Forgejo about pull requests, their files, and what a user may do in a repository. */

import { answerOf, askFiles, askOne, codeHost, getList, type HostKit, openOne } from './kit/code-host.ts'
import { changeOf, isOfCommit, isSame, pullRequestOf, shortText } from './kit/pull-request.ts'
import type { FilledValues, LookupAnswer } from './lookup.ts'

/** The items of one page: servers give no more, unless they are set up otherwise. */
const pageSize = 50
/** The most pages of pull requests among which that of a commit is searched. */
const maxPullRequestPages = 3

/** The words of the answer, by those of Gitea. */
const words: ReadonlyMap<string, string> = new Map([
  ['none', 'none'],
  ['read', 'read'],
  ['write', 'write'],
  ['admin', 'admin'],
  ['owner', 'admin'],
])

export const gitea = codeHost({
  name: 'gitea',
  title: 'Gitea',
  repo: [/^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}\/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/, 'owner/name'],
  apiPath: '/api/v1',
  headers: (token) => ({ authorization: `token ${token}` }),
  inPayload: {
    repo: ['{repository.full_name}'],
    number: ['{pull_request.number}', '{issue.number}', '{number}'],
    user: ['{sender.login}'],
    sha: ['{workflow_run.head_sha}', '{workflow_job.head_sha}', '{sha}', '{after}'],
  },
  questions: {
    pull_request: {
      keys: ['repo', 'number'],
      ask: ({ repo, number }, kit) => askOne(`repos/${repo}/pulls/${number}`, 'a pull request', pullRequestOf, kit),
    },
    changed_files: {
      keys: ['repo', 'number'],
      ask: ({ repo, number }, kit) =>
        askFiles({ path: `repos/${repo}/pulls/${number}/files?limit=${pageSize}`, size: pageSize, read: changeOf }, kit),
    },
    permission: {
      keys: ['repo', 'user'],
      ask: ({ repo, user = '' }, kit) =>
        askOne(
          `repos/${repo}/collaborators/${encodeURIComponent(user)}/permission`,
          'a permission',
          (payload) => words.get(shortText(payload, 'permission')),
          kit,
        ),
    },
    pull_request_of_commit: {
      keys: ['repo', 'sha'],
      further: {
        headRepo: ['{workflow_run.head_repository.full_name}'],
        headBranch: ['{workflow_run.head_branch}', '{workflow_job.head_branch}'],
      },
      ask: (values, kit) => askOfCommit(values, kit),
    },
  },
  examples: [
    {
      spec: { gitea: 'pull_request', api_base: 'https://git.example.org/api/v1', token: 'a-token' },
      values: { repo: 'acme/web-shop', number: '7' },
      answers: {
        'https://git.example.org/api/v1/repos/acme/web-shop/pulls/7': {
          number: 7,
          title: 'Fix the build',
          state: 'open',
          draft: true,
          merged: false,
          user: { login: 'robin' },
          head: { sha: 'a'.repeat(40), ref: 'fix', repo: { full_name: 'robin/web-shop' } },
          base: { ref: 'main', repo: { full_name: 'acme/web-shop' } },
          labels: [{ name: 'ready' }],
          html_url: 'https://git.example.org/acme/web-shop/pulls/7',
        },
      },
      value: {
        number: 7,
        title: 'Fix the build',
        state: 'open',
        draft: true,
        merged: false,
        author: 'robin',
        head: { sha: 'a'.repeat(40), ref: 'fix', repo: 'robin/web-shop' },
        base: { ref: 'main', repo: 'acme/web-shop' },
        labels: ['ready'],
        url: 'https://git.example.org/acme/web-shop/pulls/7',
      },
    },
    {
      spec: { gitea: 'permission', user: 'robin', api_base: 'https://git.example.org/api/v1/', token: 'a-token' },
      values: { repo: 'acme/web-shop', user: 'robin' },
      answers: { 'https://git.example.org/api/v1/repos/acme/web-shop/collaborators/robin/permission': { permission: 'owner' } },
      value: 'admin',
    },
    {
      spec: { gitea: 'changed_files', api_base: 'https://git.example.org/api/v1', token: 'a-token' },
      values: { repo: 'acme/web-shop', number: '7' },
      answers: {
        'https://git.example.org/api/v1/repos/acme/web-shop/pulls/7/files?limit=50&page=1': [
          { filename: 'src/b.ts', status: 'deleted' },
          { filename: 'src/c.ts', status: 'changed' },
        ],
      },
      value: {
        paths: ['src/b.ts', 'src/c.ts'],
        changes: [
          { path: 'src/b.ts', status: 'removed' },
          { path: 'src/c.ts', status: 'modified' },
        ],
        cut: false,
      },
    },
  ],
})

/**
 * Asks for the pull request of a commit. Gitea tells of a commit only which pull request was merged as it. The last commit of another one
 * is searched among those that changed last, because a push has just changed its own.
 */
const askOfCommit = async (values: FilledValues, kit: HostKit): Promise<LookupAnswer> => {
  const { repo = '', sha, headRepo } = values
  if (headRepo === undefined || isSame(headRepo, repo)) {
    const got = await kit.get(`repos/${repo}/commits/${sha}/pull`)
    if (!got.ok) return got
    const found = got.absent ? undefined : pullRequestOf(got.payload)
    if (!got.absent && found === undefined) return kit.odd('a pull request')
    if (found?.merged && isSame(found.base.repo, repo)) return answerOf(found)
  }
  for (let page = 1; page <= maxPullRequestPages; page += 1) {
    const path = `repos/${repo}/pulls?state=all&sort=recentupdate&limit=${pageSize}&page=${page}`
    const got = await getList({ path, size: pageSize, expected: 'a list of pull requests', read: pullRequestOf }, kit)
    if (got === undefined) break
    if (!got.ok) return got
    const found = openOne(got.items.filter((each) => isOfCommit(each, values)))
    if (found !== undefined || !got.hasMore) return answerOf(found)
  }
  return answerOf()
}
