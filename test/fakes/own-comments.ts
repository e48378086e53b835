/** The marks of our comments, for targets that are tried without a gateway. */

import { createOwnComments } from '../../src/parts/own-comment.ts'

const key = Buffer.alloc(32, 7)

export const ownComments = createOwnComments(() => key)
