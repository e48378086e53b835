/**
 * Gets a text from a web address that must be public. The connection goes to an IP address that was checked, no redirect is followed, and
 * time and bytes are bounded.
 */

import { CallFailure, callFailure } from '../../core/calls/call-failure.ts'
import { type CallTime, inTime } from '../../core/calls/call-server.ts'
import { readBytes } from '../../core/calls/read-bounded.ts'
import { requestByNode } from '../../core/calls/request-by-node.ts'
import { unlessAborted } from '../../core/turns/unless-aborted.ts'
import { publicLookup } from './public-lookup.ts'
import { publicWeb, type WebAccess } from './web-access.ts'

const maxHeaderSize = 16_384

export type PublicRequest = CallTime & {
  readonly url: string
  readonly headers: { readonly [name: string]: string }
  readonly maxBytes: number
}

/** `text`: the body of a success; empty for any other answer, whose body is not read. */
export type PublicAnswer = { readonly status: number; readonly header: (name: string) => string | undefined; readonly text: string }

/** Rejects with a CallFailure where there is no whole answer, and where the address is not public. */
export const getPublic = async (request: PublicRequest, access: WebAccess = publicWeb): Promise<PublicAnswer> =>
  await inTime(request, async (signal) => {
    const url = new URL(request.url)
    try {
      const lookup = await publicLookup(url.hostname, access, signal)
      if (!lookup) throw new CallFailure('unsent', 'its address leads into a private network or to this machine')
      // No packed answer is asked for: a small body could unpack to a huge one.
      const headers = { 'user-agent': 'headgate', accept: 'application/json', ...request.headers, 'accept-encoding': 'identity' }
      const answer = await requestByNode(url, {
        headers,
        lookup,
        maxHeaderSize,
        signal,
        ...(access.ca === undefined ? {} : { ca: access.ca }),
      })
      try {
        const { statusCode: status = 0, headers: given } = answer
        const header = (name: string): string | undefined => [given[name]].flat()[0]
        if (status < 200 || status > 299) return { status, header, text: '' }
        if (!/^(?:identity)?$/i.test(given['content-encoding'] ?? '')) throw new CallFailure('broken', 'the answer is packed')
        const bytes = await unlessAborted(readBytes(answer, request.maxBytes), signal)
        return { status, header, text: bytes.toString('utf8') }
      } finally {
        answer.destroy()
      }
    } catch (thrown) {
      signal.throwIfAborted()
      throw callFailure(thrown)
    }
  })
