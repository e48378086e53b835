/** Checks requests as a description says: what the head shows is refused there, the rest once the body is there. */

import { hash } from 'node:crypto'
import type { RequestHead } from '../../../../core/request.ts'
import { HmacKey } from '../../../../node-internals/hmac-key.ts'
import { glimpseOf, ReadOnce } from '../../../body/request-body.ts'
import type { CheckBody, CheckHead, Later, Why } from '../../scheme.ts'
import { equal } from '../equal.ts'
import { queryNames, whyOtherAddress, withAndWithoutPort } from './address.ts'
import { type Algorithm, hmacKey, holds, holdsInPool, isForPool, isHmac, keyTypeOf } from './algorithm.ts'
import { signaturesIn } from './claims.ts'
import type { Ready } from './description.ts'
import { bytesOf } from './digits.ts'
import { whyNotNow } from './freshness.ts'
import { publicKey, secretKey } from './keys.ts'
import type { Found, RemoteKeys } from './remote-keys.ts'
import { look, type Seen } from './seen.ts'
import { isForm } from './signed-text.ts'
import { claimedDigest, holdsWithKey, holdsWithSecret, parseToken, type Token, whyNotClaimed } from './token-claims.ts'

type Verdict = true | Why | Later

/** The check for one secret; `undefined` when the scheme cannot use it. `remote`: the keys of a scheme that fetches them. */
export const checkFor = (ready: Ready, secret: string, remote: RemoteKeys | undefined): CheckHead | undefined =>
  once(ready, sendingOnly(ready, checkOnce(ready, secret, remote)))

/** What a body is, is asked of its bytes before anything else is: a sender that sends no forms sends none whose bytes were signed as something else. */
const sendingOnly = ({ description: { sends } }: Ready, check: CheckHead | undefined): CheckHead | undefined => {
  if (!check || !sends || sends.length > 1) return check
  const wantsForm = sends[0] === 'form'
  return (head) => {
    const checkBody = check(head)
    if (typeof checkBody === 'string') return checkBody
    return (bytes, body = new ReadOnce(head.headers, bytes)) =>
      isForm({ head, body }) === wantsForm ? checkBody(bytes, body) : wantsForm ? 'the body is no form' : 'the sender sends no forms'
  }
}

type Judge = (seen: Seen) => Verdict | Promise<Verdict>

/** The check of a whole body: by the parts in which it says who signed it, and, once these hold, by all of it. */
const ofBody =
  ({ glimpsed }: Ready, head: RequestHead, judge: Judge): CheckBody =>
  (bytes, body = new ReadOnce(head.headers, bytes)) => {
    const whole = (): ReturnType<Judge> => judge(look(head, body))
    if (glimpsed.length === 0) return whole()
    const onward = (verdict: Verdict): ReturnType<Judge> => (verdict === true ? whole() : verdict)
    const verdict = judge(look(head, glimpseOf(body, head.headers, glimpsed)))
    return verdict instanceof Promise ? verdict.then(onward) : onward(verdict)
  }

/** A signature or credential that stands twice is none: a proxy in front may have looked at the other one. */
const once = ({ place, name }: Ready, check: CheckHead | undefined): CheckHead | undefined => {
  const header = place.header?.toLowerCase()
  if (!check || header === undefined) return check
  return (head) => (standsTwice(head.rawHeaders ?? [], header) ? `${name} stands twice` : check(head))
}

const standsTwice = (raw: readonly string[], header: string): boolean => {
  let found = 0
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] as string
    if (name.length === header.length && name.toLowerCase() === header) found++
  }
  return found > 1
}

const checkOnce = (ready: Ready, secret: string, remote: RemoteKeys | undefined): CheckHead | undefined => {
  const { algorithm, key } = ready.description
  if (algorithm === 'token' || algorithm === 'basic') return checkCredential(ready, secret)
  if (algorithm === 'jwt') return checkToken(ready, secret, remote)
  if (isHmac(algorithm)) {
    const bytes = secretKey(secret, key)
    if (!bytes) return undefined
    // Made at the first request, because there may be thousands of routes.
    let made: HmacKey | undefined
    return checkSigned(ready, secret, () => {
      made ??= hmacKey(algorithm, bytes)
      return made
    })
  }
  if (remote) return checkSigned(ready, secret, (seen) => certificateOf(ready, seen, remote))
  const type = keyTypeOf(algorithm)
  const object = type && publicKey(secret, type)
  return object && checkSigned(ready, secret, () => object)
}

const certificateOf = ({ certificate }: Ready, seen: Seen, certificates: RemoteKeys): Found | Promise<Found> => {
  const address = certificate?.(seen)
  return address === undefined ? 'the address of its certificate is missing' : certificates.find(address, seen.head)
}

/** Senders that write their address in several ways sign no longer body than this. */
const maxRewritten = 65_536

/** The requests whose signed text it may be: one for each way in which the sender may have written its address. */
const asSigned = ({ description: { port } }: Ready, seen: Seen): readonly Seen[] =>
  port === 'either' && seen.body.bytes.length <= maxRewritten
    ? withAndWithoutPort(seen.head.url()).map((url) => ({ ...seen, head: { ...seen.head, url: () => url } }))
    : [seen]

type Texts = readonly ReturnType<Ready['text']>[]

/** What may be signed. All secrets of a route share it, unless their secret is a part of it. */
const textsOf = (ready: Ready, seen: Seen, secret: string): Texts => {
  const make = (): Texts => asSigned(ready, seen).map((each) => ready.text(each, secret))
  return ready.signsSecret ? make() : seen.body.once(ready, make)
}

/** HMACs and signatures. */
const checkSigned = (ready: Ready, secret: string, keyFor: (seen: Seen) => Found | HmacKey | Promise<Found>): CheckHead => {
  const isInBody = ready.place.body !== undefined
  const { algorithm } = ready.description
  const own = ready.signsAddress ? queryNames(ready.description) : undefined
  return (head) => {
    const atHead = look(head)
    const elsewhere = own && whyOtherAddress(head, own)
    if (elsewhere !== undefined) return elsewhere
    const early = isInBody ? undefined : signaturesIn(ready, atHead)
    if (typeof early === 'string') return early
    const stale = ready.time?.atHead ? whyStale(ready, atHead) : undefined
    if (stale !== undefined) return stale
    return ofBody(ready, head, (seen) => {
      const signatures = early ?? signaturesIn(ready, seen)
      if (typeof signatures === 'string') return signatures
      const somebody = whyNotIdentity(ready, seen, secret)
      if (somebody !== undefined) return somebody
      const texts: (readonly Buffer[])[] = []
      for (const text of textsOf(ready, seen, secret)) {
        if ('lacks' in text) return `${text.lacks} of the signed text is missing`
        texts.push(text)
      }
      const verdictOf = (isSigned: boolean): Verdict =>
        isSigned ? (whyNotRest(ready, seen) ?? true) : 'no key of the route gives this signature'
      const judge = (key: Found | HmacKey): Verdict | Promise<Verdict> => {
        if (typeof key === 'string' || 'later' in key) return key
        if (!(key instanceof HmacKey) && isForPool(algorithm, texts)) return holdsInPool(key, texts, signatures).then(verdictOf)
        const isSigned = (by: Algorithm): boolean => texts.some((text) => holds(by, key, text, signatures))
        const verdict = verdictOf(isSigned(algorithm))
        return verdict !== true && algorithm === 'rsa_sha256' && isSigned('rsa_sha1')
          ? 'it is signed with SHA-1, which is refused: let the sender sign with SHA-256'
          : verdict
      }
      const key = keyFor(seen)
      return key instanceof Promise ? key.then(judge) : judge(key)
    })
  }
}

/** What is checked once the signature holds: the digest that stands for the body, and a time in the body. */
const whyNotRest = (ready: Ready, seen: Seen): Why | undefined =>
  whyOtherBody(ready, seen) ?? (ready.time && !ready.time.atHead ? whyStale(ready, seen) : undefined)

const whyStale = ({ time }: Ready, seen: Seen): Why | undefined => {
  if (!time) return undefined
  const text = time.read(seen)
  if (text === undefined || text === '') return time.optional ? undefined : `${time.name} is missing`
  return whyNotNow(text, time, seen.head.at)
}

const whyOtherBody = ({ digest, coversForm }: Ready, seen: Seen, token?: Token): Why | undefined => {
  if (!digest) return undefined
  const text = digest.read?.(seen)
  // A form needs none. But one that is there counts: a captured body that is not a form could else be left out, and sent again as an empty form.
  if (coversForm && text === undefined && isForm(seen)) return undefined
  const claimed =
    digest.claim !== undefined ? token && claimedDigest(token, digest.claim, digest.encoding) : text && bytesOf(text, digest.encoding)
  if (!claimed) return `${digest.name}, the digest of the body, is missing or malformed`
  return equal(claimed, hash('sha256', seen.body.bytes, 'buffer')) ? undefined : `${digest.name} is not the digest of the body`
}

const whyNotIdentity = ({ identity, description }: Ready, seen: Seen, secret: string): Why | undefined => {
  if (!identity) return undefined
  const text = identity(seen)
  const where = [description.identity?.header ?? description.identity?.body].flat().join(' or ')
  return text !== undefined && equal(Buffer.from(text), Buffer.from(secret)) ? undefined : `${where} is not the secret of the route`
}

/** The secret itself, in the open. Where it is not in the body, a wrong one is refused before the body is read. */
const checkCredential = (ready: Ready, secret: string): CheckHead => {
  const isBasic = ready.description.algorithm === 'basic'
  // Node decodes headers as latin1, so encoding as latin1 gives the bytes sent; the query and the body are decoded as UTF-8.
  const sent = ready.place.header !== undefined ? 'latin1' : 'utf8'
  const expected = Buffer.from(secret)
  const judge = (seen: Seen): Verdict => {
    const texts = ready.claims(seen)
    if (typeof texts === 'string') return texts
    const credentials = texts.map((text) => (isBasic ? (bytesOf(text, 'base64') ?? Buffer.alloc(0)) : Buffer.from(text, sent)))
    if (!credentials.some((credential) => equal(credential, expected))) return `${ready.name} is not the secret`
    return (ready.time ? whyStale(ready, seen) : undefined) ?? true
  }
  if (ready.place.body !== undefined) return (head) => ofBody(ready, head, judge)
  return (head: RequestHead) => {
    const verdict = judge(look(head))
    return typeof verdict === 'string' ? verdict : () => verdict
  }
}

const checkToken = (ready: Ready, secret: string, jwks: RemoteKeys | undefined): CheckHead | undefined => {
  const { issuer, audience, timestamp, key: spec } = ready.description
  const bytes = jwks ? undefined : secretKey(secret, spec)
  if (!jwks && !bytes) return undefined
  const key = bytes && hmacKey('hmac_sha256', bytes)
  const expected = { issuer, audience, windowSeconds: timestamp?.window_seconds ?? 300 }
  return (head) => {
    const texts = ready.claims(look(head))
    if (typeof texts === 'string') return texts
    const token = parseToken(texts[0] ?? '')
    if (!token) return `${ready.name} has no JSON Web Token`
    const why = whyNotClaimed(token, expected, head.at)
    if (why !== undefined) return why
    if (key && !holdsWithSecret(token, key)) return 'no secret of the route gives this token (HS256)'
    const rest = (seen: Seen): Verdict => whyOtherBody(ready, seen, token) ?? true
    if (!jwks) return ofBody(ready, head, rest)
    return ofBody(ready, head, (seen) => {
      const judge = (found: Found): Verdict =>
        typeof found === 'string' || 'later' in found
          ? found
          : holdsWithKey(token, found)
            ? rest(seen)
            : 'the key that the token names does not give its signature'
      const found = jwks.find(typeof token.header.kid === 'string' ? token.header.kid : '', head)
      return found instanceof Promise ? found.then(judge) : judge(found)
    })
  }
}
