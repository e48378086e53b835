/**
 * The gate `own_comment` ignores an event about a comment that the gateway posted, on a route that posts comments. Otherwise an agent would
 * answer its own comments without end (rules: Agents 10).
 */

import { writtenTargets } from '../written-targets.ts'
import type { StagePart } from './stage.ts'

export const ownComment: StagePart = {
  name: 'own_comment',
  compile(route, { name, targets, effects }) {
    if (!writtenTargets(route).some(({ target }) => targets.get(target)?.returnsAsEvent)) return {}
    return {
      onEvent: (event) =>
        effects.ownComments.isAboutOwnComment(event.payload)
          ? { kind: 'ignored', reason: 'own_comment', route: name, detail: () => 'own_comment: the comment is one of ours' }
          : event,
    }
  },
}
