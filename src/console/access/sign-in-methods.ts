/** The ways in which users of other machines sign in, as the configuration has them (`console.auth`). */

import type { IncomingMessage } from 'node:http'
import { BlockList } from 'node:net'
import type { ConsoleSettings } from '../../config/console/settings.ts'
import type { Clock } from '../../core/clock.ts'
import { addNetwork, isInNetworks } from '../../core/network.ts'
import { clientAddress } from '../../http/client.ts'
import { createForward, type Forward } from './forward.ts'
import { createOidc, type Oidc } from './oidc.ts'
import { createPasswords, type Passwords } from './passwords.ts'

/** The methods of signing in. A method is absent where the configuration does not have it. */
export type SignInMethods = {
  readonly forward?: Forward
  readonly password?: Passwords
  readonly oidc?: Oidc
  /** Returns the address of the client that sent a request, as the proxies in front of the console say. */
  readonly clientOf: (request: IncomingMessage) => string
}

export const createSignInMethods = ({ auth, publicOrigin, proxies: listed }: ConsoleSettings, clock: Clock): SignInMethods => {
  const proxies = new BlockList()
  for (const each of listed) addNetwork(proxies, each)
  const isProxy = { includes: (address: string): boolean => isInNetworks(proxies, address) }
  return {
    ...(auth?.forward ? { forward: createForward(auth.forward, auth.roles, proxies) } : {}),
    ...(auth?.password ? { password: createPasswords(auth, clock) } : {}),
    ...(auth?.oidc && publicOrigin !== undefined ? { oidc: createOidc({ auth: auth.oidc, roles: auth.roles, publicOrigin, clock }) } : {}),
    clientOf: (request) => clientAddress(request, isProxy),
  }
}
