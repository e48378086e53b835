/** Reads a request's body into bounded memory. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { header } from '../core/headers.ts'
import { onChunks } from '../node-internals/received-request.ts'
import { BodyBuffer } from './body-buffer.ts'
import type { BodyMemory } from './body-memory.ts'
import type { Pace } from './pace.ts'
import { PacedBody } from './paced-body.ts'

/**
 * The reason why the body of a request was not read to its end. `gone`: nothing is left to answer, because the sender has closed the
 * connection, or `ClientConnection.fail` has answered a malformed or late body.
 */
export type Unread = 'too large' | 'no room' | 'too slow' | 'gone'

export type BodyOptions = {
  readonly maxBytes: number
  /** Returns the network of the client's address. Called at most once, and only for a body that is not whole in its first chunk. */
  readonly client: () => string
  readonly bodyMemory: BodyMemory
  /** Returns the pace at which the body is read. Called at most once, and only for a body that is not whole in its first chunk. */
  readonly pace: () => Pace
}

/**
 * Collects the body of a request whose head has just come. Calls `then` exactly once, with the whole body or the reason why there is none.
 * A body of one chunk, the common case, is not copied.
 */
export const readBody = (
  request: IncomingMessage,
  response: ServerResponse,
  { maxBytes, client, bodyMemory, pace }: BodyOptions,
  then: (body: Buffer | Unread) => void,
): void => {
  const declared = Number(header(request.headers, 'content-length') ?? Number.NaN)
  // `undefined` once there is a result: the listeners below outlive the reading, and would keep the body in memory.
  let buffer: BodyBuffer | undefined = new BodyBuffer()
  // `undefined` for a body that is whole in its first chunk: such a body waits for nothing, so it needs neither reservation nor pace.
  let paced: PacedBody | undefined
  const finish = (result: Buffer | Unread): void => {
    if (!buffer) return
    buffer = undefined
    paced?.close()
    then(result)
  }
  const beginPaced = (): PacedBody =>
    new PacedBody(request.socket, pace(), bodyMemory, { client: client(), maxBodyBytes: maxBytes, giveUp: () => finish('too slow') })
  const take = (chunk: Buffer): void => {
    if (!buffer) return
    if (buffer.bytes + chunk.length > maxBytes) {
      finish('too large')
      return
    }
    if (chunk.length !== declared) paced ??= beginPaced()
    if (paced?.reserve(chunk.length) === false) {
      buffer = undefined
      paced.refuse(chunk.length, () => then('no room'))
      return
    }
    buffer.add(chunk)
    if (buffer.bytes !== declared) paced?.keepPace(chunk.length)
  }
  onChunks(request, take, () => {
    if (buffer) finish(buffer.whole())
  })
  // A request that is cut off closes even without a listener for its errors (`onError` in lib/_http_incoming.js).
  const gone = (): void => finish('gone')
  request.on('close', gone)
  // After `ClientConnection.fail` has answered a malformed or late body, only the response closes, not the request.
  response.on('close', gone)
}
