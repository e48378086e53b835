/** The marks by which targets know their own comments, for tests of a target without a gateway. */

import { createOwnComments } from '../../src/parts/own-comment.ts'

const key = Buffer.alloc(32, 7)

export const ownComments = createOwnComments(() => key)
