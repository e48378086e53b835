/** The addresses at which a browser signs in: by a code, by the headers of a proxy, by a password, or at an identity provider. */

import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { messageOf } from '../core/fault.ts'
import { isObject, type JsonObject } from '../core/json.ts'
import type { Log } from '../core/log.ts'
import { Allowance } from '../core/turns/allowance.ts'
import type { Audit } from '../features/audit/audit.ts'
import type { ConsoleAccess } from './access/access.ts'
import { cookiesOf, setCookie } from './access/cookies.ts'
import { type AccessRefusal, refused } from './access/gate.ts'
import { loginMs, type Oidc, type OidcFailure, oidcDonePath, oidcPath } from './access/oidc.ts'
import type { SignInMethods } from './access/sign-in-methods.ts'
import type { User } from './access/users.ts'

const maxSignInBytes = 4_096
/** The most wrong codes in a second that are answered with 401. Further wrong codes are answered with 429. A right code always signs in. */
const codesPerSecond = 5
/** The most characters of a password, because hashing a long text takes long. */
const maxPasswordLength = 1_024

type SignedIn = { readonly user: User } | { readonly refusal: AccessRefusal }

/** Returns the `Set-Cookie` header that gives a browser its half of the secret of a sign-in. An empty half deletes the cookie. */
export const halfCookie = ({ raw }: FastifyRequest, { origins }: ConsoleAccess, value: string, lastsMs = 0): string =>
  setCookie('half', raw, { value, maxAgeMs: lastsMs, origin: origins.of(raw) ?? '' })

type SignInOptions = { readonly audit: Pick<Audit, 'note'>; readonly log: Log }

const byPassword = async (
  { password: check, clientOf }: SignInMethods,
  user: string,
  password: string,
  raw: IncomingMessage,
): Promise<SignedIn> => {
  if (!check) return { refusal: noSuchWay }
  return password.length > maxPasswordLength ? { refusal: longPassword } : check(user, password, clientOf(raw))
}

/** Adds the addresses. A browser that signs in gets the two halves of a secret, and shows both halves with each question from then on. */
export const addSignIn = (app: FastifyInstance, access: ConsoleAccess, { audit, log }: SignInOptions): void => {
  const { gate, signIns, ways, clock, origins, publicOrigin } = access
  const tries = new Allowance(clock, codesPerSecond, 1_000)
  const onRequest = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> =>
    refused(reply, gate.refuseStranger(request))
  const options = { bodyLimit: maxSignInBytes, onRequest }
  /** Returns the user who signs in: the user of a code, or of a name and a password; without these, the user whom the proxy names. */
  const signedIn = async ({ raw }: FastifyRequest, { code, user, password }: JsonObject): Promise<SignedIn> => {
    if (typeof code === 'string') {
      const found = access.codes.take(code, cookiesOf('login', raw))
      // Only wrong codes count, so the guesses of strangers keep no right code out.
      return found ? { user: found } : { refusal: tries.take(1) ? usedCode : tooManyTries }
    }
    if (typeof user === 'string' && typeof password === 'string') return byPassword(ways, user, password, raw)
    const said = ways.forward?.(raw)
    if (said === undefined) return { refusal: noSuchWay }
    return 'user' in said ? said : { refusal: { status: 401, error: `the proxy did not sign you in: ${said.refusal}` } }
  }
  app.post('/ask/signInWays', options, async (request) => ({
    forward: ways.forward !== undefined,
    password: ways.password !== undefined,
    // The provider sends the browser back to the public origin. A cookie that the browser got under another name of this machine does not
    // go there.
    oidc: origins.of(request.raw) === publicOrigin ? (ways.oidc?.host ?? null) : null,
  }))
  app.post('/ask/signIn', options, async (request, reply) => {
    const done = await signedIn(request, isObject(request.body) ? request.body : {})
    if ('refusal' in done) return refused(reply, done.refusal)
    const { bearer, cookie } = signIns.add(done.user)
    const by = signIns.find({ bearer, cookie })?.name ?? done.user.name
    // The console must be of use on a full disk, too, so a sign-in goes on where its line cannot be written.
    await audit.note({ by, action: 'sign_in', on: { from: ways.clientOf(request.raw) } }).catch((error) => {
      log('warn', { by, reason: messageOf(error) }, 'console: the audit has no line of a sign-in')
    })
    reply.header('cache-control', 'no-store').header('set-cookie', halfCookie(request, access, cookie, done.user.lastsMs))
    return { bearer }
  })
  if (ways.oidc) addOidc(app, access, ways.oidc, log)
}

/**
 * Adds the address from which a browser is sent to the identity provider, and the address to which the provider sends the browser back. The
 * browser then gets a code behind the `#`, like the code that a terminal shows. No other browser can use the code.
 */
const addOidc = (app: FastifyInstance, { codes, origins }: ConsoleAccess, oidc: Oidc, log: Log): void => {
  const loginCookie = ({ raw }: FastifyRequest, value: string): string =>
    setCookie('login', raw, { value, maxAgeMs: loginMs, fromOtherSites: true, origin: origins.of(raw) ?? '' })
  const fail = (reply: FastifyReply, { failed, reason }: OidcFailure): FastifyReply => {
    log('warn', { reason }, 'console: a sign-in at the identity provider failed')
    return reply.redirect(`/#failed=${failed}`)
  }
  app.get(oidcPath, async (request, reply) => {
    const begun = await oidc.begin()
    reply.header('cache-control', 'no-store')
    if ('failed' in begun) return fail(reply, begun)
    return reply.header('set-cookie', loginCookie(request, begun.login)).redirect(begun.url)
  })
  app.get(oidcDonePath, async ({ raw }, reply) => {
    const done = await oidc.finish(raw.url ?? '', cookiesOf('login', raw))
    reply.header('cache-control', 'no-store')
    return 'failed' in done ? fail(reply, done) : reply.redirect(`/#code=${codes.make(done.user, done.login)}`)
  })
}

const usedCode: AccessRefusal = {
  status: 401,
  error: 'this address was used already, or is older than a minute: `headgate console` gives another',
}
const tooManyTries: AccessRefusal = { status: 429, error: 'too many tries to sign in: wait a second' }
const longPassword: AccessRefusal = { status: 401, error: `a password has at most ${maxPasswordLength} characters` }
const noSuchWay: AccessRefusal = { status: 401, error: 'this way to sign in is not in console.auth' }
