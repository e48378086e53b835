/** The invisible mark of our own comments. It shows a repeated delivery, and an event about such a comment. */

import { createHmac, timingSafeEqual } from 'node:crypto'
import { type Json, valueAt } from '../core/json.ts'

/** A pull request, merge request or issue. */
export type Thread = {
  /** `owner/name`, or the path or the id of a project. Letter case does not matter. */
  readonly repo: string
  /** Present where merge requests and issues have separate numbers. */
  readonly kind?: string
  readonly number: string
}

export type OwnComments = {
  /** Makes the mark for the end of `text`, posted to `thread`. `delivery`: 16 hexadecimal digits that identify the delivery. */
  readonly mark: (delivery: string, thread: Thread, text: string) => string
  /** Whether an event is about a comment of ours. */
  readonly isAboutOwnComment: (payload: Json) => boolean
}

/** The length of a mark, in characters. */
export const markChars = '<!-- headgate: -->'.length + 40

/**
 * Returns a regular expression for comments that end with a mark of this delivery. The marks of older versions begin with the same 16
 * digits.
 */
export const endsWithMarkOf = (delivery: string): string => `<!-- headgate:${delivery}[0-9a-f]{24} -->$`

const atEnd = /<!-- headgate:([0-9a-f]{16})([0-9a-f]{24}) -->\s*$/

/** The paths of the comment's text in the code hosts' events. */
const commentPaths = [
  ['comment', 'body'],
  ['review', 'body'],
  ['object_attributes', 'note'],
] as const

/**
 * Makes and recognises marks under `key`, which must stay secret. Anybody can read and copy a mark, and agents do not answer a comment that
 * we take for ours. So a mark holds a seal over its thread and its text: in another thread, or below another text, it is not valid.
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
        const found = typeof comment === 'string' ? atEnd.exec(comment.slice(-200)) : null
        if (typeof comment !== 'string' || found === null) return false
        const [end, delivery = '', seal = ''] = found
        const text = comment.slice(0, -end.length)
        return threadsIn(payload).some((thread) => timingSafeEqual(Buffer.from(sealOf(delivery, thread, text)), Buffer.from(seal)))
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
    ...['issue', 'pull_request'].flatMap((of) => threadOf(repo, at(of, 'number'))),
    ...['issue', 'merge_request'].flatMap((kind) => projects.flatMap((project) => threadOf(project, at(kind, 'iid'), kind))),
  ]
}

const threadOf = (repo: Json | undefined, number: Json | undefined, kind?: string): readonly Thread[] =>
  (typeof repo === 'string' || typeof repo === 'number') && typeof number === 'number'
    ? [{ repo: String(repo), number: String(number), ...(kind === undefined ? {} : { kind }) }]
    : []
