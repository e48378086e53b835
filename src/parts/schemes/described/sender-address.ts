/** Checks that an address in a request belongs to the sender, and gives each address one spelling. */

/** The longest address of a key. */
const maxChars = 2_048
/** The longest query of an address whose path is not described. Such a query may choose the certificate. */
const maxQueryChars = 256

const parseAddress = (text: string): URL | undefined => (text.length <= maxChars && URL.canParse(text) ? new URL(text) : undefined)

/**
 * Whether an address is https on one of these hosts. An asterisk stands for one part of a host's name, or for letters and digits within a
 * part. Plain http is allowed on loopback only.
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

/** Whether a text matches a pattern, in which an asterisk stands for `any`. */
const matchesPattern = (text: string, pattern: string, any: string): boolean =>
  text === pattern || (pattern.includes('*') && new RegExp(`^${pattern.replace(/[.]/g, '\\.').replaceAll('*', any)}$`).test(text))

const isLoopbackHost = (host: string): boolean => /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/.test(host)

/**
 * Returns the canonical spelling of an address: as the URL parser writes it, without an empty query, and without the fragment, which no
 * server gets.
 */
const canonical = (url: URL): string => {
  url.hash = ''
  if (url.search === '') url.search = ''
  return url.href
}

/** Returns the canonical spelling of a configured address. */
export const jwksAddress = (text: string): string => {
  const url = parseAddress(text)
  return url ? canonical(url) : text
}

/** The allowed addresses of a sender's certificates. `path`: as in the schema. */
type AllowedAddresses = { readonly hosts: readonly string[]; readonly path?: string }

/** Returns the canonical spelling of a certificate's address; `undefined` where it is not one of the sender's. */
export const certificateAddress = (text: string, { hosts, path }: AllowedAddresses): string | undefined => {
  const url = parseAddress(text)
  if (!url || !isOfHost(url, hosts)) return undefined
  const { pathname, search } = url
  const isCertificate =
    path === undefined ? search.length <= maxQueryChars : search === '' && matchesPattern(pathname, path, '[A-Za-z0-9_-]+')
  return isCertificate ? canonical(url) : undefined
}
