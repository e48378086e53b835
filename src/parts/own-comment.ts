/** The invisible mark of our own comments: a repeated delivery is recognised by it, and an event that tells of such a comment. */

import { isObject, type Json, own } from '../core/json.ts'

/** The mark of one comment, an HTML comment. `digest`: 40 hexadecimal digits. It stands at the end of the comment's text. */
export const commentMark = (digest: string): string => `<!-- headgate:${digest} -->`

const atEnd = /<!-- headgate:[0-9a-f]{40} -->\s*$/

/** Where the code hosts' events have the text of the comment that they tell of. */
const places = [
  ['comment', 'body'],
  ['review', 'body'],
  ['object_attributes', 'note'],
] as const

/** Whether an event tells of a comment of ours. What it says elsewhere, in the text of the pull request above all, does not count: anybody can copy a mark. */
export const tellsOfOwnComment = (payload: Json): boolean =>
  isObject(payload) &&
  places.some(([of, text]) => {
    const comment = own(payload, of)
    const written = isObject(comment) ? own(comment, text) : undefined
    return typeof written === 'string' && atEnd.test(written.slice(-200))
  })
