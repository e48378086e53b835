/** Writes replies to the socket. */

import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Reply } from '../core/outcome.ts'

/** Writes a reply in one piece. */
export const writeReply = (response: ServerResponse, { status, body, type, headers: more }: Reply, eventId?: string): void => {
  const headers = ['Content-Type', type]
  if (more) headers.push(...Object.entries(more).flat())
  // A 204 has no body, and may not say how long it is (RFC 9110, 8.6).
  if (status !== 204) headers.push('Content-Length', String(Buffer.byteLength(body)))
  // By this id an operator finds the event's record (rules: Replies 3).
  if (eventId !== undefined) headers.push('X-Headgate-Event-Id', eventId)
  response.writeHead(status, headers)
  response.end(status === 204 ? undefined : body)
}

/** A reply as text that ends its connection, for where `node:http` has no request to answer. */
export const rawReply = ({ status, body, type }: Reply): string =>
  [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Content-Type: ${type}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n')
