/**
 * Reads the long messages of an MCP server in a thread, one message after the other. Reading a message of some MiB would hold up the event
 * loop for too long.
 */

import type { Clock } from '../../../core/clock.ts'
import { createSlots } from '../../../core/turns/slots.ts'
import { askThread } from '../../../process/ask-thread.ts'
import type { Pieces } from './body.ts'
import type { ReadMessages } from './read-messages.ts'

/** A message for the thread. `allow`: the tools that may be used. */
export type LongMessage = { readonly pieces: Pieces; readonly allow: ReadonlySet<string> }

/**
 * Reads one long message. The memory of its pieces is moved to the thread, so the caller can use the pieces no longer. `undefined`: the
 * reading took too much time or memory, or too many messages wait. Rejects with the reason of `signal`.
 */
export type ReadLong = (pieces: Pieces, signal: AbortSignal) => Promise<ReadMessages | undefined>

const messageThread = { built: './message-thread.js', source: new URL('./message-thread.ts', import.meta.url) }

const maxWaiting = 1000

export const createLongReader = (allow: ReadonlySet<string>, clock: Clock): ReadLong => {
  const slots = createSlots(() => 1, maxWaiting)
  return (pieces, signal) =>
    slots.run(() => {
      const data: LongMessage = { pieces, allow }
      return askThread<ReadMessages>(
        { thread: messageThread, data, transferList: pieces.map(({ buffer }) => buffer as ArrayBuffer) },
        clock,
        signal,
      )
    })
}
