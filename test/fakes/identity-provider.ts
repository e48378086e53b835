/** An OpenID provider on this machine, the real `oidc-provider`: whoever signs in there with the name `ada` is in the group `ops`. */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { Provider } from '../foreign/oidc.ts'

export const clientId = 'headgate'
export const clientSecret = 'the secret of the console at the provider'

/** Starts it. `redirect`: the address to which it may send browsers back. Returns its issuer. */
export const startIdentityProvider = async (t: Test, redirect: string): Promise<string> => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = new Provider(issuer, {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [redirect] }],
    claims: { openid: ['sub'], profile: ['preferred_username', 'groups'] },
    cookies: { keys: ['a key of a test'] },
    findAccount: (_: unknown, sub: string) => ({
      accountId: sub,
      claims: () => ({ sub, preferred_username: sub, groups: sub === 'ada' ? ['ops'] : ['strangers'] }),
    }),
  })
  server.on('request', provider.callback())
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return issuer
}
