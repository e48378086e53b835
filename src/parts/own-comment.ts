/**
 * Makes and recognises the mark at the end of each comment that the gateway posts. Readers of the comment do not see the mark. By the mark,
 * a repeated delivery can find the comment that was posted already, and the gateway ignores an event about a comment of its own.
 */

import { createHmac } from 'node:crypto'
import { type Json, valueAt } from '../core/json.ts'
import { isSameSecret } from '../secrets/same-secret.ts'

/** The pull request, merge request or issue that a comment belongs to. */
type Thread = {
  /** `owner/name`, or the path or the id of a project. Upper and lower case are equal. */
  readonly repo: string
  /** `merge_request` or `issue`. Present where merge requests and issues are numbered separately (GitLab). */
  readonly kind?: string
  readonly number: string
}

/** Makes and recognises marks with the key of one data directory. */
export type OwnComments = {
  /** Makes the mark for the end of `text`, posted to `thread`. `delivery`: 16 hexadecimal digits that identify the delivery. */
  readonly mark: (delivery: string, thread: Thread, text: string) => string
  /** Whether an event is about a comment with a valid mark at its end. */
  readonly isAboutOwnComment: (payload: Json) => boolean
}

export const markChars = '<!-- headgate: -->'.length + 40

/**
 * Returns the source of a regular expression for comments that end with a mark of this delivery. Any seal (the last 24 digits of the mark)
 * matches, because older versions made other seals.
 */
export const endsWithMarkOf = (delivery: string): string => `<!-- headgate:${delivery}[0-9a-f]{24} -->$`

/** A mark at the end of a comment. Its groups are the digits of the delivery and the seal. */
const markAtEnd = /<!-- headgate:([0-9a-f]{16})([0-9a-f]{24}) -->\s*$/

/** The paths in events of code hosts to the text of the comment that the event is about. */
const commentPaths = [
  ['comment', 'body'],
  ['review', 'body'],
  ['object_attributes', 'note'],
] as const

/**
 * Makes and recognises marks under `key`, which must stay secret. Anybody can copy a mark, and with a valid mark could hide a comment from
 * the agent. So a mark has a seal, an HMAC over the delivery, the thread and the text: a copy is not valid in another thread, or at the end
 * of another text.
 */
export const createOwnComments = (key: () => Uint8Array): OwnComments => {
  const sealOf = (delivery: string, { repo, kind = '', number }: Thread, text: string): string =>
    createHmac('sha256', key())
      .update(JSON.stringify([repo.toLowerCase(), kind, number, delivery, withoutBlanks(text)]))
      .digest('hex')
      .slice(0, 24)
  return {
    mark: (delivery, thread, text) => `<!-- headgate:${delivery}${sealOf(delivery, thread, text)} -->`,
    isAboutOwnComment: (payload) =>
      commentPaths.some((place) => {
        const comment = valueAt(payload, place)
        const found = typeof comment === 'string' ? markAtEnd.exec(comment.slice(-200)) : null
        if (typeof comment !== 'string' || found === null) return false
        const [end, delivery = '', seal = ''] = found
        const text = comment.slice(0, -end.length)
        return threadsIn(payload).some((thread) => isSameSecret(seal, sealOf(delivery, thread, text)))
      }),
  }
}

/** Removes blanks, line ends and invisible characters, because a code host may change them. */
const withoutBlanks = (text: string): string => text.replace(/[\s\p{Cc}\p{Cf}]+/gu, '')

/**
 * Returns the threads that an event may be about, named as in a target's settings: GitHub's, then GitLab's with the path or the id of its
 * project.
 */
const threadsIn = (payload: Json): readonly Thread[] => {
  const at = (...path: string[]): Json | undefined => valueAt(payload, path)
  const repo = at('repository', 'full_name')
  const projects = [at('project', 'path_with_namespace'), at('project', 'id')]
  return [
    ...['issue', 'pull_request'].flatMap((kind) => threadFrom(repo, at(kind, 'number'))),
    ...['issue', 'merge_request'].flatMap((kind) => projects.flatMap((project) => threadFrom(project, at(kind, 'iid'), kind))),
  ]
}

/** Makes the thread from values of a payload; no thread where one of them is missing or has another type. */
const threadFrom = (repo: Json | undefined, number: Json | undefined, kind?: string): readonly Thread[] =>
  (typeof repo === 'string' || typeof repo === 'number') && typeof number === 'number'
    ? [{ repo: String(repo), number: String(number), ...(kind === undefined ? {} : { kind }) }]
    : []
