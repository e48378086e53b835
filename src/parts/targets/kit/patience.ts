/** Waits for "not now", where that ends within the time that a delivery has. */

import type { Clock } from '../../../core/clock.ts'
import type { Sent } from '../target.ts'

const maxWaits = 3

/** Posts once, and again after each wait that was asked for and that ends before the deadline, at most three times. `post` gets what is left of the time. */
export const patiently = async (post: (leftMs: number) => Promise<Sent>, clock: Clock, deadline: number): Promise<Sent> => {
  for (let waits = 0; ; waits++) {
    const leftMs = deadline - clock.monotonic()
    if (leftMs <= 0) return { ok: false, why: 'no time left', repeatable: true }
    const sent = await post(leftMs)
    const wait = sent.ok || !sent.repeatable ? undefined : sent.retryAfterMs
    if (sent.ok || wait === undefined || waits === maxWaits || clock.monotonic() + wait >= deadline) return sent
    await new Promise<void>((resolve) => clock.after(wait, resolve))
  }
}
