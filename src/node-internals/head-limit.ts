/** Stops the parser of a connection once enough requests of the connection are unanswered. */

import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { isFast } from './forms.ts'

/** The parser of a connection of `node:http`. It calls `onIncoming` with each head (lib/_http_server.js). */
type Parser = { onIncoming: (request: IncomingMessage, keepAlive: boolean) => number }
/** The return value of `onIncoming` that makes the parser fail at this head. */
const stop = -1

/**
 * Makes the parser of a connection fail at the next head as soon as `isFull` returns true: the request before that head is the last that is
 * answered. Node parses everything that a read brings at once: 64 kB contain 1,200 small requests, and all their objects would exist before
 * the first answer. The plain form does nothing: the later requests are parsed, and the connection ignores them (src/http/connection.ts).
 */
export const limitHeads = (socket: Socket, isFull: () => boolean): void => {
  const { parser } = socket as { parser?: Partial<Parser> }
  const onIncoming = parser?.onIncoming
  if (!isFast('parser') || !parser || !onIncoming) return
  parser.onIncoming = (request, keepAlive) => (isFull() ? stop : onIncoming(request, keepAlive))
}
