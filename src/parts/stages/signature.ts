/** Verifies who sent the bytes: the first scheme that the headers show decides, and nothing falls through to a weaker one. */

import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import { type Refused, refuse } from '../../core/outcome.ts'
import type { Authenticate } from '../../core/plan.ts'
import type { Headers, RequestHead, Verification } from '../../core/request.ts'
import type { Evidence, Scheme } from '../schemes/scheme.ts'
import type { StageKit, StagePart } from './stage.ts'

/** Switches verification off; the loader lets it pass on loopback only. */
const insecure = 'INSECURE_NO_AUTH'

/** One of the route's secrets, ready for the schemes that read it alike; its object is made when the first request needs it. */
type Key = { readonly index: number; readonly bytes: Buffer; readonly object: () => KeyObject }

type Candidate = { readonly scheme: Scheme; readonly keys: readonly Key[] }

export const signature: StagePart = {
  name: 'signature',
  compile(route, kit) {
    if (kit.secrets.includes(insecure)) return { authenticate: trusting(kit) }
    const pinned = route.verify === undefined ? undefined : new Set<string>([route.verify].flat())
    const read = new Map<Scheme['key'], readonly Key[]>()
    const candidates = kit.schemes
      .filter(({ name }) => !pinned || pinned.has(name))
      .map((scheme): Candidate => {
        const keys = read.get(scheme.key) ?? keysOf(scheme, kit)
        read.set(scheme.key, keys)
        if (scheme.name === 'standard_webhooks' && keys.length < kit.secrets.length) reportMalformed(kit)
        return { scheme, keys }
      })
    return { authenticate: verifying(candidates, kit) }
  },
}

const keysOf = (scheme: Scheme, { secrets }: StageKit): readonly Key[] =>
  secrets.flatMap((secret, index) => {
    const bytes = scheme.key(secret)
    return bytes && bytes.length > 0 ? [keyOf(index, bytes)] : []
  })

const keyOf = (index: number, bytes: Buffer): Key => {
  let object: KeyObject | undefined
  return {
    index,
    bytes,
    object: () => {
      object ??= createSecretKey(bytes)
      return object
    },
  }
}

const reportMalformed = ({ report }: StageKit): void =>
  report('WH307', ['secret'], 'the part after "whsec_" is not base64: Standard Webhooks requests will be refused', 'copy the secret again')

const verifying = (candidates: readonly Candidate[], kit: StageKit): Authenticate => {
  const { name, effects } = kit
  const refused = failing(kit)
  const note = noting(kit)
  return (head) => {
    const candidate = candidates.find(({ scheme }) => scheme.shows(head.headers))
    if (!candidate) return refused(head, `no header of a known scheme; seen: ${signatureHeaders(head.headers)}`)
    const { scheme, keys } = candidate
    const evidence = scheme.read(head.headers, head.at)
    if (!evidence) return refused(head, `${scheme.name}: a header is missing, malformed, or its timestamp too far off`)
    // A token needs no body: a wrong one is refused before any of it is read.
    const early = evidence.kind === 'token' ? keys.find((key) => matches(evidence, key, empty)) : undefined
    if (evidence.kind === 'token' && !early) return refused(head, `${scheme.name}: the token differs`)
    return (body) => {
      const key = early ?? keys.find((each) => matches(evidence, each, body))
      if (!key) return refused(head, `${scheme.name}: no secret of the route gives this signature`)
      if (!effects.limiter.charge(name)) return refuse('rate_limited', { retryAfterSeconds: effects.limiter.wait(name) })
      note(scheme, key.index)
      return { scheme: scheme.name, secret: key.index, signedId: scheme.signedId?.(head.headers), freshness: scheme.freshness }
    }
  }
}

const empty = Buffer.alloc(0)

const matches = (evidence: Evidence, key: Key, body: Buffer): boolean => {
  if (evidence.kind === 'token') return equal(evidence.token, key.bytes)
  // The prefix is header text, which Node hands out as latin1: the same bytes are signed.
  const hmac = createHmac('sha256', key.object())
  if (evidence.prefix !== '') hmac.update(evidence.prefix, 'latin1')
  const digest = hmac.update(body).digest()
  return evidence.digests.some((claimed) => equal(claimed, digest))
}

/** Constant time on bytes; only a difference in length shows. */
const equal = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b)

/** Charges a failure to its client's own window, so that a stranger cannot spend the route's (contract 2, rule 1). */
const failing =
  ({ name, effects: { limiter } }: StageKit) =>
  (head: RequestHead, detail: string): Refused =>
    limiter.chargeFailure(name, head.remote())
      ? refuse('bad_signature', { detail })
      : refuse('rate_limited', { retryAfterSeconds: 60, detail })

/** The names, not the values, of headers that look like a signature: what an operator compares with the sender's settings. */
const signatureHeaders = (headers: Headers): string =>
  Object.keys(headers)
    .filter((name) => /sign|token|hmac|digest|auth/.test(name))
    .slice(0, 8)
    .join(', ') || 'none'

/** Says once per route that a scheme is deprecated, and which later secret still holds while one is being rotated. */
const noting = ({ name, secrets, effects }: StageKit): ((scheme: Scheme, index: number) => void) => {
  const said = new Set<string>()
  const once = (key: string, say: () => void): void => {
    if (said.has(key)) return
    said.add(key)
    say()
  }
  return (scheme, index) => {
    if (scheme.deprecated)
      once(scheme.name, () => effects.log('warn', { route: name, scheme: scheme.name }, `deprecated: ${scheme.deprecated}`))
    if (secrets.length > 1)
      once(`secret ${index}`, () => effects.log('info', { route: name, secret: `${index + 1} of ${secrets.length}` }, 'signature matched'))
  }
}

const unsigned: Verification = { scheme: 'none', secret: 0, signedId: undefined, freshness: undefined }
const loopbackHost = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i

/** No verification: for tests on loopback, and for nobody's browser (a page must not reach a route through DNS rebinding). */
const trusting =
  ({ name, effects: { limiter } }: StageKit): Authenticate =>
  ({ headers }) => {
    if (headers.origin !== undefined || headers['sec-fetch-site'] !== undefined || !loopbackHost.test(headers.host ?? '')) {
      return refuse('forbidden', { detail: 'a browser, or a Host that is not loopback, on a route without verification' })
    }
    return () => (limiter.charge(name) ? unsigned : refuse('rate_limited', { retryAfterSeconds: limiter.wait(name) }))
  }
