/** Sign-in by a proxy that has signed the user in, and says so in headers. */

import type { IncomingMessage } from 'node:http'
import type { BlockList } from 'node:net'
import type { ConsoleRoles, ForwardAuth } from '../../config/console/settings.ts'
import { isInNetworks } from '../../core/network.ts'
import { peerAddress } from '../../http/client.ts'
import { isSameSecret } from '../../secrets/same-secret.ts'
import { type User, userOf } from './users.ts'

/** Returns the user whom a proxy names in the headers of a request, or the reason, for the operator, why nobody is signed in. */
export type Forward = (request: IncomingMessage) => { readonly user: User } | { readonly refusal: string }

const maxGroups = 200

/** Makes the function that signs users in by the headers of a proxy. `proxies`: the networks in which these proxies are. */
export const createForward = (
  { secret, secretHeader, userHeader, groupsHeader }: ForwardAuth,
  roles: ConsoleRoles,
  proxies: BlockList,
): Forward => {
  return (request) => {
    const peer = peerAddress(request.socket)
    if (!isInNetworks(proxies, peer)) return { refusal: `${peer} is not among console.proxies` }
    const [shown, twice] = valuesOf(request, secretHeader)
    if (shown === undefined || twice !== undefined || !isSameSecret(shown, secret))
      return { refusal: `the proxy at ${peer} does not show the secret in the header ${secretHeader}, exactly once` }
    const [name = '', second] = valuesOf(request, userHeader)
    // Where a header came twice, the client may have sent the first, and the proxy the second.
    if (name === '' || second !== undefined) return { refusal: `the proxy at ${peer} does not name a user in ${userHeader}, exactly once` }
    const [groups = '', others] = valuesOf(request, groupsHeader)
    if (others !== undefined) return { refusal: `the header ${groupsHeader} of the proxy at ${peer} came twice` }
    const user = userOf('forward', name, groupsIn(groups), roles)
    return user ? { user } : { refusal: `${name} has no role in console.auth.roles` }
  }
}

/** Returns the values of a header, one for each time that it came, as UTF-8. */
const valuesOf = ({ rawHeaders }: IncomingMessage, name: string): readonly string[] =>
  rawHeaders.flatMap((each, i) =>
    i % 2 === 0 && each.toLowerCase() === name
      ? [
          Buffer.from(rawHeaders[i + 1] ?? '', 'latin1')
            .toString('utf8')
            .trim(),
        ]
      : [],
  )

const groupsIn = (text: string): readonly string[] =>
  text
    .split(/[,|]/, maxGroups)
    .map((group) => group.trim())
    .filter((group) => group !== '')
