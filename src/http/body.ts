/** Reads a request's body into bounded memory. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { header } from '../core/names.ts'
import { onChunks } from '../node-internals/request-chunks.ts'
import { Gathered } from './gathered.ts'
import type { Pace } from './pace.ts'
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
  // Until there is a result: the listeners below outlive it, and would keep the body's memory.
  let gathered: Gathered | undefined = new Gathered()
  const finish = (result: Buffer | Unread): void => {
    if (!gathered) return
    gathered = undefined
    share?.close()
    then(result)
  }
  let share: Share | undefined
  const openShare = (): Share => room.open({ client: client(), maxBodyBytes: maxBytes, giveUp: () => finish('too slow') })
  const end = (): void => {
    if (gathered) finish(gathered.whole())
  }
  let hasWaited = false
  const pause = (of: Share): void => {
    hasWaited = true
    of.pause()
    request.socket.pause()
  }
  const goOn = (): void => {
    if (!gathered) return
    share?.goOn()
    request.socket.resume()
  }
  onChunks(request, end, (chunk) => {
    if (!gathered) return
    if (gathered.bytes + chunk.length > maxBytes) return finish('too large')
    // A body that is whole in its first chunk is passed on in the same turn of the loop, so it needs no share of the room.
    if (chunk.length !== declared) {
      share ??= openShare()
      if (!share.take(chunk.length)) return finish('no room')
    }
    gathered.add(chunk)
    if (share && gathered.bytes !== declared && !pace.take(chunk.length, goOn, hasWaited)) pause(share)
  })
  // Without a listener for its errors a request that is cut off closes all the same (`onError` in lib/_http_incoming.js).
  const gone = (): void => finish('gone')
  request.on('close', gone)
  // A malformed or late body is answered by `Connection.fail`, and then only the response closes, not the request.
  response.on('close', gone)
}
