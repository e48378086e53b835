/**
 * Checks that an address in a request (of a certificate, or of a page that confirms a subscription) belongs to the sender. Also gives equal
 * addresses of keys one spelling, so that each key is fetched and kept only once.
 */

const maxAddressUnits = 2_048
/**
 * The longest query of a certificate's address where the description names no path. A query is allowed there, because it may choose the
 * certificate.
 */
const maxQueryUnits = 256

/** Parses an address; `undefined` where it is malformed or too long. */
const parseAddress = (text: string): URL | undefined => (text.length <= maxAddressUnits && URL.canParse(text) ? new URL(text) : undefined)

/**
 * Whether an address is https on one of these hosts, without user and password. An asterisk in a host stands for a whole part of its name,
 * or for letters and digits within a part. Plain http is allowed on loopback only.
 */
export const isOnHost = (address: string, hosts: readonly string[]): boolean => {
  const url = parseAddress(address)
  return url !== undefined && isOfHost(url, hosts)
}

const isOfHost = ({ protocol, host, username, password }: URL, hosts: readonly string[]): boolean => {
  if (username !== '' || password !== '' || (protocol !== 'https:' && !(protocol === 'http:' && isLoopbackHost(host)))) return false
  const parts = host.split('.')
  return hosts.some((pattern) => {
    const wanted = pattern.split('.')
    return wanted.length === parts.length && wanted.every((part, i) => part === '*' || matchesPattern(parts[i] ?? '', part, '[a-z0-9]+'))
  })
}

/** Whether a text matches a pattern. An asterisk in the pattern stands for the regular expression `any`. */
const matchesPattern = (text: string, pattern: string, any: string): boolean =>
  text === pattern || (pattern.includes('*') && new RegExp(`^${pattern.replace(/[.]/g, '\\.').replaceAll('*', any)}$`).test(text))

const isLoopbackHost = (host: string): boolean => /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/.test(host)

/**
 * Returns one spelling for all equal addresses: as the URL parser writes it, without an empty query, and without the fragment, which no
 * server gets.
 */
const canonicalAddress = (url: URL): string => {
  url.hash = ''
  if (url.search === '') url.search = ''
  return url.href
}

/** Returns the one spelling of a configured address of a JWKS; a malformed address as it is. */
export const jwksAddress = (text: string): string => {
  const url = parseAddress(text)
  return url ? canonicalAddress(url) : text
}

/** The addresses that a sender's certificates may have. `path`: the pattern of their paths; absent where any path is allowed. */
type AllowedAddresses = { readonly hosts: readonly string[]; readonly path?: string }

/** Returns the one spelling of a certificate's address; `undefined` where the address does not belong to the sender. */
export const certificateAddress = (text: string, { hosts, path }: AllowedAddresses): string | undefined => {
  const url = parseAddress(text)
  if (!url || !isOfHost(url, hosts)) return undefined
  const { pathname, search } = url
  const isCertificate =
    path === undefined ? search.length <= maxQueryUnits : search === '' && matchesPattern(pathname, path, '[A-Za-z0-9_-]+')
  return isCertificate ? canonicalAddress(url) : undefined
}
