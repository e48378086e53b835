/** Checks whether the running gateway has refused posts: many senders never send again. */

import { describeRefusals } from '../../core/outcome-table.ts'
import { type Check, ok, type Patient, warn } from './check.ts'

const name = 'refused posts'

export const checkRefused = ({ workspace: { self }, status }: Patient): readonly Check[] => {
  if (!status) return []
  const { refused } = status
  const counts = describeRefusals(refused)
  if (counts === '') return [ok(name, 'none since the start')]
  if (refused.rate_limited)
    return [
      warn(
        name,
        counts,
        `${self} events list --outcome rate_limited shows those that were kept; then events replay, or a higher rate_limit`,
      ),
    ]
  if (refused.overloaded || refused.unavailable || refused.keys_unavailable)
    return [warn(name, counts, 'its log says why; docs/senders.md says which senders send again by themselves')]
  return [ok(name, counts)]
}
