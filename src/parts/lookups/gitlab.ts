/** The lookup `gitlab`: asks GitLab about merge requests, their files, and what a user may do in a project. */

import { isObject, type Json, type JsonObject, own } from '../../core/json.ts'
import { textSetting } from '../targets/delivery/settings.ts'
import { answerOf, askFiles, codeHost, getList, type HostKit } from './kit/code-host.ts'
import { type Change, isCommit, isNumber, isSame, labelsOf, type PullRequest, shortText } from './kit/pull-request.ts'
import type { FilledValues, LookupAnswer } from './lookup.ts'

/** The merge requests of one page. Only one page is asked for. */
const mergeRequestsOfPage = 50
const filesOfPage = 100

/** The words for roles, from the highest level on. A role that an organization made has the level of the role below it. */
const levels: readonly (readonly [from: number, word: string])[] = [
  [50, 'admin'],
  [40, 'maintain'],
  [30, 'write'],
  [20, 'triage'],
  [10, 'read'],
]

const projectPath = (project = ''): string => `projects/${encodeURIComponent(project)}`

export const gitlab = codeHost({
  name: 'gitlab',
  title: 'GitLab',
  // 20 groups below each other are the most that GitLab has.
  repo: [
    /^(?!.*(?:^|\/)\.{1,2}(?:\/|$))(?:[1-9]\d{0,9}|(?=.{3,1000}$)[\w.-]{1,255}(?:\/[\w.-]{1,255}){1,20})$/,
    'the path of a project, or its number',
  ],
  apiPath: '/api/v4',
  headers: (token) => ({ authorization: `Bearer ${token}` }),
  platform: {
    name: 'gitlab',
    lacking: 'platforms.gitlab.token (GITLAB_TOKEN)',
    token: ({ settings }) => textSetting(settings, 'token'),
    api({ settings }) {
      const host = textSetting(settings, 'api_base') ?? textSetting(settings, 'host') ?? 'gitlab.com'
      return `${host.includes('://') ? host.replace(/\/+$/, '') : `https://${host}`}/api/v4`
    },
  },
  inPayload: {
    // A pipeline of a fork has the fork as its project, and its merge request is in another one.
    repo: ['{merge_request.target_project_id}', '{project.path_with_namespace}', '{project_id}'],
    // Pipelines and issues have numbers of their own at the same place.
    number: ['{merge_request.iid}', '{= object_kind = "merge_request" ? object_attributes.iid }'],
    user: ['{user.username}', '{user_username}'],
    sha: ['{object_attributes.sha}', '{after}', '{sha}'],
  },
  questions: {
    merge_request: {
      keys: ['repo', 'number'],
      async ask({ repo, number }, kit) {
        const got = await kit.get(`${projectPath(repo)}/merge_requests/${number}`)
        if (!got.ok) return got
        if (got.absent) return answerOf()
        const found = mergeRequestOf(got.payload)
        return found ? withHead(found, kit) : kit.odd('a merge request')
      },
    },
    changed_files: {
      keys: ['repo', 'number'],
      ask: ({ repo, number }, kit) =>
        askFiles(
          {
            path: `${projectPath(repo)}/merge_requests/${number}/diffs?per_page=${filesOfPage}`,
            size: filesOfPage,
            read: changeOf,
          },
          kit,
        ),
    },
    permission: { keys: ['repo', 'user'], ask: (values, kit) => askPermission(values, kit) },
    merge_request_of_commit: {
      keys: ['repo', 'sha'],
      further: {
        headProject: ['{merge_request.source_project_id}', '{project.id}', '{project_id}'],
        headBranch: ['{object_attributes.ref}', '{ref}'],
      },
      ask: (values, kit) => askOfCommit(values, kit),
    },
  },
  examples: [
    {
      spec: { gitlab: 'merge_request' },
      values: { repo: 'group/sub-group/project', number: '7' },
      answers: {
        'https://gitlab.com/api/v4/projects/group%2Fsub-group%2Fproject/merge_requests/7': {
          iid: 7,
          title: 'Fix the build',
          state: 'merged',
          draft: false,
          author: { username: 'robin' },
          sha: 'a'.repeat(40),
          source_branch: 'fix',
          target_branch: 'main',
          source_project_id: 52,
          target_project_id: 51,
          labels: ['ready'],
          references: { full: 'group/sub-group/project!7' },
          web_url: 'https://gitlab.com/group/sub-group/project/-/merge_requests/7',
        },
        'https://gitlab.com/api/v4/projects/52': { path_with_namespace: 'robin/project' },
      },
      value: {
        number: 7,
        title: 'Fix the build',
        state: 'closed',
        draft: false,
        merged: true,
        author: 'robin',
        head: { sha: 'a'.repeat(40), ref: 'fix', repo: 'robin/project' },
        base: { ref: 'main', repo: 'group/sub-group/project' },
        labels: ['ready'],
        url: 'https://gitlab.com/group/sub-group/project/-/merge_requests/7',
      },
    },
    {
      spec: { gitlab: 'permission', user: '{user.username}' },
      values: { repo: 'group/project', user: 'robin' },
      answers: {
        'https://gitlab.com/api/v4/users?username=robin': [{ id: 7, username: 'robin' }],
        'https://gitlab.com/api/v4/projects/group%2Fproject/members/all/7': { id: 7, access_level: 40 },
      },
      value: 'maintain',
    },
    {
      spec: { gitlab: 'changed_files' },
      values: { repo: '51', number: '7' },
      answers: {
        'https://gitlab.com/api/v4/projects/51/merge_requests/7/diffs?per_page=100&page=1': [
          { old_path: 'src/a.ts', new_path: 'src/b.ts', new_file: false, renamed_file: true, deleted_file: false },
        ],
      },
      value: { paths: ['src/b.ts', 'src/a.ts'], changes: [{ path: 'src/b.ts', status: 'renamed' }], cut: false },
    },
  ],
})

/** A merge request as GitLab tells of it: where its branch is, stands as a number only. */
type Found = {
  readonly pullRequest: PullRequest
  readonly source: number
  readonly isFork: boolean
  /** The commits under which its changes are in the target branch; empty before it is merged. */
  readonly mergedAs: readonly string[]
}

const mergeRequestOf = (from: Json): Found | undefined => {
  if (!isObject(from)) return undefined
  const { iid, state, draft, source_project_id: source, target_project_id: target }: JsonObject = from
  const sha = shortText(from, 'sha')
  if (!isNumber(iid) || !isNumber(target) || (sha !== '' && !isCommit(sha))) return undefined
  if (state !== 'opened' && state !== 'locked' && state !== 'closed' && state !== 'merged') return undefined
  const repo = shortText(from, 'references', 'full').replace(/!\d+$/, '')
  const isFork = source !== target
  const merged = state === 'merged'
  return {
    pullRequest: {
      number: iid,
      title: shortText(from, 'title'),
      state: merged || state === 'closed' ? 'closed' : 'open',
      draft: draft === true,
      merged,
      author: shortText(from, 'author', 'username'),
      head: { sha, ref: shortText(from, 'source_branch'), repo: isFork ? '' : repo },
      base: { ref: shortText(from, 'target_branch'), repo },
      labels: labelsOf(own(from, 'labels')),
      url: shortText(from, 'web_url'),
    },
    // The project of a fork that is gone has no number.
    source: isNumber(source) ? source : 0,
    isFork,
    mergedAs: merged ? [sha, shortText(from, 'merge_commit_sha'), shortText(from, 'squash_commit_sha')] : [],
  }
}

/** Asks for the path of a fork, and makes the answer. A fork that is gone, or that the token may not see, has none. */
const withHead = async ({ pullRequest, source, isFork }: Found, { get }: HostKit): Promise<LookupAnswer> => {
  if (!isFork || source === 0) return answerOf(pullRequest)
  const got = await get(projectPath(String(source)))
  if (!got.ok) return got
  const repo = got.absent ? '' : shortText(got.payload, 'path_with_namespace')
  return answerOf({ ...pullRequest, head: { ...pullRequest.head, repo } })
}

/**
 * Asks for the merge request of a commit. GitLab lists each one that has the commit, so its last commit, its branch and its project must
 * fit: a stranger can push a commit of somebody else to a fork. What was merged counts by its commits in the target branch.
 */
const askOfCommit = async ({ repo, sha = '', headProject, headBranch }: FilledValues, kit: HostKit): Promise<LookupAnswer> => {
  const got = await getList(
    {
      path: `${projectPath(repo)}/repository/commits/${sha}/merge_requests?per_page=${mergeRequestsOfPage}`,
      size: mergeRequestsOfPage,
      expected: 'a list of merge requests',
      read: mergeRequestOf,
    },
    kit,
  )
  if (got === undefined) return answerOf()
  if (!got.ok) return got
  const branch = headBranch?.replace(/^refs\/heads\//, '')
  const fitting = got.items.filter(({ pullRequest: { head }, source, mergedAs }) => {
    const isPushed = head.sha === sha && (headProject === undefined || String(source) === headProject)
    return mergedAs.includes(sha) || (branch === undefined ? head.sha === sha : isPushed && head.ref === branch)
  })
  const found = fitting.find(({ pullRequest }) => pullRequest.state === 'open') ?? fitting[0]
  return found ? withHead(found, kit) : answerOf()
}

/**
 * Asks for what a user may do. GitLab finds a member by the user's number only, which the name gives. Who is no member has `none`, as one
 * has whose project the token does not see.
 */
const askPermission = async ({ repo, user = '' }: FilledValues, kit: HostKit): Promise<LookupAnswer> => {
  const path = `users?username=${encodeURIComponent(user)}`
  const users = await getList({ path, size: 1, expected: 'a list of users', read: userOf }, kit)
  if (users && !users.ok) return users
  const id = users?.items.find(({ name }) => isSame(name, user))?.id
  if (id === undefined) return answerOf()
  const got = await kit.get(`${projectPath(repo)}/members/all/${id}`)
  if (!got.ok) return got
  if (got.absent) return answerOf('none')
  const level = isObject(got.payload) ? own(got.payload, 'access_level') : undefined
  return typeof level === 'number' ? answerOf(levels.find(([from]) => level >= from)?.[1] ?? 'none') : kit.odd('a member')
}

const userOf = (from: Json): { readonly id: number; readonly name: string } | undefined => {
  const id = isObject(from) ? own(from, 'id') : undefined
  return isNumber(id) ? { id, name: shortText(from, 'username') } : undefined
}

const changeOf = (file: Json): Change | undefined => {
  if (!isObject(file)) return undefined
  const { old_path: before, new_path: path, new_file: isNew, renamed_file: isRenamed, deleted_file: isDeleted }: JsonObject = file
  if (typeof path !== 'string' || path === '') return undefined
  if (isRenamed === true) return { path, status: 'renamed', ...(typeof before === 'string' ? { before } : {}) }
  return { path, status: isDeleted === true ? 'removed' : isNew === true ? 'added' : 'modified' }
}
