/** The small shapes of what code hosts answer, the same for each host, and how they are read of the JSON of GitHub and Gitea. */

import { isObject, type Json, type JsonObject, own, textOrEmpty } from '../../../core/json.ts'
import { cut } from '../../../core/text.ts'
import type { FilledValues } from '../lookup.ts'

/** The longest text of an answer, and the most labels, so that a hostile server fills no prompt. */
const maxTextUnits = 1_000
const maxLabels = 100

/** A pull request, or what a host calls so, the same for each host. */
export type PullRequest = {
  readonly number: number
  readonly title: string
  readonly state: 'open' | 'closed'
  readonly draft: boolean
  readonly merged: boolean
  readonly author: string
  /** `sha`: empty where the branch has no commit. `repo`: owner/name; empty where the fork is gone. */
  readonly head: { readonly sha: string; readonly ref: string; readonly repo: string }
  readonly base: { readonly ref: string; readonly repo: string }
  readonly labels: readonly string[]
  readonly url: string
}

/** A file that a pull request changes. `before`: its path until now, where it was renamed. */
export type Change = {
  readonly path: string
  readonly status: 'added' | 'modified' | 'removed' | 'renamed'
  readonly before?: string
}

/** Whether a value is the number of a pull request. */
export const isNumber = (value: Json | undefined): value is number => Number.isSafeInteger(value) && Number(value) > 0

/** Whether a text is the whole hash of a commit. */
export const isCommit = (sha: string): boolean => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(sha)

/** Returns the text of a member of a JSON map, cut; empty where it has none. */
export const shortText = (from: Json | undefined, ...path: readonly string[]): string =>
  cut(textOrEmpty(path.reduce<Json | undefined>((value, key) => (isObject(value) ? own(value, key) : undefined), from)), maxTextUnits)

/** Returns the texts of a list of labels, each a text or a map with `name`. */
export const labelsOf = (labels: Json | undefined): readonly string[] =>
  (Array.isArray(labels) ? labels : []).slice(0, maxLabels).flatMap((label) => {
    const text = typeof label === 'string' ? cut(label, maxTextUnits) : shortText(label, 'name')
    return text === '' ? [] : [text]
  })

/**
 * Reads a pull request of GitHub or Gitea; returns `undefined` for anything else. In a list, GitHub says when it was merged, and not
 * whether.
 */
export const pullRequestOf = (from: Json): PullRequest | undefined => {
  if (!isObject(from)) return undefined
  const { number, state, draft, merged, merged_at: mergedAt }: JsonObject = from
  const sha = shortText(from, 'head', 'sha')
  if (!isNumber(number) || (state !== 'open' && state !== 'closed') || (sha !== '' && !isCommit(sha))) return undefined
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

/** Reads a changed file of GitHub or Gitea; returns `undefined` for anything else. */
export const changeOf = (file: Json): Change | undefined => {
  const path = isObject(file) ? own(file, 'filename') : undefined
  if (!isObject(file) || typeof path !== 'string' || path === '') return undefined
  const { status, previous_filename: before }: JsonObject = file
  if (status === 'renamed') return { path, status, ...(typeof before === 'string' ? { before } : {}) }
  if (status === 'removed' || status === 'deleted') return { path, status: 'removed' }
  return { path, status: status === 'added' || status === 'copied' ? 'added' : 'modified' }
}

/** Whether two names of a repository, as owner/name, are the same. The hosts do not tell capitals apart. */
export const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

/**
 * Whether a pull request is that of the commit in the values of a question. A stranger can push a commit of somebody else to a fork, so the
 * fork and the branch must fit, too, where the event names them (`headRepo`, `headBranch`).
 */
export const isOfCommit = ({ head, base }: PullRequest, { repo = '', sha, headRepo, headBranch }: FilledValues): boolean => {
  const isPushed = head.sha === sha && isSame(base.repo, repo)
  return isPushed && (headRepo === undefined || (isSame(head.repo, headRepo) && (headBranch === undefined || head.ref === headBranch)))
}
