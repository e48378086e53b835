/** The network of an address: what one client has, however many addresses it takes. */

/** The first half of an IPv6 address, because one client has all addresses below it; any other address as it is. */
export const networkOf = (address: string): string => {
  if (!address.includes(':')) return address
  const [left = '', right] = address.split('::')
  const groups = left.split(':')
  if (right === undefined || groups.length >= 4) return groups.slice(0, 4).join(':')
  const after = right === '' ? [] : right.split(':')
  const zeros = Array<string>(Math.max(0, 8 - groups.length - after.length)).fill('0')
  return [...groups, ...zeros, ...after].slice(0, 4).join(':')
}
