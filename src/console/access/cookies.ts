/** The cookies of the console. A cookie goes to every port of its host, so its name has the port. */

import type { IncomingMessage } from 'node:http'

/**
 * `half`: the half of a sign-in's secret that the browser keeps as a cookie. `login`: names a browser that has begun to sign in at an
 * identity provider.
 */
type Kind = 'half' | 'login'

const nameOf = (kind: Kind, { socket: { localPort } }: IncomingMessage): string =>
  `headgate_${kind === 'half' ? '' : `${kind}_`}${localPort ?? 0}`

const maxCookies = 8

/**
 * Returns the values of all cookies of a kind. There may be several: a program at another port of the host can set a cookie of our name for
 * a longer path.
 */
export const cookiesOf = (kind: Kind, request: IncomingMessage): readonly string[] => {
  const start = `${nameOf(kind, request)}=`
  return (request.headers.cookie ?? '')
    .split('; ')
    .filter((each) => each.startsWith(start))
    .slice(0, maxCookies)
    .map((each) => each.slice(start.length))
}

export type CookieOptions = {
  /** An empty value deletes the cookie. */
  readonly value: string
  readonly maxAgeMs: number
  /** Whether the browser also sends the cookie when another site sends the browser to the console (`SameSite=Lax`). */
  readonly fromOtherSites?: boolean
  /** The origin at which the request was made. */
  readonly origin: string
}

/** Returns the `Set-Cookie` header for the browser of a request. */
export const setCookie = (kind: Kind, request: IncomingMessage, { value, maxAgeMs, fromOtherSites, origin }: CookieOptions): string =>
  [
    `${nameOf(kind, request)}=${value}`,
    `Path=${kind === 'half' ? '/ask' : '/'}`,
    `Max-Age=${value === '' ? 0 : maxAgeMs / 1000}`,
    'HttpOnly',
    `SameSite=${fromOtherSites ? 'Lax' : 'Strict'}`,
    ...(origin.startsWith('https:') ? ['Secure'] : []),
  ].join('; ')
