/** Hands on a request's body as `node:http` parses it. */

import type { IncomingMessage } from 'node:http'

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
 * Calls `take` with each chunk of a body that nothing has read yet, then `end`. It must be called before the parser goes on to the body: in
 * the same call as the event `request`. The stream of the request stays empty: a buffer, four events and as many turns of its queue, for one
 * reader of one chunk, cost more than all the rest of a webhook's checks (DECISIONS.md, 95). Errors and a lost connection are its events as ever.
 */
export const onParsedBody = (request: IncomingMessage, end: () => void, take: (chunk: Buffer) => void): void => {
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
