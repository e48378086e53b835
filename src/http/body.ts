/** Reads a request's body into memory that is bounded. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Room, Share } from './room.ts'

/** Why there is no body. */
export type Unread = 'too large' | 'no room' | 'too slow' | 'gone'

export type BodyOptions = {
  readonly maxBytes: number
  readonly client: () => string
  readonly room: Room
}

/** Collects the body; one chunk (the common case) is passed on without a copy. Calls `then` exactly once. */
export const readBody = (
  request: IncomingMessage,
  response: ServerResponse,
  { maxBytes, client, room }: BodyOptions,
  then: (body: Buffer | Unread) => void,
): void => {
  const declared = Number(request.headers['content-length'] ?? Number.NaN)
  const capacity = Math.min(declared || maxBytes, maxBytes)
  let held: Buffer = nothing
  let bytes = 0
  let done = false
  const finish = (result: Buffer | Unread): void => {
    if (done) return
    done = true
    held = nothing
    share?.close()
    then(result)
  }
  let share: Share | undefined
  const openShare = (): Share => room.open({ client: client(), maxBodyBytes: maxBytes, giveUp: () => finish('too slow') })
  request.on('data', (chunk: Buffer) => {
    if (done) return
    if (bytes + chunk.length > maxBytes) return finish('too large')
    // What is whole in its first chunk is passed on in the same turn, and waits for nobody.
    if (chunk.length !== declared) {
      share ??= openShare()
      if (!share.take(chunk.length)) return finish('no room')
    }
    held = joined(held, bytes, chunk, capacity)
    bytes += chunk.length
  })
  request.on('end', () => finish(held.subarray(0, bytes)))
  request.on('error', () => finish('gone'))
  request.on('close', () => finish('gone'))
  // A body that the parser could not read, or that came too late, was answered elsewhere; its request does not close.
  response.on('close', () => finish('gone'))
}

const nothing = Buffer.alloc(0)

/**
 * A buffer that begins with the first `bytes` of `held` and goes on with `chunk`; when it is full it doubles, but never past `capacity`.
 * Chunks kept apart until the end would let a body sent in pieces of one byte hold a hundred times its size.
 */
const joined = (held: Buffer, bytes: number, chunk: Buffer, capacity: number): Buffer => {
  if (bytes === 0) return chunk
  const needed = bytes + chunk.length
  const into = held.length >= needed ? held : Buffer.allocUnsafe(Math.min(needed * 2, capacity))
  if (into !== held) held.copy(into, 0, 0, bytes)
  chunk.copy(into, bytes)
  return into
}
