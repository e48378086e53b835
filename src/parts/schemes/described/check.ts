/** Compiles the check of requests by the description of a scheme. Values in the head are checked before the body is read. */

import { hash } from 'node:crypto'
import type { RequestHead } from '../../../core/request.ts'
import { HmacKey } from '../../../node-internals/hmac-key.ts'
import { isSameDigest, isSameSecret } from '../../../secrets/same-secret.ts'
import { bodyKind } from '../../body/payload.ts'
import { partialBodyOf, ReadOnceBody } from '../../body/request-body.ts'
import type { CheckBody, CheckHead, KeysUnavailable, RefusalReason } from '../scheme.ts'
import { addedQueryNames, whyOtherAddress, withEachAddress } from './address.ts'
import { type Algorithm, hmacKey, holdsInPool, isForPool, isHmac, keyTypeOf, signatureHolds } from './algorithm.ts'
import type { CompiledDescription } from './description.ts'
import { strictBytes } from './digits.ts'
import { whyNotNow } from './freshness.ts'
import { publicKey, secretKey } from './keys.ts'
import type { KeyResult, RemoteKeys } from './remote-keys.ts'
import { type RequestView, requestView } from './request-view.ts'
import { signaturesIn } from './sent-signatures.ts'
import { isForm } from './signed-text.ts'
import { claimedDigest, holdsWithKey, holdsWithSecret, parseToken, type Token, whyNotClaimed } from './token-claims.ts'

/**
 * The result of a check: `true` where the signature is valid, the reason why it is not, or `KeysUnavailable` where no key can be fetched
 * now.
 */
type Verdict = true | RefusalReason | KeysUnavailable

/** Compiles the check with one secret; `undefined` when the scheme cannot use the secret. `remote`: the keys that the scheme fetches. */
export const compileCheck = (compiled: CompiledDescription, secret: string, remote: RemoteKeys | undefined): CheckHead | undefined =>
  refuseRepeated(compiled, refuseOtherKinds(compiled, checkByAlgorithm(compiled, secret, remote)))

/**
 * Refuses a body of a kind that the sender never sends (`sends`), before its signature is checked. A sender that sends no forms never
 * signed a form: bytes that it signed as JSON would have another content when they are read as a form.
 */
const refuseOtherKinds = ({ description: { sends } }: CompiledDescription, check: CheckHead | undefined): CheckHead | undefined => {
  if (!check || !sends) return check
  return (head) => {
    const checkBody = check(head)
    if (typeof checkBody === 'string') return checkBody
    return (bytes, body = new ReadOnceBody(head.headers, bytes)) => {
      const kind = bodyKind(head.headers, bytes)
      return sends.includes(kind) ? checkBody(bytes, body) : `the body is ${kind}, and the sender sends ${sends.join(' or ')}`
    }
  }
}

/** Checks the signature of a request with the values that its view has. */
type Judge = (request: RequestView) => Verdict | Promise<Verdict>

/**
 * Compiles the check of a body. Where values of the body are needed to check its signature (`signerPaths`), the first check sees only these
 * values, so that no stranger has a large body parsed. A body that passes is then checked as a whole.
 */
const checkBodyWith =
  ({ signerPaths }: CompiledDescription, head: RequestHead, judge: Judge): CheckBody =>
  (bytes, body = new ReadOnceBody(head.headers, bytes)) => {
    const whole = (): ReturnType<Judge> => judge(requestView(head, body))
    if (signerPaths.length === 0) return whole()
    const onward = (verdict: Verdict): ReturnType<Judge> => (verdict === true ? whole() : verdict)
    const verdict = judge(requestView(head, partialBodyOf(body, head.headers, signerPaths)))
    return verdict instanceof Promise ? verdict.then(onward) : onward(verdict)
  }

/** Refuses a request whose header for the signature or credential stands twice: a proxy in front may have checked the other header. */
const refuseRepeated = ({ source, name }: CompiledDescription, check: CheckHead | undefined): CheckHead | undefined => {
  const header = source.header?.toLowerCase()
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

/** Compiles the check that the algorithm asks for: of a credential, a token, an HMAC, or a signature by a private key of the sender. */
const checkByAlgorithm = (compiled: CompiledDescription, secret: string, remote: RemoteKeys | undefined): CheckHead | undefined => {
  const { algorithm, key } = compiled.description
  if (algorithm === 'token' || algorithm === 'basic') return checkCredential(compiled, secret)
  if (algorithm === 'jwt') return checkToken(compiled, secret, remote)
  if (isHmac(algorithm)) {
    const bytes = secretKey(secret, key)
    if (!bytes) return undefined
    // The key is prepared at the first request, because there may be thousands of routes.
    let made: HmacKey | undefined
    return checkSigned(compiled, secret, () => {
      made ??= hmacKey(algorithm, bytes)
      return made
    })
  }
  if (remote) return checkSigned(compiled, secret, (request) => findCertificate(compiled, request, remote))
  const type = keyTypeOf(algorithm)
  const object = type && publicKey(secret, type)
  return object && checkSigned(compiled, secret, () => object)
}

/** Finds the key of the certificate whose address the request names. */
const findCertificate = (
  { certificate }: CompiledDescription,
  request: RequestView,
  certificates: RemoteKeys,
): KeyResult | Promise<KeyResult> => {
  const address = certificate?.(request)
  return address === undefined ? 'the address of its certificate is missing' : certificates.find(address, request.head)
}

type SignedTexts = readonly ReturnType<CompiledDescription['text']>[]

/** Returns the texts that may be signed. All secrets of a route share these texts, unless the secret is a part of them. */
const signedTexts = (compiled: CompiledDescription, request: RequestView, secret: string): SignedTexts => {
  const make = (): SignedTexts => withEachAddress(compiled.description, request).map((each) => compiled.text(each, secret))
  return compiled.signsSecret ? make() : request.body.once(compiled, make)
}

/** Compiles the check of HMACs and of signatures by private keys. `keyFor`: returns the key to check a request with. */
const checkSigned = (
  compiled: CompiledDescription,
  secret: string,
  keyFor: (request: RequestView) => KeyResult | HmacKey | Promise<KeyResult>,
): CheckHead => {
  const isInBody = compiled.source.body !== undefined
  const { algorithm } = compiled.description
  const addedNames = compiled.signsAddress ? addedQueryNames(compiled.description) : undefined
  return (head) => {
    const atHead = requestView(head)
    const otherAddress = addedNames && whyOtherAddress(head, addedNames)
    if (otherAddress !== undefined) return otherAddress
    const headSignatures = isInBody ? undefined : signaturesIn(compiled, atHead)
    if (typeof headSignatures === 'string') return headSignatures
    const stale = compiled.time?.atHead ? whyStale(compiled, atHead) : undefined
    if (stale !== undefined) return stale
    return checkBodyWith(compiled, head, (request) => {
      const signatures = headSignatures ?? signaturesIn(compiled, request)
      if (typeof signatures === 'string') return signatures
      const otherIdentity = whyOtherIdentity(compiled, request, secret)
      if (otherIdentity !== undefined) return otherIdentity
      const texts: (readonly Buffer[])[] = []
      for (const text of signedTexts(compiled, request, secret)) {
        if ('lacks' in text) return `${text.lacks} of the signed text is missing`
        texts.push(text)
      }
      // The digest of the body and a time in the body are checked only once the signature is valid, because they are signed, too.
      const verdictOf = (isSigned: boolean): Verdict =>
        isSigned ? (whySignedIsRefused(compiled, request) ?? true) : 'no key of the route gives this signature'
      const judge = (key: KeyResult | HmacKey): Verdict | Promise<Verdict> => {
        if (typeof key === 'string' || 'later' in key) return key
        if (!(key instanceof HmacKey) && isForPool(algorithm, texts)) return holdsInPool(key, texts, signatures).then(verdictOf)
        const isSigned = (by: Algorithm): boolean => texts.some((text) => signatureHolds(by, key, text, signatures))
        const verdict = verdictOf(isSigned(algorithm))
        return verdict !== true && algorithm === 'rsa_sha256' && isSigned('rsa_sha1')
          ? 'it is signed with SHA-1, which is refused: let the sender sign with SHA-256'
          : verdict
      }
      const key = keyFor(request)
      return key instanceof Promise ? key.then(judge) : judge(key)
    })
  }
}

/** Returns the reason why a request is refused although it is signed: the digest of its body, or the time in its body, is wrong. */
const whySignedIsRefused = (compiled: CompiledDescription, request: RequestView): RefusalReason | undefined =>
  whyOtherBody(compiled, request) ?? (compiled.time && !compiled.time.atHead ? whyStale(compiled, request) : undefined)

/**
 * Returns the reason why the time of a request is refused; `undefined` where it is near to the arrival, or is missing and need not be
 * there.
 */
const whyStale = ({ time }: CompiledDescription, request: RequestView): RefusalReason | undefined => {
  if (!time) return undefined
  const text = time.read(request)
  if (text === undefined || text === '') return time.optional ? undefined : `${time.name} is missing`
  return whyNotNow(text, time, request.head.at)
}

/** Returns the reason why the body is not the one that the digest in the request, or in its token, was made of. */
const whyOtherBody = ({ digest, coversForm }: CompiledDescription, request: RequestView, token?: Token): RefusalReason | undefined => {
  if (!digest) return undefined
  const text = digest.read?.(request)
  // A form whose fields are in the signed text needs no digest, but a digest that is there counts. Otherwise a stranger could take a
  // captured request with JSON, leave out its body, and send it as an empty form.
  if (coversForm && text === undefined && isForm(request)) return undefined
  const claimed =
    digest.claim !== undefined ? token && claimedDigest(token, digest.claim, digest.encoding) : text && strictBytes(text, digest.encoding)
  if (!claimed) return `${digest.name}, the digest of the body, is missing or malformed`
  return isSameDigest(claimed, hash('sha256', request.body.bytes, 'buffer')) ? undefined : `${digest.name} is not the digest of the body`
}

/** Returns the reason why a request is not meant for this route: a value in it (`identity`), such as a topic, is not the secret. */
const whyOtherIdentity = (
  { identity, description }: CompiledDescription,
  request: RequestView,
  secret: string,
): RefusalReason | undefined => {
  if (!identity) return undefined
  const text = identity(request)
  const where = [description.identity?.header ?? description.identity?.body].flat().join(' or ')
  return text !== undefined && isSameSecret(text, secret) ? undefined : `${where} is not the secret of the route`
}

/** Compiles the check of a credential, which is the secret itself. A credential in the head is checked before the body is read. */
const checkCredential = (compiled: CompiledDescription, secret: string): CheckHead => {
  const isBasic = compiled.description.algorithm === 'basic'
  // Node decodes headers as latin1, so encoding a header as latin1 gives the bytes that were sent. Query and body are decoded as UTF-8.
  const encoding = compiled.source.header !== undefined ? 'latin1' : 'utf8'
  const expected = Buffer.from(secret)
  const judge = (request: RequestView): Verdict => {
    const texts = compiled.signatures(request)
    if (typeof texts === 'string') return texts
    const credentials = texts.map((text) => (isBasic ? (strictBytes(text, 'base64') ?? Buffer.alloc(0)) : Buffer.from(text, encoding)))
    if (!credentials.some((credential) => isSameSecret(credential, expected))) return `${compiled.name} is not the secret`
    return (compiled.time ? whyStale(compiled, request) : undefined) ?? true
  }
  const needsBody = compiled.source.body !== undefined || compiled.time?.atHead === false
  if (needsBody) return (head) => checkBodyWith(compiled, head, judge)
  return (head: RequestHead) => {
    const verdict = judge(requestView(head))
    return typeof verdict === 'string' ? verdict : () => verdict
  }
}

/** Compiles the check of a JSON Web Token: HS256 with the secret, or another algorithm with a key of the sender's JWKS. */
const checkToken = (compiled: CompiledDescription, secret: string, jwks: RemoteKeys | undefined): CheckHead | undefined => {
  const { issuer, audience, timestamp, key: spec } = compiled.description
  const bytes = jwks ? undefined : secretKey(secret, spec)
  if (!jwks && !bytes) return undefined
  const key = bytes && hmacKey('hmac_sha256', bytes)
  const expected = { issuer, audience, windowSeconds: timestamp?.window_seconds ?? 300 }
  return (head) => {
    const texts = compiled.signatures(requestView(head))
    if (typeof texts === 'string') return texts
    const token = parseToken(texts[0] ?? '')
    if (!token) return `${compiled.name} has no JSON Web Token`
    const why = whyNotClaimed(token, expected, head.at)
    if (why !== undefined) return why
    if (key && !holdsWithSecret(token, key)) return 'no secret of the route gives this token (HS256)'
    const judgeBody = (request: RequestView): Verdict => whyOtherBody(compiled, request, token) ?? true
    if (!jwks) return checkBodyWith(compiled, head, judgeBody)
    return checkBodyWith(compiled, head, (request) => {
      const judge = (found: KeyResult): Verdict =>
        typeof found === 'string' || 'later' in found
          ? found
          : holdsWithKey(token, found)
            ? judgeBody(request)
            : 'the key that the token names does not give its signature'
      const found = jwks.find(typeof token.header.kid === 'string' ? token.header.kid : '', head)
      return found instanceof Promise ? found.then(judge) : judge(found)
    })
  }
}
