/**
 * The stage `signature` verifies who sent a request, and answers the handshakes of senders. The first scheme that shows in the headers
 * decides alone, so no request can pick a weaker scheme. With the secret `INSECURE_NO_AUTH`, no signature is checked and no handshake is
 * answered.
 */

import { signatureHeaders } from '../../core/headers.ts'
import { type Refused, refuse } from '../../core/outcome.ts'
import type { Authenticate, VerifyBody } from '../../core/plan.ts'
import type { RequestBody, RequestHead, Verification } from '../../core/request.ts'
import type { NextStep } from '../../core/turns/short-turns.ts'
import { isForeignText } from '../body/foreign-text.ts'
import { inDecidingOrder } from '../deciding-order.ts'
import type { CheckBody, CheckHead, KeysUnavailable, RefusalReason, Scheme } from '../schemes/scheme.ts'
import { verifyNames } from '../written-names.ts'
import { checksInTurn } from './kit/check-in-turn.ts'
import { compileHandshakes } from './kit/handshakes.ts'
import { publicHead } from './kit/public-head.ts'
import { reportKeys } from './kit/report-keys.ts'
import type { StageKit, StagePart } from './stage.ts'

/** The secret that switches verification off. The configuration may have it only where the gateway listens on loopback. */
const insecure = 'INSECURE_NO_AUTH'

/**
 * The check of a head with one of the route's secrets. `secret`: the index of the secret or public key among those of the route, from 0.
 */
type SecretCheck = { readonly secret: number; readonly checkHead: CheckHead }
/** The check of a body with one of the route's secrets. The head was checked with the same secret before. */
type BodyCheck = { readonly secret: number; readonly checkBody: CheckBody }

/** A request whose head was checked. Its signature is valid if one of these checks accepts its body. */
type CheckedHead = { readonly head: RequestHead; readonly scheme: Scheme; readonly checks: readonly BodyCheck[] }

export const signature: StagePart = {
  name: 'signature',
  compile(route, kit) {
    if (kit.secrets.includes(insecure)) return { authenticate: trustLoopback(kit) }
    const pinned = verifyNames(route)
    const schemes = pinned.length > 0 ? kit.schemes.filter(({ name }) => pinned.includes(name)) : kit.schemes
    reportKeys(route, schemes, kit)
    const withPublicUrl = publicHead(route, kit) ?? ((head) => head)
    const verify = compileVerification(inDecidingOrder(schemes), kit)
    const authenticate = unlessTooOld(kit, (head) => verify(withPublicUrl(head)))
    const handshakes = compileHandshakes(route, schemes, kit, { withPublicUrl, authenticate })
    return { authenticate, ...(handshakes ? { handshakes } : {}) }
  },
}

/** Answers 503 while a secret that a program gives is older than its provider allows. */
const unlessTooOld = ({ provided = [], effects: { tooOld } }: StageKit, authenticate: Authenticate): Authenticate => {
  if (provided.length === 0 || !tooOld) return authenticate
  return (head) => {
    const why = tooOld(provided)
    return why === undefined ? authenticate(head) : refuse('keys_unavailable', { retryAfterSeconds, detail: why })
  }
}

/**
 * Returns the function that makes the checks of a scheme: one for each secret that fits the scheme, a single one for a scheme that fetches
 * its keys. The checks are made at the first request of the scheme and kept: there may be thousands of routes, and each could use every
 * scheme.
 */
const checksFor = ({ secrets, overlap, adopt, effects }: StageKit): ((scheme: Scheme) => readonly SecretCheck[]) => {
  const made = new Map<Scheme, readonly SecretCheck[]>()
  return (scheme) => {
    const known = made.get(scheme)
    if (known) return known
    // A scheme with `keys: 'none'` fetches its keys, and needs no secret of the route.
    const isKeyless = scheme.keys === 'none'
    const checks = (isKeyless ? [''] : secrets).flatMap((text, secret) => {
      const checkHead = text === '' && !isKeyless ? undefined : adopt(scheme.compile(text, effects.keys))
      if (!checkHead) return []
      return { secret, checkHead: overlap && secret >= overlap.from && !isKeyless ? untilEnd(checkHead, overlap.untilMs) : checkHead }
    })
    made.set(scheme, checks)
    return checks
  }
}

/** Lets a replaced secret verify the requests that came before the end of its overlap. */
const untilEnd =
  (checkHead: CheckHead, untilMs: number): CheckHead =>
  (head) =>
    head.at < untilMs ? checkHead(head) : 'a replaced secret of the route may fit, but its overlap is over'

/** Compiles the check of requests: of the head by the first scheme that shows in it, then of the body with each secret. */
const compileVerification = (schemes: readonly Scheme[], kit: StageKit): Authenticate => {
  const refused = refusingFailed(kit)
  const checksOf = checksFor(kit)
  const inTurn = checksInTurn(kit)
  const trySecrets = tryingSecrets(kit, refused)
  return (head) => {
    const scheme = schemes.find(({ shows }) => shows(head.headers))
    if (!scheme) return refused(head, `no header of a known scheme; seen: ${signatureHeaders(head.headers)}`)
    const crowded = inTurn.atHead(head)
    if (crowded) return crowded
    const checks = bodyChecks(checksOf(scheme), head)
    // When no body could make the headers valid, the request is refused before its body is read.
    if (typeof checks === 'string') return refused(head, `${scheme.name}: ${checks}`)
    const request: CheckedHead = { head, scheme, checks }
    const verify = (body: RequestBody, then?: NextStep): ReturnType<VerifyBody> =>
      isForeignText(body.bytes)
        ? refused(head, `${scheme.name}: the body begins as a text that another scheme signs`)
        : trySecrets(request, body, then)
    return (body) => inTurn.run(head, body, verify)
  }
}

/** Checks a head with each secret. Returns the checks of the body with the secrets that may fit, or the reason why no secret fits. */
const bodyChecks = (checks: readonly SecretCheck[], head: RequestHead): readonly BodyCheck[] | RefusalReason => {
  const left: BodyCheck[] = []
  let why: RefusalReason = 'no secret of the route can serve it'
  for (const { secret, checkHead } of checks) {
    const checkBody = checkHead(head)
    if (typeof checkBody === 'string') why = checkBody
    else left.push({ secret, checkBody })
  }
  return left.length > 0 ? left : why
}

/** Returns the function that tries the secrets of a route on a body, one after the other, until the signature is valid with one of them. */
const tryingSecrets = (kit: StageKit, refused: ReturnType<typeof refusingFailed>) => {
  const note = loggingUses(kit)
  const verified = ({ head, scheme }: CheckedHead, secret: number): Verification | Promise<Verification> => {
    const verification = { scheme: scheme.name, secret, signedId: scheme.signedId?.(head.headers) }
    return charged(kit, verification, () => note(scheme, secret))
  }
  const tryFrom = (
    first: number,
    before: RefusalReason,
    request: CheckedHead,
    body: RequestBody,
    then?: NextStep,
  ): ReturnType<VerifyBody> => {
    const { head, scheme, checks } = request
    let why = before
    for (let i = first; i < checks.length; i++) {
      const { secret, checkBody } = checks[i] as BodyCheck
      const holds = checkBody(body.bytes, body)
      if (holds === true) return verified(request, secret)
      // Only a scheme that fetches its keys, or checks in another thread, gives a promise. Every other check ends in this turn of the loop.
      if (holds instanceof Promise)
        return holds.then((settled) => {
          if (settled === true) return verified(request, secret)
          return typeof settled === 'string' ? tryFrom(i + 1, settled, request, body, then) : keysUnavailable(scheme, settled)
        })
      if (typeof holds !== 'string') return keysUnavailable(scheme, holds)
      why = holds
      if (then) return then(() => tryFrom(i + 1, holds, request, body, then))
    }
    return refused(head, `${scheme.name}: ${why}`)
  }
  return (request: CheckedHead, body: RequestBody, then?: NextStep): ReturnType<VerifyBody> => tryFrom(0, '', request, body, then)
}

const retryAfterSeconds = 10
const keysUnavailable = ({ name }: Scheme, { later }: KeysUnavailable): Refused =>
  refuse('keys_unavailable', { retryAfterSeconds, detail: `${name}: ${later}` })

/**
 * Returns the refusal of a request whose signature is not valid. The failure is charged to the client's own window, so that no client can
 * fill the route's window (rules: Rate limits 2). Where the client's window is full, the request is refused as by the rate limit.
 */
const refusingFailed =
  ({ name, effects: { limiter } }: StageKit) =>
  (head: RequestHead, detail: string): Refused =>
    limiter.chargeFailure(name, head.remote())
      ? refuse('bad_signature', { detail })
      : refuse('rate_limited', { retryAfterSeconds: 60, detail })

/**
 * Returns the function that logs two things once for each route: that a deprecated scheme is used, and which of several secrets a sender
 * uses.
 */
const loggingUses = ({ name, secrets, effects }: StageKit): ((scheme: Scheme, index: number) => void) => {
  const logged = new Set<string>()
  const once = (key: string, log: () => void): void => {
    if (logged.has(key)) return
    logged.add(key)
    log()
  }
  return (scheme, index) => {
    if (scheme.deprecated)
      once(scheme.name, () => effects.log('warn', { route: name, scheme: scheme.name }, `deprecated: ${scheme.deprecated}`))
    if (secrets.length > 1)
      once(`secret ${index}`, () => effects.log('info', { route: name, secret: `${index + 1} of ${secrets.length}` }, 'signature matched'))
  }
}

/** Counts a verified request in its route's window. `whenOpen` is called when the window is not full. */
const charged = (kit: StageKit, verification: Verification, whenOpen: () => void): Verification | Promise<Verification> => {
  const end = (isOpen: boolean): Verification => {
    if (!isOpen) return { ...verification, limited: windowFull(kit) }
    whenOpen()
    return verification
  }
  const isOpen = kit.effects.limiter.charge(kit.name)
  return typeof isOpen === 'boolean' ? end(isOpen) : isOpen.then(end)
}

/** Refuses a request whose route's window has filled up since the head was checked. */
const windowFull = ({ name, effects: { limiter } }: StageKit): Refused =>
  refuse('rate_limited', { retryAfterSeconds: Math.max(1, limiter.wait(name)) })

const unsigned: Verification = { scheme: 'none', secret: 0, signedId: undefined }
const loopbackHost = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i

/**
 * Lets each request on without verification, for tests on loopback. A request of a browser, or with a `Host` that is not loopback, is
 * refused: a web page could reach the route by DNS rebinding.
 */
const trustLoopback =
  (kit: StageKit): Authenticate =>
  ({ headers }) => {
    if (headers.origin !== undefined || headers['sec-fetch-site'] !== undefined || !loopbackHost.test(headers.host ?? '')) {
      return refuse('forbidden', { detail: 'a browser, or a Host that is not loopback, on a route without verification' })
    }
    return () => charged(kit, unsigned, () => {})
  }
