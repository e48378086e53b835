/** Checks whether the running gateway has refused posts since its start, because many senders never send a refused post again. */

import { describeRefusals } from '../../core/outcome-table.ts'
import { type Check, type CheckInput, ok, warn } from '../../datadir/check.ts'

const name = 'refused posts'

/** Returns no check where no gateway runs. */
export const checkRefused = ({ workspace: { self }, status }: CheckInput): readonly Check[] => {
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
