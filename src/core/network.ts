/** The network of an IP address. Limits for each client count by network, because one client may have all addresses of a network. */

/** Returns the first half of an IPv6 address, as four groups of hex digits, and any other address as it is. */
export const networkOf = (address: string): string => {
  if (!address.includes(':')) return address
  const [left = '', right] = address.split('::')
  const groups = left.split(':')
  if (right === undefined || groups.length >= 4) return groups.slice(0, 4).join(':')
  const after = right === '' ? [] : right.split(':')
  const zeros = Array<string>(Math.max(0, 8 - groups.length - after.length)).fill('0')
  return [...groups, ...zeros, ...after].slice(0, 4).join(':')
}
