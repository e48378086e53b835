/** Finds the network of an IP address, and says whether an address is in one of several networks. */

import { type BlockList, isIP } from 'node:net'

/**
 * Returns the first half of an IPv6 address, as four groups of hex digits, and any other address as it is. Limits for each client count by
 * network, because one client may have all addresses of a network.
 */
export const networkOf = (address: string): string => {
  if (!address.includes(':')) return address
  const [left = '', right] = address.split('::')
  const groups = left.split(':')
  if (right === undefined || groups.length >= 4) return groups.slice(0, 4).join(':')
  const after = right === '' ? [] : right.split(':')
  const zeros = Array<string>(Math.max(0, 8 - groups.length - after.length)).fill('0')
  return [...groups, ...zeros, ...after].slice(0, 4).join(':')
}

/** Adds a network (`192.0.2.0/24`) or an address to the list. `false`: the text is neither. */
export const addNetwork = (networks: BlockList, text: string): boolean => {
  const [address = '', length, ...rest] = text.split('/')
  const version = isIP(address)
  const bits = version === 6 ? 128 : 32
  if (version === 0 || rest.length > 0 || (length !== undefined && !(/^\d{1,3}$/.test(length) && Number(length) <= bits))) return false
  networks.addSubnet(address, length === undefined ? bits : Number(length), version === 6 ? 'ipv6' : 'ipv4')
  return true
}

/** Whether an address is in the list. A text that is no address is not. */
export const isInNetworks = (networks: BlockList, address: string): boolean => {
  const version = isIP(address)
  return version !== 0 && networks.check(address, version === 6 ? 'ipv6' : 'ipv4')
}
