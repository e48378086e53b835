/** Hands on the chunks of a request's body. */

import type { IncomingMessage } from 'node:http'
import { isFast } from './forms.ts'

/** Takes the chunks of a body that nothing has read yet, then `end`. Errors and a lost connection are events of the request as ever. */
type OnChunks = (request: IncomingMessage, end: () => void, take: (chunk: Buffer) => void) => void

/** What Node's parser does with a request (lib/_http_common.js and lib/_http_server.js), of which the types say nothing. */
type Parsed = {
  /** The parser calls it with each chunk, and with `null` at the end. `false` would stop the socket. */
  push: (chunk: Buffer | null) => boolean
  /** Somebody reads the body. Else Node reads and drops it once the answer is written. */
  _consuming: boolean
  /** Behind `readableEnded`: the connection lets go of a request that has ended. */
  readonly _readableState: { endEmitted: boolean }
}

/**
 * From the parser. It must be called before the parser goes on to the body: in the same call as the event `request`. The stream of the request
 * stays empty: a buffer, four events and as many turns of its queue, for one reader of one chunk, cost more than all the rest of a webhook's
 * checks (DECISIONS.md, 95).
 */
const fromParser: OnChunks = (request, end, take) => {
  const parsed = request as unknown as Parsed
  parsed._consuming = true
  parsed.push = (chunk) => {
    if (chunk) take(chunk)
    else {
      parsed._readableState.endEmitted = true
      request.emit('end')
      end()
    }
    return true
  }
}

const fromStream: OnChunks = (request, end, take) => {
  request.on('data', take).on('end', end)
}

export const onChunks: OnChunks = isFast('chunks') ? fromParser : fromStream
