/** Runs a real OpenID provider on this machine (`oidc-provider`). Whoever signs in there with the name `ada` is in the group `ops`. */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { Provider } from '../foreign/oidc.ts'

export const clientId = 'headgate'
export const clientSecret = 'the secret of the console at the provider'

/** Starts the provider. `redirect`: the address to which the provider may send browsers back. Returns the issuer. */
export const startIdentityProvider = async (t: Test, redirect: string): Promise<string> => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = new Provider(issuer, {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [redirect] }],
    claims: { openid: ['sub'], profile: ['preferred_username', 'groups', 'nickname', 'teams'] },
    cookies: { keys: ['a key of a test'] },
    findAccount: (_: unknown, sub: string) => ({
      accountId: sub,
      claims: () => {
        const groups = [sub === 'ada' ? 'ops' : 'strangers']
        return { sub, preferred_username: sub, groups, nickname: `the one called ${sub}`, teams: groups.map((group) => `team ${group}`) }
      },
    }),
  })
  server.on('request', provider.callback())
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return issuer
}

/**
 * Signs in at the provider as a browser does that shows no pictures. `address`: where the console sends the browser. Returns the address to
 * which the provider sends the browser back.
 */
export const signInByForms = async (address: string, name: string): Promise<string> => {
  const cookies = new Map<string, string>()
  const visit = async (url: string, form?: Record<string, string>): Promise<string> => {
    const { origin } = new URL(url)
    if (origin !== new URL(address).origin) return url
    const cookie = [...cookies].map(([each, value]) => `${each}=${value}`).join('; ')
    const body = form && new URLSearchParams(form)
    const answer = await fetch(url, { method: body ? 'POST' : 'GET', redirect: 'manual', headers: { cookie }, ...(body ? { body } : {}) })
    for (const set of answer.headers.getSetCookie()) {
      const [, key = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      if (value === '') cookies.delete(key)
      else cookies.set(key, value)
    }
    const text = await answer.text()
    const next = answer.headers.get('location')
    if (next !== null) return visit(new URL(next, url).href)
    const action = /<form[^>]* action="([^"]+)"/.exec(text)?.[1] ?? ''
    const isLogin = text.includes('name="login"')
    return visit(new URL(action, url).href, isLogin ? { prompt: 'login', login: name, password: 'any' } : { prompt: 'consent' })
  }
  return visit(address)
}
