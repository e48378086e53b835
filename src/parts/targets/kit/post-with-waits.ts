/** Posts again after a failure that may be repeated after a wait, if the wait ends within the time that the delivery has. */

import { type Clock, pause } from '../../../core/clock.ts'
import type { Outgoing, Sent } from '../target.ts'

const maxWaits = 3

/**
 * Posts once, and after each wait that the platform asks for once more: at most four times in all, and only before `deadline`, a monotonic
 * time of `clock` in milliseconds. `post` gets the time that is left. Resolves to the result of the last post, or to a failure where no
 * time is left for a post. `postponed` gets each failure that is waited out.
 */
export const postWithWaits = async (
  post: (leftMs: number) => Promise<Sent>,
  clock: Clock,
  deadline: number,
  postponed: Outgoing['postponed'],
): Promise<Sent> => {
  for (let waits = 0; ; waits++) {
    const leftMs = deadline - clock.monotonic()
    if (leftMs <= 0) return { ok: false, why: 'no time left', repeatable: true, receiver: 'unknown' }
    const sent = await post(leftMs)
    const wait = sent.ok || !sent.repeatable ? undefined : sent.retryAfterMs
    if (sent.ok || wait === undefined || waits === maxWaits || clock.monotonic() + wait >= deadline) return sent
    postponed?.(sent)
    await pause(wait, clock)
  }
}
