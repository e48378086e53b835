/** Reads the long messages of a server in a thread, one after the other: a message of some MiB takes longer than others may wait. */

import type { Clock } from '../../../core/clock.ts'
import { createSlots } from '../../../core/turns/slots.ts'
import { askThread } from '../../../process/ask-thread.ts'
import type { Pieces } from './pieces.ts'
import type { ReadMessages } from './read-messages.ts'

/** What the thread is given. */
export type LongMessage = { readonly pieces: Pieces; readonly allow: ReadonlySet<string> }

/** Takes the pieces away from the caller. `undefined`: it took too much time or memory. Rejects with the reason of `signal`. */
export type ReadLong = (pieces: Pieces, signal: AbortSignal) => Promise<ReadMessages | undefined>

const maxWaiting = 1000

export const createLongReader = (allow: ReadonlySet<string>, clock: Clock): ReadLong => {
  const slots = createSlots(() => 1, maxWaiting)
  return (pieces, signal) =>
    slots.run(() => {
      const data: LongMessage = { pieces, allow }
      return askThread<ReadMessages>(
        { thread: 'message', data, transferList: pieces.map(({ buffer }) => buffer as ArrayBuffer) },
        clock,
        signal,
      )
    })
}
