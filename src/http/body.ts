/** Reads a request's body into bounded memory. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { header } from '../core/headers.ts'
import { onChunks } from '../node-internals/request-chunks.ts'
import { BodyBuffer } from './body-buffer.ts'
import type { BodyMemory, Reservation } from './body-memory.ts'
import type { Pace } from './pace.ts'

/** The reason why a request has no body. */
export type Unread = 'too large' | 'no room' | 'too slow' | 'gone'

export type BodyOptions = {
  readonly maxBytes: number
  readonly client: () => string
  readonly bodyMemory: BodyMemory
  /** Asked once, and only for a body of several chunks. */
  readonly pace: () => Pace
}

/**
 * Collects the body of a request that has just come, and calls `then` exactly once. A body of one chunk, the common case, is not copied.
 */
export const readBody = (
  request: IncomingMessage,
  response: ServerResponse,
  { maxBytes, client, bodyMemory, pace: paceOf }: BodyOptions,
  then: (body: Buffer | Unread) => void,
): void => {
  const declared = Number(header(request.headers, 'content-length') ?? Number.NaN)
  // `undefined` once there is a result: the listeners below outlive the reading, and would keep the body in memory.
  let buffer: BodyBuffer | undefined = new BodyBuffer()
  const finish = (result: Buffer | Unread): void => {
    if (!buffer) return
    buffer = undefined
    reservation?.close()
    then(result)
  }
  let reservation: Reservation | undefined
  const reserve = (): Reservation => bodyMemory.reserve({ client: client(), maxBodyBytes: maxBytes, giveUp: () => finish('too slow') })
  const end = (): void => {
    if (buffer) finish(buffer.whole())
  }
  let pace: Pace | undefined
  let hasWaited = false
  const pause = (of: Reservation): void => {
    hasWaited = true
    of.pause()
    request.socket.pause()
  }
  const goOn = (): void => {
    if (!buffer) return
    reservation?.goOn()
    request.socket.resume()
  }
  /** Lets go of the chunks now. The answer waits for its turn, because a sender that is refused at once comes again at once. */
  const refuseInTurn = (bytes: number): void => {
    buffer = undefined
    reservation?.close()
    const answer = (): void => {
      request.socket.resume()
      then('no room')
    }
    if (pace?.take(bytes, answer, false)) answer()
    else request.socket.pause()
  }
  onChunks(request, end, (chunk) => {
    if (!buffer) return
    if (buffer.bytes + chunk.length > maxBytes) return finish('too large')
    // A body that is whole in its first chunk is passed on in this turn of the loop, so it reserves no memory.
    if (chunk.length !== declared) {
      reservation ??= reserve()
      pace ??= paceOf()
      if (!reservation.take(chunk.length)) return refuseInTurn(chunk.length)
    }
    buffer.add(chunk)
    if (reservation && buffer.bytes !== declared && !pace?.take(chunk.length, goOn, hasWaited)) pause(reservation)
  })
  // A request that is cut off closes even without a listener for its errors (`onError` in lib/_http_incoming.js).
  const gone = (): void => finish('gone')
  request.on('close', gone)
  // `Connection.fail` answers a malformed or late body. Then only the response closes, not the request.
  response.on('close', gone)
}
