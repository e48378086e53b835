/** Reads a request's body into bounded memory. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { header } from '../core/names.ts'
import type { Pace } from './pace.ts'
import { onParsedBody } from './parsed-body.ts'
import type { Room, Share } from './room.ts'

/** Why there is no body. */
export type Unread = 'too large' | 'no room' | 'too slow' | 'gone'

export type BodyOptions = {
  readonly maxBytes: number
  readonly client: () => string
  readonly room: Room
  readonly pace: Pace
}

/** Collects the body of a request that has just come. A body of one chunk, the common case, is not copied. Calls `then` exactly once. */
export const readBody = (
  request: IncomingMessage,
  response: ServerResponse,
  { maxBytes, client, room, pace }: BodyOptions,
  then: (body: Buffer | Unread) => void,
): void => {
  const declared = Number(header(request.headers, 'content-length') ?? Number.NaN)
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
  const end = (): void => finish(held.subarray(0, bytes))
  let hasWaited = false
  const pause = (of: Share): void => {
    hasWaited = true
    of.pause()
    request.socket.pause()
  }
  const goOn = (): void => {
    if (done) return
    share?.goOn()
    request.socket.resume()
  }
  onParsedBody(request, end, (chunk) => {
    if (done) return
    if (bytes + chunk.length > maxBytes) return finish('too large')
    // A body that is whole in its first chunk is passed on in the same turn of the loop, so it needs no share of the room.
    if (chunk.length !== declared) {
      share ??= openShare()
      if (!share.take(chunk.length)) return finish('no room')
    }
    held = joined(held, bytes, chunk, capacity)
    bytes += chunk.length
    if (share && bytes !== declared && !pace.take(chunk.length, goOn, hasWaited)) pause(share)
  })
  // Without a listener for its errors a request that is cut off closes all the same (`onError` in lib/_http_incoming.js).
  const gone = (): void => finish('gone')
  request.on('close', gone)
  // A malformed or late body is answered by `Connection.fail`, and then only the response closes, not the request.
  response.on('close', gone)
}

const nothing = Buffer.alloc(0)

/**
 * The first `bytes` of `held`, then `chunk`, in one buffer. A full buffer is doubled, but never past `capacity`.
 * A list of chunks would take a hundred times a body's size when a sender writes one byte at a time.
 */
const joined = (held: Buffer, bytes: number, chunk: Buffer, capacity: number): Buffer => {
  if (bytes === 0) return chunk
  const needed = bytes + chunk.length
  const into = held.length >= needed ? held : Buffer.allocUnsafe(Math.min(needed * 2, capacity))
  if (into !== held) held.copy(into, 0, 0, bytes)
  chunk.copy(into, bytes)
  return into
}
