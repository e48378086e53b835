/** Finds the client's address: the peer's, or the one that a trusted proxy names. */

import type { IncomingMessage } from 'node:http'
import { isIP, type Socket } from 'node:net'

/** The address at the other end of a connection. */
export const peerAddress = (socket: Socket): string => plain(socket.remoteAddress ?? 'unknown')

/** So many characters of `X-Forwarded-For` are read, from its end: clients write what stands before. */
const maxForwarded = 1024

/**
 * The first address from the right that is no trusted proxy: the one that the last trusted proxy saw. Whoever sent from there may have written
 * all that stands further left. Where a trusted proxy wrote no address, it stands for its client itself. With `true` one proxy is trusted.
 */
export const clientAddress = (request: IncomingMessage, trust: boolean | readonly string[]): string => {
  const peer = peerAddress(request.socket)
  if (trust === false) return peer
  const hops = forwardedHops(request)
  if (trust === true) return addressIn(hops.at(-1)) ?? peer
  let client = peer
  while (trust.includes(client)) {
    const next = addressIn(hops.pop())
    if (next === undefined) break
    client = next
  }
  return client
}

/** What stands in all `X-Forwarded-For` of a request, which Node joins with commas. Of a long one the end is kept, without the element that is cut. */
const forwardedHops = ({ headers }: IncomingMessage): string[] => {
  const text = String(headers['x-forwarded-for'] ?? '')
  const cut =
    text.length > maxForwarded
      ? text
          .slice(-maxForwarded - 1)
          .split(',')
          .slice(1)
      : text.split(',')
  return cut.map((hop) => hop.trim()).filter((hop) => hop !== '')
}

const withPort = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d{1,5})?$/

/** The IP address in an element, which proxies write bare, or with a port and in brackets; `undefined` where there is none. */
const addressIn = (hop = ''): string | undefined => {
  const [, six, four] = withPort.exec(hop) ?? []
  const address = plain((six ?? four ?? hop).toLowerCase())
  return isIP(address) === 0 ? undefined : address
}

/** Whether the peer is a proxy that is trusted by its address. `true` for all of them vouches for nobody. */
export const isListedProxy = (request: IncomingMessage, trust: boolean | readonly string[]): boolean =>
  Array.isArray(trust) && trust.includes(peerAddress(request.socket))

const plain = (address: string): string => (address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address)
