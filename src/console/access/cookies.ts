/** The cookies of the console. A cookie goes to every port of its host, so its name has the port. */

import type { IncomingMessage } from 'node:http'

/** `half`: the half of a sign-in. `login`: which browser has begun to sign in at an identity provider. */
type Kind = 'half' | 'login'

const nameOf = (kind: Kind, { socket: { localPort } }: IncomingMessage): string =>
  `headgate_${kind === 'half' ? '' : `${kind}_`}${localPort ?? 0}`

/** The most cookies of one name that are looked at. */
const maxCookies = 8

/** Returns the values of the cookies of one name: another port of the host may set one of the same name for a longer path. */
export const cookiesOf = (kind: Kind, request: IncomingMessage): readonly string[] => {
  const start = `${nameOf(kind, request)}=`
  return (request.headers.cookie ?? '')
    .split('; ')
    .filter((each) => each.startsWith(start))
    .slice(0, maxCookies)
    .map((each) => each.slice(start.length))
}

export type CookieOptions = {
  /** Takes the cookie away when it is empty. */
  readonly value: string
  readonly maxAgeMs: number
  /** Whether the cookie also goes with the way back from another site. */
  readonly fromOtherSites?: boolean
  /** The origin at which the request was made. */
  readonly origin: string
}

/** Returns the header that gives a cookie to the browser of a request. */
export const setCookie = (kind: Kind, request: IncomingMessage, { value, maxAgeMs, fromOtherSites, origin }: CookieOptions): string =>
  [
    `${nameOf(kind, request)}=${value}`,
    `Path=${kind === 'half' ? '/ask' : '/'}`,
    `Max-Age=${value === '' ? 0 : maxAgeMs / 1000}`,
    'HttpOnly',
    `SameSite=${fromOtherSites ? 'Lax' : 'Strict'}`,
    ...(origin.startsWith('https:') ? ['Secure'] : []),
  ].join('; ')
