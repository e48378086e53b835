/** Finds the client's address: the peer's address, or the address that a trusted proxy names. */

import type { IncomingMessage } from 'node:http'
import { isIP, type Socket } from 'node:net'

/** The address at the other end of a connection. */
export const peerAddress = (socket: Socket): string => unmappedAddress(socket.remoteAddress ?? 'unknown')

/** The most characters of `X-Forwarded-For` that are read, from its end. Clients can write anything before them. */
const maxForwarded = 1024

/**
 * Returns the first address from the right that is not a trusted proxy: the last trusted proxy saw it, and anything further left may be
 * forged. A proxy that wrote no address counts as the client. With `true`, one proxy is trusted.
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

/**
 * Returns the elements of all `X-Forwarded-For` headers of a request, which Node joins with commas. A long text is cut at its start, and a
 * cut element is dropped.
 */
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

/** Returns the IP address in an element, with or without brackets and a port; `undefined` where there is none. */
const addressIn = (hop = ''): string | undefined => {
  const [, six, four] = withPort.exec(hop) ?? []
  const address = unmappedAddress((six ?? four ?? hop).toLowerCase())
  return isIP(address) === 0 ? undefined : address
}

/** Whether the peer is a proxy that is trusted by its address. `true`, which trusts any peer, lists no proxy. */
export const isListedProxy = (request: IncomingMessage, trust: boolean | readonly string[]): boolean =>
  Array.isArray(trust) && trust.includes(peerAddress(request.socket))

const unmappedAddress = (address: string): string => (address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address)
