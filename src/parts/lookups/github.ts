/** The lookup `github`: asks GitHub about pull requests, their files, and what a user may do in a repository. */

import { own } from '../../core/json.ts'
import { textSetting } from '../targets/delivery/settings.ts'
import { answerOf, askFiles, askOne, codeHost, getList, type HostAccess, type HostKit, openOne } from './kit/code-host.ts'
import { changeOf, isOfCommit, isSame, pullRequestOf, shortText } from './kit/pull-request.ts'
import type { FilledValues, LookupAnswer } from './lookup.ts'

/** The pull requests of one page. Only one page is asked for. */
const pullRequestsOfPage = 50
const filesOfPage = 100

const publicHost = 'github.com'
/** The environment variables with the token of the public host and its subdomains, and of any other host, as gh reads them. */
const githubTokens = ['GH_TOKEN', 'GITHUB_TOKEN'] as const
const enterpriseTokens = ['GH_ENTERPRISE_TOKEN', 'GITHUB_ENTERPRISE_TOKEN'] as const

const hostOf = ({ env, settings }: HostAccess): string => own(env, 'GH_HOST') || textSetting(settings, 'host') || publicHost

export const github = codeHost({
  name: 'github',
  title: 'GitHub',
  repo: [/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}\/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/, 'owner/name'],
  headers: (token) => ({
    accept: 'application/vnd.github+json',
    'x-github-api-version': '2022-11-28',
    authorization: `Bearer ${token}`,
  }),
  platform: {
    name: 'github',
    lacking: 'platforms.github.token (GH_TOKEN)',
    token(access) {
      const { env, settings } = access
      const names = /(?:^|\.)(?:github\.com|ghe\.com)$/i.test(hostOf(access)) ? githubTokens : enterpriseTokens
      return names.map((name) => own(env, name)).find(Boolean) ?? textSetting(settings, 'token')
    },
    api(access) {
      const host = hostOf(access).toLowerCase()
      if (host === publicHost) return 'https://api.github.com'
      return host.endsWith('.ghe.com') ? `https://api.${host}` : `https://${host}/api/v3`
    },
  },
  inPayload: {
    repo: ['{repository.full_name}'],
    number: ['{pull_request.number}', '{issue.number}', '{number}'],
    user: ['{sender.login}'],
    sha: [
      '{workflow_run.head_sha}',
      '{workflow_job.head_sha}',
      '{check_run.head_sha}',
      '{check_suite.head_sha}',
      '{deployment.sha}',
      '{after}',
    ],
  },
  questions: {
    pull_request: {
      keys: ['repo', 'number'],
      ask: ({ repo, number }, kit) => askOne(`repos/${repo}/pulls/${number}`, 'a pull request', pullRequestOf, kit),
    },
    changed_files: {
      keys: ['repo', 'number'],
      ask: ({ repo, number }, kit) =>
        askFiles({ path: `repos/${repo}/pulls/${number}/files?per_page=${filesOfPage}`, size: filesOfPage, read: changeOf }, kit),
    },
    permission: {
      keys: ['repo', 'user'],
      ask: ({ repo, user = '' }, kit) =>
        askOne(
          `repos/${repo}/collaborators/${encodeURIComponent(user)}/permission`,
          'a permission',
          (payload) => {
            // `permission` has no word for triage and maintain; `role_name` may be a role that an organization made.
            const words = [shortText(payload, 'role_name'), shortText(payload, 'permission')]
            return words.find((each) => ['none', 'read', 'triage', 'write', 'maintain', 'admin'].includes(each))
          },
          kit,
        ),
    },
    pull_request_of_commit: {
      keys: ['repo', 'sha'],
      further: {
        headRepo: ['{workflow_run.head_repository.full_name}'],
        headBranch: ['{workflow_run.head_branch}', '{workflow_job.head_branch}', '{check_suite.head_branch}'],
      },
      ask: (values, kit) => askOfCommit(values, kit),
    },
  },
  examples: [
    {
      spec: { github: 'pull_request', number: '{number}' },
      values: { repo: 'octo-org/octo-repo', number: '7' },
      answers: {
        'https://api.github.com/repos/octo-org/octo-repo/pulls/7': {
          number: 7,
          title: 'Fix the build',
          state: 'closed',
          draft: false,
          merged: true,
          user: { login: 'octocat' },
          head: { sha: 'a'.repeat(40), ref: 'fix', repo: { full_name: 'octo-fork/octo-repo' } },
          base: { ref: 'main', repo: { full_name: 'octo-org/octo-repo' } },
          labels: [{ name: 'ready' }],
          html_url: 'https://github.com/octo-org/octo-repo/pull/7',
        },
      },
      value: {
        number: 7,
        title: 'Fix the build',
        state: 'closed',
        draft: false,
        merged: true,
        author: 'octocat',
        head: { sha: 'a'.repeat(40), ref: 'fix', repo: 'octo-fork/octo-repo' },
        base: { ref: 'main', repo: 'octo-org/octo-repo' },
        labels: ['ready'],
        url: 'https://github.com/octo-org/octo-repo/pull/7',
      },
    },
    {
      spec: { github: 'permission', user: '{sender.login}' },
      values: { repo: 'octo-org/octo-repo', user: 'dependabot[bot]' },
      answers: {
        'https://api.github.com/repos/octo-org/octo-repo/collaborators/dependabot%5Bbot%5D/permission': {
          permission: 'write',
          role_name: 'maintain',
        },
      },
      value: 'maintain',
    },
    {
      spec: { github: 'changed_files' },
      values: { repo: 'octo-org/octo-repo', number: '7' },
      answers: {
        'https://api.github.com/repos/octo-org/octo-repo/pulls/7/files?per_page=100&page=1': [
          { filename: 'src/b.ts', status: 'renamed', previous_filename: 'src/a.ts' },
        ],
      },
      value: { paths: ['src/b.ts', 'src/a.ts'], changes: [{ path: 'src/b.ts', status: 'renamed' }], cut: false },
    },
  ],
})

/**
 * Asks for the pull request of a commit. GitHub does not list the commits of a fork under the base repository, so for these the pull
 * requests of the branch are asked for.
 */
const askOfCommit = async (values: FilledValues, kit: HostKit): Promise<LookupAnswer> => {
  const { repo = '', sha = '', headRepo, headBranch } = values
  const owner = headRepo?.split('/')[0]
  const isFork = headRepo !== undefined && !isSame(headRepo, repo)
  if (isFork && headBranch === undefined) return answerOf()
  const ofBranch = `pulls?head=${encodeURIComponent(`${owner}:${headBranch}`)}&state=all&sort=created&direction=desc`
  const got = await getList(
    {
      path: `repos/${repo}/${isFork ? `${ofBranch}&` : `commits/${sha}/pulls?`}per_page=${pullRequestsOfPage}`,
      size: pullRequestsOfPage,
      expected: 'a list of pull requests',
      read(each) {
        const found = pullRequestOf(each)
        return found && { found, mergedAs: shortText(each, 'merge_commit_sha') }
      },
    },
    kit,
  )
  if (got === undefined) return answerOf()
  if (!got.ok) return got
  const fitting = got.items.flatMap(({ found, mergedAs }) => {
    const isMergedAs = !isFork && found.merged && mergedAs === sha && isSame(found.base.repo, repo)
    return isMergedAs || isOfCommit(found, values) ? [found] : []
  })
  return answerOf(openOne(fitting))
}
