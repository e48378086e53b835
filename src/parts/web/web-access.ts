/**
 * Says what tools may reach at a web address that a stranger can have chosen: public IP addresses only, on the ports of the web. So nobody
 * can make an agent ask services on this machine or in its private network.
 */

import { lookup } from 'node:dns/promises'
import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'

export type WebAccess = {
  readonly resolve: (host: string) => Promise<readonly string[]>
  /** Whether a connection may be made to an IP address. */
  readonly isPublic: (ip: string) => boolean
  /** The allowed ports, as `URL.port` writes them: the default port of a protocol is empty. */
  readonly ports: ReadonlySet<string>
  /** Certificate authorities (PEM) to trust instead of Node's. */
  readonly ca?: string
}

/**
 * Whether an IP address is IPv4, or in the range of IPv6 that is given out today (2000::/3). Outside of that range are old forms of IPv4
 * addresses, site-local addresses, and addresses for later use.
 */
const isAllocated = (ip: ipaddr.IPv4 | ipaddr.IPv6): boolean => ip.kind() === 'ipv4' || ((ip.toByteArray()[0] as number) & 0xe0) === 0x20

/**
 * IP addresses that are registered as public and still lead to the host of a virtual machine. Azure's wire server, for example, gives the
 * keys and settings of the machine (https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16).
 */
const hostAddresses: ReadonlySet<string> = new Set(['168.63.129.16'])

const ownAddresses = (): string[] => Object.values(networkInterfaces()).flatMap((all) => all?.map(({ address }) => address) ?? [])

/** Whether an IP address, however it is spelled, belongs to the public net and not to this machine, whose addresses are `own`. */
export const isPublic = (text: string, own: readonly string[] = ownAddresses()): boolean => {
  if (!ipaddr.isValid(text)) return false
  const ip = ipaddr.process(text)
  const isOwn = (address: string): boolean => ipaddr.process(address).toNormalizedString() === ip.toNormalizedString()
  return ip.range() === 'unicast' && isAllocated(ip) && !hostAddresses.has(ip.toString()) && !own.some(isOwn)
}

/** Access to the public web. */
export const publicWeb: WebAccess = {
  resolve: async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
  isPublic: (ip) => isPublic(ip),
  ports: new Set(['', '80', '443']),
}
