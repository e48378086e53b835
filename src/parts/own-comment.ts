/** The invisible mark of our own comments: by it a repeated delivery is recognised, and an event that tells of such a comment. */

import { createHmac, timingSafeEqual } from 'node:crypto'
import { type Json, valueAt } from '../core/json.ts'

/** A pull request, merge request or issue. */
export type Thread = {
  /** `owner/name` or the path of a project, in any letter case; or the id of a project. */
  readonly repo: string
  /** Where merge requests and issues are numbered apart. */
  readonly kind?: string
  readonly number: string
}

export type OwnComments = {
  /** The mark for the end of `text` when it is posted to `thread`. `delivery`: 16 hexadecimal digits that stand for what is delivered. */
  readonly mark: (delivery: string, thread: Thread, text: string) => string
  /** Whether an event tells of a comment of ours. */
  readonly areToldIn: (payload: Json) => boolean
}

/** The length of a mark. */
export const markChars = '<!-- headgate: -->'.length + 40

/** A regular expression for comments that end with a mark of this delivery. The marks that older versions made begin with the same 16 digits. */
export const endsWithMarkOf = (delivery: string): string => `<!-- headgate:${delivery}[0-9a-f]{24} -->$`

const atEnd = /<!-- headgate:([0-9a-f]{16})([0-9a-f]{24}) -->\s*$/

/** Where the code hosts' events have the text of the comment that they tell of. */
const places = [
  ['comment', 'body'],
  ['review', 'body'],
  ['object_attributes', 'note'],
] as const

/**
 * Makes and recognises marks under `key`, which nobody else may have. Anybody can read a mark and copy it, and a comment that we take for ours is
 * answered by no agent. So a mark holds a seal over its thread and its text: elsewhere, or below another text, it counts for nothing.
 */
export const createOwnComments = (key: () => Uint8Array): OwnComments => {
  const sealOf = (delivery: string, { repo, kind = '', number }: Thread, text: string): string =>
    createHmac('sha256', key())
      .update(JSON.stringify([repo.toLowerCase(), kind, number, delivery, withoutBlanks(text)]))
      .digest('hex')
      .slice(0, 24)
  return {
    mark: (delivery, thread, text) => `<!-- headgate:${delivery}${sealOf(delivery, thread, text)} -->`,
    areToldIn: (payload) =>
      places.some((place) => {
        const comment = valueAt(payload, place)
        const found = typeof comment === 'string' ? atEnd.exec(comment.slice(-200)) : null
        if (typeof comment !== 'string' || found === null) return false
        const [end, delivery = '', seal = ''] = found
        const text = comment.slice(0, -end.length)
        return threadsIn(payload).some((thread) => timingSafeEqual(Buffer.from(sealOf(delivery, thread, text)), Buffer.from(seal)))
      }),
  }
}

/** Blanks, line ends and characters that nobody sees do not count: a code host may change them. */
const withoutBlanks = (text: string): string => text.replace(/[\s\p{Cc}\p{Cf}]+/gu, '')

/** The threads that an event may tell of, each in the words of a target's settings: GitHub's, then GitLab's with the path or the id of its project. */
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
