/** Finds the client's address: the address of the connection's other end (the peer), or the address that a trusted proxy names. */

import type { IncomingMessage } from 'node:http'
import { isIP, type Socket } from 'node:net'

/** Returns the address at the other end of a connection, or `unknown`. */
export const peerAddress = (socket: Socket): string => unmappedAddress(socket.remoteAddress ?? 'unknown')

/** The most characters of `X-Forwarded-For` that are read, from its end. A client can put any text before the addresses of the proxies. */
const maxForwardedChars = 1024

type ProxyList = { includes(address: string): boolean }

/**
 * Returns the address of the client that sent a request. `trust`: `false` for the peer's address; `true` for the last address in
 * `X-Forwarded-For`, whoever the peer is, else the peer's; or the addresses of the trusted proxies. With such a list, the client's address
 * is the first address from the right that is no trusted proxy: a trusted proxy saw this address, and anything further left may be forged.
 * A trusted proxy that wrote no address counts as the client itself.
 */
export const clientAddress = (request: IncomingMessage, trust: boolean | ProxyList): string => {
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
 * Returns the addresses of all `X-Forwarded-For` headers of a request, as they are written. Node joins these headers with commas. A long
 * text is cut at its start, and an address that the cut goes through is dropped.
 */
const forwardedHops = ({ headers }: IncomingMessage): string[] => {
  const text = String(headers['x-forwarded-for'] ?? '')
  const cut =
    text.length > maxForwardedChars
      ? text
          .slice(-maxForwardedChars - 1)
          .split(',')
          .slice(1)
      : text.split(',')
  return cut.map((hop) => hop.trim()).filter((hop) => hop !== '')
}

/** An IPv6 address in brackets or an IPv4 address, each with an optional port. */
const withPort = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d{1,5})?$/

/** Returns the IP address that a proxy wrote, without brackets and port; `undefined` where `hop` is no address. */
const addressIn = (hop = ''): string | undefined => {
  const [, six, four] = withPort.exec(hop) ?? []
  const address = unmappedAddress((six ?? four ?? hop).toLowerCase())
  return isIP(address) === 0 ? undefined : address
}

/** Whether the peer is in the list of trusted proxies. With `trust` as `true` or `false` there is no list, so the answer is `false`. */
export const isListedProxy = (request: IncomingMessage, trust: boolean | readonly string[]): boolean =>
  Array.isArray(trust) && trust.includes(peerAddress(request.socket))

/** Returns an IPv4 address that is written as an IPv6 address (`::ffff:192.0.2.1`) in its own form, any other address as it is. */
const unmappedAddress = (address: string): string => (address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address)
