/** The lookup `github`: asks GitHub about pull requests, their files, and what a user may do in a repository. */

import { isObject, type Json, type JsonObject, own } from '../../core/json.ts'
import { isTemplate } from '../../expr/placeholder.ts'
import { textSetting } from '../targets/delivery/settings.ts'
import { hasFixedHost } from '../web/written-address.ts'
import {
  answerOf,
  type Change,
  filesAnswer,
  filesOfPage,
  isNoCommit,
  labelsOf,
  maxFiles,
  misformed,
  oddAnswer,
  type PullRequest,
  shortText,
} from './kit/code-host.ts'
import type { Fill, FilledValues, Got, LookupAnswer, LookupKit, LookupPart, LookupSpec } from './lookup.ts'

/** The most bytes of a page. Files come with their patches, and pull requests with their texts. */
const maxBytes = 8 * 1024 * 1024
/** The pull requests of one page. Only one page is asked for. */
const pullRequestsOfPage = 50

const publicHost = 'github.com'
/** The environment variables with the token of the public host and its subdomains, and of any other host, as gh reads them. */
const githubTokens = ['GH_TOKEN', 'GITHUB_TOKEN'] as const
const enterpriseTokens = ['GH_ENTERPRISE_TOKEN', 'GITHUB_ENTERPRISE_TOKEN'] as const

type Kind = NonNullable<LookupSpec['github']>
type Access = Pick<LookupKit, 'env' | 'settings'>

/** The values of a question that come of the payload, where the question does not say them. */
const inPayload: { readonly [key: string]: readonly string[] } = {
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
}

/** The keys of a question that fill an address, by its kind. */
const keysOf: { readonly [kind in Kind]: readonly ('repo' | 'number' | 'user' | 'sha')[] } = {
  pull_request: ['repo', 'number'],
  changed_files: ['repo', 'number'],
  permission: ['repo', 'user'],
  pull_request_of_commit: ['repo', 'sha'],
}

/** Where the commit of the event was pushed to. Never written in a question. */
const pushed: { readonly [key: string]: Fill } = {
  headRepo: { use: 'value', texts: ['{workflow_run.head_repository.full_name}'] },
  headBranch: { use: 'value', texts: ['{workflow_run.head_branch}', '{workflow_job.head_branch}', '{check_suite.head_branch}'] },
}

const kindOf = ({ github: kind = 'pull_request' }: LookupSpec): Kind => kind

const hostOf = ({ env, settings }: Access): string => own(env, 'GH_HOST') || textSetting(settings, 'host') || publicHost

/** An address of its own has a token of its own, so that no other server gets the token of GitHub (rules: Configuration 9). */
const tokenOf = ({ token, api_base: base }: LookupSpec, { env, settings }: Access): string | undefined => {
  if (token !== undefined || base !== undefined) return token?.trim() || undefined
  const names = /(?:^|\.)(?:github\.com|ghe\.com)$/i.test(hostOf({ env, settings })) ? githubTokens : enterpriseTokens
  return names.map((name) => own(env, name)).find(Boolean) ?? textSetting(settings, 'token')
}

const apiOf = ({ api_base: base }: LookupSpec, access: Access): string => {
  if (base !== undefined) return base.replace(/\/+$/, '')
  const host = hostOf(access).toLowerCase()
  if (host === publicHost) return 'https://api.github.com'
  return host.endsWith('.ghe.com') ? `https://api.${host}` : `https://${host}/api/v3`
}

export const github: LookupPart = {
  name: 'github',
  title: 'GitHub',
  platform: 'github',
  reads: (spec) => [...keysOf[kindOf(spec)], 'api_base', 'token'],
  check(spec, report) {
    const { api_base: base, token } = spec
    for (const key of keysOf[kindOf(spec)]) {
      const value = spec[key]
      const problem = value === undefined || isTemplate(value) ? undefined : misformed(key, String(value))
      if (problem !== undefined) report('WH249', [key], problem, 'write it so, or a placeholder')
    }
    if (base === undefined) return
    if (!hasFixedHost(base) || /[{}?#]/.test(base))
      report('WH249', ['api_base'], 'api_base is no fixed web address', 'write it like https://git.example.org/api/v3')
    if (token === undefined)
      report(
        'WH249',
        ['api_base'],
        'api_base has no token of its own',
        'write token: ${NAME} beside it; another server gets no token of GitHub',
      )
  },
  fills(spec) {
    const kind = kindOf(spec)
    const fills = keysOf[kind].map((key): [string, Fill] => {
      const written = spec[key]
      return [key, { use: 'value', texts: written === undefined ? (inPayload[key] ?? []) : [String(written)] }]
    })
    return { ...Object.fromEntries(fills), ...(kind === 'pull_request_of_commit' ? pushed : {}) }
  },
  unasked(spec, values) {
    const keys = keysOf[kindOf(spec)]
    if (keys.some((key) => values[key] === undefined) || isNoCommit(values.sha)) return 'unfilled'
    const problem = [...keys.map((key) => misformed(key, values[key] ?? '')), misformed('repo', values.headRepo ?? values.repo ?? '')].find(
      (each) => each !== undefined,
    )
    return problem === undefined ? undefined : { ok: false, why: problem, isFinal: true }
  },
  token: tokenOf,
  lacks: (spec, access) =>
    tokenOf(spec, access) === undefined ? (spec.api_base === undefined ? 'platforms.github.token (GH_TOKEN)' : 'token') : undefined,
  ask(spec, values, kit) {
    const api = apiOf(spec, kit)
    const get: Get = (path) =>
      kit.get({
        url: `${api}/repos/${path}`,
        headers: {
          accept: 'application/vnd.github+json',
          'x-github-api-version': '2022-11-28',
          authorization: `Bearer ${tokenOf(spec, kit) ?? ''}`,
        },
        maxBytes,
        isPublicOnly: false,
      })
    return asks[kindOf(spec)](values, get)
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
}

/** Gets an answer of the API. `path`: below `repos/`. */
type Get = (path: string) => Promise<Got>

const askPermission = async ({ repo, user = '' }: FilledValues, get: Get): Promise<LookupAnswer> => {
  const got = await get(`${repo}/collaborators/${encodeURIComponent(user)}/permission`)
  if (!got.ok) return got
  if (got.absent) return answerOf(undefined)
  // `permission` has no word for triage and maintain; `role_name` may be a role that an organization made.
  const words = [shortText(got.payload, 'role_name'), shortText(got.payload, 'permission')]
  const word = words.find((each) => ['none', 'read', 'triage', 'write', 'maintain', 'admin'].includes(each))
  return word === undefined ? oddAnswer('GitHub', 'a permission') : answerOf(word)
}

const askPullRequest = async ({ repo, number }: FilledValues, get: Get): Promise<LookupAnswer> => {
  const got = await get(`${repo}/pulls/${number}`)
  if (!got.ok) return got
  if (got.absent) return answerOf(undefined)
  const found = pullRequestOf(got.payload)
  return found ? answerOf(found) : oddAnswer('GitHub', 'a pull request')
}

const askFiles = async ({ repo, number }: FilledValues, get: Get): Promise<LookupAnswer> => {
  const changes: Change[] = []
  for (let page = 1; ; page += 1) {
    const got = await get(`${repo}/pulls/${number}/files?per_page=${filesOfPage}&page=${page}`)
    if (!got.ok) return got
    if (got.absent) return answerOf(undefined)
    const files = Array.isArray(got.payload) ? got.payload.map(changeOf) : [undefined]
    if (files.some((file) => file === undefined)) return oddAnswer('GitHub', 'files of a pull request')
    changes.push(...files.flatMap((file) => file ?? []))
    const isLast = files.length < filesOfPage
    if (isLast || changes.length >= maxFiles) {
      // Without the header nobody knows whether there are more files, so the answer does not pass for a whole one.
      const link = got.header('link')
      const hasMore = !isLast && (link === undefined || /;\s*rel="next"/.test(link))
      return filesAnswer(changes.slice(0, maxFiles), hasMore || changes.length > maxFiles)
    }
  }
}

/**
 * Asks for the pull request of a commit. GitHub does not list the commits of a fork under the base repository, so for these the pull
 * requests of the branch are asked for. A stranger can push a commit of somebody else to a fork, so the fork and the branch must fit, too.
 */
const askOfCommit = async ({ repo = '', sha = '', headRepo, headBranch }: FilledValues, get: Get): Promise<LookupAnswer> => {
  const owner = headRepo?.split('/')[0]
  const isFork = headRepo !== undefined && !isSame(headRepo, repo)
  if (isFork && headBranch === undefined) return answerOf(undefined)
  const ofBranch = `pulls?head=${encodeURIComponent(`${owner}:${headBranch}`)}&state=all&sort=created&direction=desc`
  const got = await get(`${repo}/${isFork ? `${ofBranch}&` : `commits/${sha}/pulls?`}per_page=${pullRequestsOfPage}`)
  if (!got.ok) return got
  if (got.absent) return answerOf(undefined)
  if (!Array.isArray(got.payload)) return oddAnswer('GitHub', 'a list of pull requests')
  const all = got.payload.map((each) => ({ found: pullRequestOf(each), mergedAs: shortText(each, 'merge_commit_sha') }))
  if (all.some(({ found }) => found === undefined)) return oddAnswer('GitHub', 'a list of pull requests')
  const fitting = all.flatMap(({ found, mergedAs }) => {
    if (!found || !isSame(found.base.repo, repo)) return []
    const isPushed = found.head.sha === sha && (headRepo === undefined || isSame(found.head.repo, headRepo))
    const isBranch = headRepo === undefined || headBranch === undefined || found.head.ref === headBranch
    return (isPushed && isBranch) || (!isFork && found.merged && mergedAs === sha) ? [found] : []
  })
  return answerOf(fitting.find(({ state }) => state === 'open') ?? fitting[0])
}

const asks: { readonly [kind in Kind]: (values: FilledValues, get: Get) => Promise<LookupAnswer> } = {
  pull_request: askPullRequest,
  changed_files: askFiles,
  permission: askPermission,
  pull_request_of_commit: askOfCommit,
}

/** Whether two names of a repository, as owner/name, are the same. GitHub does not tell capitals apart. */
const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

/** Returns the small shape of a pull request; `undefined` for anything else. In a list, GitHub says when it was merged, and not whether. */
const pullRequestOf = (from: Json): PullRequest | undefined => {
  if (!isObject(from)) return undefined
  const { number, state, draft, merged, merged_at: mergedAt }: JsonObject = from
  const sha = shortText(from, 'head', 'sha')
  if (typeof number !== 'number' || (state !== 'open' && state !== 'closed') || misformed('sha', sha) !== undefined) return undefined
  return {
    number,
    title: shortText(from, 'title'),
    state,
    draft: draft === true,
    merged: merged === true || typeof mergedAt === 'string',
    author: shortText(from, 'user', 'login'),
    head: { sha, ref: shortText(from, 'head', 'ref'), repo: shortText(from, 'head', 'repo', 'full_name') },
    base: { ref: shortText(from, 'base', 'ref'), repo: shortText(from, 'base', 'repo', 'full_name') },
    labels: labelsOf(own(from, 'labels')),
    url: shortText(from, 'html_url'),
  }
}

const changeOf = (file: Json): Change | undefined => {
  const path = isObject(file) ? own(file, 'filename') : undefined
  if (!isObject(file) || typeof path !== 'string' || path === '') return undefined
  const { status, previous_filename: before }: JsonObject = file
  if (status === 'renamed') return { path, status, ...(typeof before === 'string' ? { before } : {}) }
  return { path, status: status === 'removed' ? 'removed' : status === 'added' || status === 'copied' ? 'added' : 'modified' }
}
