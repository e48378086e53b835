/** Passes on the chunks of a request's body. */

import type { IncomingMessage } from 'node:http'
import { isFast } from './forms.ts'

/**
 * Calls `take` with each chunk of a body that nothing has read yet, then `end`. Errors and a lost connection stay events of the request.
 */
type OnChunks = (request: IncomingMessage, end: () => void, take: (chunk: Buffer) => void) => void

/** The undocumented members by which Node's parser feeds a request (lib/_http_common.js and lib/_http_server.js). */
type Parsed = {
  /** Called by the parser with each chunk, and with `null` at the end. Returning `false` would stop the socket. */
  push: (chunk: Buffer | null) => boolean
  /** The body has a reader. Without a reader, Node reads and drops the body once the answer is written. */
  _consuming: boolean
  /** The state behind `readableEnded`. The connection lets go of a request that has ended. */
  readonly _readableState: { endEmitted: boolean }
}

/**
 * Takes chunks from the parser, in place of the request's stream. It must be called before the parser goes on to the body: in the same call
 * as the event `request`. The stream would take a buffer, four events and as many turns of its queue, which cost more than all other checks
 * of a webhook (DECISIONS.md, 95).
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
