/** Writes a Reply, the form of an answer inside the gateway, as an HTTP response. */

import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Reply } from '../core/outcome.ts'

/** Writes an answer through the response of `node:http`, head and body in one call. `eventId`: the id of a verified request. */
export const writeReply = (response: ServerResponse, { status, body, type, headers: more }: Reply, eventId?: string): void => {
  const headers = ['Content-Type', type]
  if (more) headers.push(...Object.entries(more).flat())
  // A 204 has no body, and must not have a Content-Length (RFC 9110, 8.6).
  if (status !== 204) headers.push('Content-Length', String(Buffer.byteLength(body)))
  // With the id in this header, an operator finds the record of the event (rules: Replies 3).
  if (eventId !== undefined) headers.push('X-Headgate-Event-Id', eventId)
  response.writeHead(status, headers)
  response.end(status === 204 ? undefined : body)
}

/** Returns an answer as the text of an HTTP response that ends its connection, for a request that `node:http` could not parse. */
export const rawReply = ({ status, body, type }: Reply): string =>
  [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Content-Type: ${type}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n')
