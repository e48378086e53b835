/**
 * Sends a request by Node's own client, which goes where `fetch` does not: to a socket, over a connection that is open already, or to IP
 * addresses that were checked. It follows no redirect, unpacks no answer, keeps no cookie and knows no proxy.
 */

import type { IncomingMessage, RequestOptions } from 'node:http'
import { CallFailure, callFailure } from './call-failure.ts'

/** Resolves to the answer when its head has come; its body is unread. Rejects with a CallFailure. The connection ends with the answer. */
export const requestByNode = async (url: URL, options: RequestOptions, body?: string | Buffer): Promise<IncomingMessage> => {
  const isTls = (options.protocol ?? url.protocol) === 'https:'
  const { request } = isTls ? await import('node:https') : await import('node:http')
  // Any agent would open a connection of its own, beside the one of `createConnection`.
  const agent = options.createConnection ? {} : { agent: false }
  return await new Promise((resolve, reject) => {
    const sent = request(url, { ...agent, ...options }, resolve)
    // A connection can break after the answer has begun, too. Whoever reads the answer gets that error.
    sent.on('error', (error) => reject(callFailure(error)))
    sent.once('upgrade', (_answer, socket) => {
      socket.destroy()
      reject(new CallFailure('broken', 'the answer is no answer of HTTP', 'HPE_PAUSED_UPGRADE'))
    })
    sent.end(body)
  })
}
