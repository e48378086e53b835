/** The addresses at which a browser signs in: by a code, by what a proxy says, or by a password. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isObject, type JsonObject } from '../core/json.ts'
import { Allowance } from '../core/turns/allowance.ts'
import type { Access } from './access/access.ts'
import { cookiesOf, setCookie } from './access/cookies.ts'
import { type Refusal, refused } from './access/gate.ts'
import type { User } from './access/users.ts'

/** The most bytes of a question that signs in. */
const maxSignInBytes = 4_096
/** The most wrong codes within a second. Past it the answer does not say whether a code was right. */
const codesPerSecond = 5
/** The most characters of a password: the hash of a long text takes long. */
const maxPasswordLength = 1_024

type SignedIn = { readonly user: User } | { readonly refusal: Refusal }

/** Returns the header that gives a browser its half in a cookie. An empty half takes the cookie away. */
export const halfCookie = ({ raw }: FastifyRequest, { origins }: Access, value: string, lastsMs = 0): string =>
  setCookie('half', raw, { value, maxAgeMs: lastsMs, origin: origins.of(raw) ?? '' })

/** Adds the addresses. A browser that signs in gets the two halves that it shows from then on. */
export const addSignIn = (app: FastifyInstance, access: Access): void => {
  const { gate, signIns, ways, clock } = access
  const tries = new Allowance(clock, codesPerSecond, 1_000)
  const onRequest = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> =>
    refused(reply, gate.refuseStranger(request))
  const options = { bodyLimit: maxSignInBytes, onRequest }
  /** Finds out who signs in: whoever shows a code, or a name and a password, else whom the proxy names. */
  const signedIn = async ({ raw }: FastifyRequest, { code, user, password }: JsonObject): Promise<SignedIn> => {
    if (typeof code === 'string') {
      const found = access.codes.take(code, cookiesOf('login', raw))
      // The guesses of others must not keep a right code out.
      return found ? { user: found } : { refusal: tries.take(1) ? usedCode : tooManyTries }
    }
    if (typeof user === 'string' && typeof password === 'string' && password.length <= maxPasswordLength && ways.password)
      return ways.password(user, password, ways.clientOf(raw))
    const said = ways.forward?.(raw)
    if (said === undefined) return { refusal: noSuchWay }
    return 'user' in said ? said : { refusal: { status: 401, error: `the proxy did not sign you in: ${said.refusal}` } }
  }
  app.post('/ask/signInWays', { ...options }, async () => ({
    forward: ways.forward !== undefined,
    password: ways.password !== undefined,
    oidc: null,
  }))
  app.post('/ask/signIn', options, async (request, reply) => {
    const done = await signedIn(request, isObject(request.body) ? request.body : {})
    if ('refusal' in done) return refused(reply, done.refusal)
    const { bearer, cookie } = signIns.add(done.user)
    reply.header('cache-control', 'no-store').header('set-cookie', halfCookie(request, access, cookie, done.user.lastsMs))
    return { bearer }
  })
}

const usedCode: Refusal = {
  status: 401,
  error: 'this address was used already, or is older than a minute: `headgate console` gives another',
}
const tooManyTries: Refusal = { status: 429, error: 'too many tries to sign in: wait a second' }
const noSuchWay: Refusal = { status: 401, error: 'this way to sign in is not in console.auth' }
