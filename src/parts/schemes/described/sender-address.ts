/** Addresses that a request names: whether they are the sender's, and how each is written only once. */

/** A longer text is no address of a key. */
const maxChars = 2_048
/** Of an address whose path is not described a query may choose the certificate; a longer one is refused. */
const maxQueryChars = 256

const parsed = (text: string): URL | undefined => (text.length <= maxChars && URL.canParse(text) ? new URL(text) : undefined)

/**
 * Whether an address is https on one of these hosts; an asterisk stands for one part of a name, or for letters and digits within one. Plain
 * http is for loopback only.
 */
export const isOnHost = (address: string, hosts: readonly string[]): boolean => {
  const url = parsed(address)
  return url !== undefined && isOfHost(url, hosts)
}

const isOfHost = ({ protocol, host, username, password }: URL, hosts: readonly string[]): boolean => {
  if (username !== '' || password !== '' || (protocol !== 'https:' && !(protocol === 'http:' && isLoopbackHost(host)))) return false
  const parts = host.split('.')
  return hosts.some((pattern) => {
    const wanted = pattern.split('.')
    return wanted.length === parts.length && wanted.every((part, i) => part === '*' || fits(parts[i] ?? '', part, '[a-z0-9]+'))
  })
}

/** Whether a text is as a pattern says, whose asterisks stand for `any`. */
const fits = (text: string, pattern: string, any: string): boolean =>
  text === pattern || (pattern.includes('*') && new RegExp(`^${pattern.replace(/[.]/g, '\\.').replaceAll('*', any)}$`).test(text))

const isLoopbackHost = (host: string): boolean => /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/.test(host)

/** The one spelling: as the URL parser writes it, without an empty query, and without the fragment, which no server gets. */
const spelled = (url: URL): string => {
  url.hash = ''
  if (url.search === '') url.search = ''
  return url.href
}

/** The one spelling of an address that the configuration has. */
export const jwksAddress = (text: string): string => {
  const url = parsed(text)
  return url ? spelled(url) : text
}

/** Where the certificates of a sender are; `path`: as in the schema. */
type AllowedAddresses = { readonly hosts: readonly string[]; readonly path?: string }

/** The one spelling of the address of a certificate; `undefined` where it is none of the sender's. */
export const certificateAddress = (text: string, { hosts, path }: AllowedAddresses): string | undefined => {
  const url = parsed(text)
  if (!url || !isOfHost(url, hosts)) return undefined
  const { pathname, search } = url
  const isCertificate = path === undefined ? search.length <= maxQueryChars : search === '' && fits(pathname, path, '[A-Za-z0-9_-]+')
  return isCertificate ? spelled(url) : undefined
}
