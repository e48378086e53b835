/** Reads request bodies into memory that is bounded for each of them and for all together. */

import type { IncomingMessage } from 'node:http'

/** Bytes that all bodies may hold at once. */
export interface Room {
  /** `false` when so many are not free. */
  take(bytes: number): boolean
  give(bytes: number): void
}

/** Counts bytes as they come, not as they are announced: announcing costs a stranger nothing. */
export const createRoom = (maxBytes: number): Room => {
  let taken = 0
  return {
    take(bytes) {
      if (taken + bytes > maxBytes) return false
      taken += bytes
      return true
    },
    give(bytes) {
      taken -= bytes
    },
  }
}

/** Collects the body; one chunk (the common case) is passed on without a copy. Calls `then` exactly once. */
export const readBody = (
  request: IncomingMessage,
  limit: number,
  room: Room,
  then: (body: Buffer | 'too large' | 'no room' | 'gone') => void,
): void => {
  let held: Buffer = nothing
  let bytes = 0
  let done = false
  const finish = (result: Parameters<typeof then>[0]): void => {
    if (done) return
    done = true
    held = nothing
    room.give(bytes)
    then(result)
  }
  request.on('data', (chunk: Buffer) => {
    if (done) return
    if (bytes + chunk.length > limit) return finish('too large')
    if (!room.take(chunk.length)) return finish('no room')
    held = joined(held, bytes, chunk)
    bytes += chunk.length
  })
  request.on('end', () => finish(held.subarray(0, bytes)))
  request.on('error', () => finish('gone'))
  request.on('close', () => finish('gone'))
}

const nothing = Buffer.alloc(0)

/**
 * A buffer that begins with the first `bytes` of `held` and goes on with `chunk`; it doubles when it is full. Chunks kept
 * apart until the end would let a body sent in pieces of one byte hold a hundred times its size.
 */
const joined = (held: Buffer, bytes: number, chunk: Buffer): Buffer => {
  if (bytes === 0) return chunk
  const needed = bytes + chunk.length
  const into = held.length >= needed ? held : Buffer.allocUnsafe(needed * 2)
  if (into !== held) held.copy(into, 0, 0, bytes)
  chunk.copy(into, bytes)
  return into
}
