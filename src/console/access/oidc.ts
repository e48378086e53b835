/** Sign-in at an identity provider that speaks OpenID Connect: authorization code with PKCE, state and nonce. */

import { createHmac, randomBytes } from 'node:crypto'
import type { Configuration, IDToken, TokenEndpointResponse, TokenEndpointResponseHelpers } from 'openid-client'
import type { ConsoleRoles, OidcAuth } from '../../config/console/settings.ts'
import { boundedFetch } from '../../core/calls/call-server.ts'
import { type Clock, minuteMs } from '../../core/clock.ts'
import { createSlots } from '../../core/turns/slots.ts'
import { isSameSecret } from '../../secrets/same-secret.ts'
import { type User, userOf } from './users.ts'

/**
 * Why a sign-in failed. `browser`: the sign-in was begun in another browser, or too long ago. `provider`: the provider did not vouch for a
 * user. `role`: the user has no role. `busy`: too many sign-ins ask the provider.
 */
export type OidcFailure = { readonly failed: 'browser' | 'provider' | 'role' | 'busy'; readonly reason: string }

export interface Oidc {
  /** The host of the identity provider. */
  readonly host: string
  /**
   * Returns the address of the provider to which the browser is sent, and the value of the `login` cookie by which the console knows the
   * browser again.
   */
  begin(): Promise<{ readonly url: string; readonly login: string } | OidcFailure>
  /**
   * Returns the user of a browser that the provider sent back. `address`: the path and query that the browser asks for. `logins`: the
   * values of its `login` cookies.
   */
  finish(address: string, logins: readonly string[]): Promise<{ readonly user: User; readonly login: string } | OidcFailure>
}

export type OidcOptions = { readonly auth: OidcAuth; readonly roles: ConsoleRoles; readonly publicOrigin: string; readonly clock: Clock }

export const oidcPath = '/sign-in/oidc'
export const oidcDonePath = '/sign-in/oidc/done'
/** How long a user may take at the provider, in milliseconds. */
export const loginMs = 10 * minuteMs
/** How long one call to the provider may take, in seconds. */
const callSeconds = 10
const maxAnswerBytes = 1024 * 1024
/** The most sign-ins that ask the provider at a time, and the most that wait. */
const maxAtWork = 4
const maxWaiting = 16

export const createOidc = ({ auth, roles, publicOrigin, clock }: OidcOptions): Oidc => {
  const slots = createSlots(() => maxAtWork, maxWaiting)
  const logins = createLogins(clock)
  let found: Promise<Configuration> | undefined
  const provider = (): Promise<Configuration> => {
    found ??= discover(auth).catch((error) => {
      found = undefined
      throw error
    })
    return found
  }
  const inTurn = async <T>(task: () => Promise<T | OidcFailure>): Promise<T | OidcFailure> =>
    (await slots.run(() => task().catch((error): OidcFailure => ({ failed: 'provider', reason: providerReason(error) })))) ?? {
      failed: 'busy',
      reason: 'too many sign-ins at a time',
    }
  return {
    host: new URL(auth.issuer).host,
    begin: () =>
      inTurn(async () => {
        const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await import('openid-client')
        const { value: login, state, nonce, verifier } = logins.begin()
        const url = buildAuthorizationUrl(await provider(), {
          redirect_uri: `${publicOrigin}${oidcDonePath}`,
          scope: [...new Set(['openid', ...auth.scopes])].join(' '),
          state,
          nonce,
          code_challenge: await calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
        })
        return { url: url.href, login }
      }),
    async finish(address, shown) {
      const current = new URL(address, publicOrigin)
      const login = logins.find(current.searchParams.get('state') ?? '', shown)
      if (!login) return { failed: 'browser', reason: 'the state is of no browser that shows its cookie' }
      return inTurn(async () => {
        const { authorizationCodeGrant } = await import('openid-client')
        const config = await provider()
        const tokens = await authorizationCodeGrant(config, current, {
          expectedState: login.state,
          expectedNonce: login.nonce,
          pkceCodeVerifier: login.verifier,
          idTokenExpected: true,
        })
        const claims = await claimsOf(config, tokens, auth)
        const name = nameIn(claims, auth)
        const user = userOf('oidc', name, textsIn(claims[auth.groupsClaim]), roles)
        return user ? { user, login: login.value } : { failed: 'role', reason: `${name || 'a user without a name'} has no role` }
      })
    },
  }
}

/**
 * The values that belong to one browser that signs in. `value`: the value of its `login` cookie, which begins with the monotonic time at
 * which the sign-in began. `verifier`: the code verifier of PKCE.
 */
type Login = { readonly value: string; readonly state: string; readonly nonce: string; readonly verifier: string }

/**
 * Makes logins and keeps none. A key of this process derives each login from the value of its cookie. So strangers who begin to sign in
 * again and again fill no memory, and displace no other login.
 */
const createLogins = (clock: Pick<Clock, 'monotonic'>) => {
  const key = randomBytes(32)
  const derive = (label: string, value: string): string => createHmac('sha256', key).update(`${label} ${value}`).digest('base64url')
  const loginOf = (value: string): Login => ({
    value,
    state: derive('state', value),
    nonce: derive('nonce', value),
    verifier: derive('verifier', value),
  })
  return {
    begin: (): Login => loginOf(`${Math.floor(clock.monotonic())}.${randomBytes(16).toString('base64url')}`),
    find: (state: string, values: readonly string[]): Login | undefined =>
      values
        .map(loginOf)
        .find((login) => isSameSecret(state, login.state) && clock.monotonic() - Number(login.value.split('.')[0]) < loginMs),
  }
}

const discover = async ({ issuer, clientId, clientSecret }: OidcAuth): Promise<Configuration> => {
  const { allowInsecureRequests, ClientSecretBasic, ClientSecretPost, customFetch, discovery, enableNonRepudiationChecks } = await import(
    'openid-client'
  )
  const [basic, post] = [ClientSecretBasic(clientSecret), ClientSecretPost(clientSecret)]
  return discovery(
    new URL(issuer),
    clientId,
    undefined,
    (server, ...more) =>
      (server.token_endpoint_auth_methods_supported?.includes('client_secret_basic') === false ? post : basic)(server, ...more),
    {
      timeout: callSeconds,
      [customFetch]: boundedFetch(maxAnswerBytes),
      // The signature of the ID token is checked, too. The configuration allows `http` only for an issuer on this machine.
      execute: [enableNonRepudiationChecks, ...(issuer.startsWith('http:') ? [allowInsecureRequests] : [])],
    },
  )
}

type Claims = { readonly [name: string]: unknown }
type Tokens = TokenEndpointResponse & TokenEndpointResponseHelpers

/**
 * Returns the claims of the ID token. Where the token lacks the name or the groups of the user, adds the claims of the provider's user
 * info.
 */
const claimsOf = async (config: Configuration, tokens: Tokens, { userClaim, groupsClaim }: OidcAuth): Promise<Claims> => {
  const claims = tokens.claims() as IDToken
  const isWhole = [userClaim, groupsClaim].every((name) => Object.hasOwn(claims, name))
  if (isWhole || config.serverMetadata().userinfo_endpoint === undefined) return claims
  const { fetchUserInfo } = await import('openid-client')
  return { ...(await fetchUserInfo(config, tokens.access_token, claims.sub)), ...claims }
}

/**
 * Returns the name of the user; empty where the claims have no usable name. An e-mail address that the provider has not verified is not
 * usable, because it may be anybody's.
 */
const nameIn = (claims: Claims, { userClaim }: OidcAuth): string => {
  const name = Object.hasOwn(claims, userClaim) ? claims[userClaim] : undefined
  return typeof name === 'string' && (userClaim !== 'email' || claims.email_verified === true) ? name : ''
}

const textsIn = (value: unknown): readonly string[] => [value].flat().filter((each) => typeof each === 'string')

/** Returns the message of the provider or of the library, with its code. */
const providerReason = (error: unknown): string => {
  const { message, code, error: said, cause } = error as { readonly [name: string]: unknown }
  const more = cause instanceof Error ? cause.message : (said ?? code)
  return [message, ...(typeof more === 'string' ? [more] : [])].join(': ')
}
