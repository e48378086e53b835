/** Finds the client's address: the peer's, or the one that a trusted proxy names. */

import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/** The address at the other end of a connection. */
export const peerAddress = (socket: Socket): string => plain(socket.remoteAddress ?? 'unknown')

/** The first address from the right that is no trusted proxy. Addresses further left may be forged. */
export const clientAddress = (request: IncomingMessage, trust: boolean | readonly string[]): string => {
  const peer = peerAddress(request.socket)
  if (trust === false) return peer
  const forwarded = String(request.headers['x-forwarded-for'] ?? '').slice(0, 1024)
  const hops = [
    ...forwarded
      .split(',')
      .map((hop) => plain(hop.trim()))
      .filter((hop) => hop !== ''),
    peer,
  ]
  if (trust === true) return hops.at(-2) ?? peer
  return hops.reverse().find((hop) => !trust.includes(hop)) ?? peer
}

/** Whether the peer is a proxy that is trusted by its address. `true` for all of them vouches for nobody. */
export const isListedProxy = (request: IncomingMessage, trust: boolean | readonly string[]): boolean =>
  Array.isArray(trust) && trust.includes(peerAddress(request.socket))

const plain = (address: string): string => (address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address)

/** The network of an address: the first half of an IPv6 address, because one client has all addresses below it; else the address itself. */
export const networkOf = (address: string): string => {
  if (!address.includes(':')) return address
  const [left = '', right] = address.split('::')
  const groups = left.split(':')
  if (right === undefined || groups.length >= 4) return groups.slice(0, 4).join(':')
  const after = right === '' ? [] : right.split(':')
  const zeros = Array<string>(Math.max(0, 8 - groups.length - after.length)).fill('0')
  return [...groups, ...zeros, ...after].slice(0, 4).join(':')
}
