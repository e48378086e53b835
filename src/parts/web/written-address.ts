/**
 * Checks a web address that an operator wrote and an event fills in: the operator chooses the host and the folder, and the values of a payload
 * stay in the segment or parameter where their placeholder stands (rules: Templates 9).
 */

import { isIP } from 'node:net'
import { isTemplate } from '../../expr/placeholder.ts'
import { isPublic } from './web-access.ts'

/** The longest URL, because many servers refuse a longer one (RFC 9110, 4.1). */
const maxUrlChars = 8_000

// An address without user name, and without a placeholder before the end of its host.
const address = /^https?:\/\/[^/?#\\{}@\s]+(?:[/?#]|$)/i

/** Whether the text is an http or https address without user name, and with no placeholder in its host. */
export const hasFixedHost = (url: string): boolean => address.test(url)

/** Whether the path has a segment `.` or `..`, in any spelling. A payload could lead out of the route's path with such a segment. */
export const leavesFolder = (url: string): boolean => {
  const [, path = ''] = /^https?:\/\/[^/?#\\]+([^?#]*)/i.exec(url.replace(/\p{Cc}/gu, '').trim()) ?? []
  return path.split(/[/\\]/).some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment))
}

export const dotted = 'url has a segment . or .. in its path'

/** The names of this machine and of private networks that stand for themselves, whatever a resolver says. */
const privateName = /^(?:localhost|.*\.(?:localhost|local|internal|home\.arpa))\.?$/i

/** Whether the host of an address is certainly not public. Any other name is looked up when it is asked. */
export const hasPrivateHost = (url: string): boolean => {
  const { hostname } = URL.canParse(url) ? new URL(url) : { hostname: '' }
  const host = hostname.replace(/^\[|\]$/g, '')
  return isIP(host) === 0 ? privateName.test(host) : !isPublic(host, [])
}

/** Returns the address to ask, or why it cannot be asked. `url`: with its placeholders filled in. */
export const filledAddress = (url: string): URL | { readonly problem: string; readonly isUnfilled?: true } => {
  if (!hasFixedHost(url) || !URL.canParse(url)) return { problem: 'url is not an http or https address' }
  if (leavesFolder(url)) return { problem: dotted }
  // A brace in the URL now belongs to an unfilled placeholder, because a brace from a payload is percent-encoded.
  if (isTemplate(url)) return { problem: 'url has a placeholder that the payload does not fill', isUnfilled: true }
  if (url.length > maxUrlChars) return { problem: `url has more than ${maxUrlChars} characters` }
  if (/\p{Cc}/u.test(url)) return { problem: 'url has control characters' }
  return new URL(url)
}
