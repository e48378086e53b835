/**
 * Compiles a described scheme. A description is data: of a preset, or of a scheme in the configuration. By its description, a scheme
 * verifies requests, answers handshakes, reads the types and the ids of events, and signs test requests.
 */

import { hash } from 'node:crypto'
import { isObject, type Json } from '../../../core/json.ts'
import type { Headers, RequestBody, RequestHead } from '../../../core/request.ts'
import type { SignatureScheme } from '../../../generated/config.ts'
import { isSameSecret } from '../../../secrets/same-secret.ts'
import type { SenderKeys } from '../../sender-keys.ts'
import type { CheckHead, Note, Scheme } from '../scheme.ts'
import { isHmac, keyTypeOf } from './algorithm.ts'
import { createRemoteCertificates } from './certificates.ts'
import { compileCheck } from './check.ts'
import { type CompiledDescription, compileDescription, isBrokenDescription, signatureSourceOf, signsTime } from './description.ts'
import { compileEventTypes } from './event-types.ts'
import { compileHandshake, isRandomWord } from './handshake.ts'
import { createJwks } from './jwks.ts'
import { notingVerified, type RemoteKeys } from './remote-keys.ts'
import { compileSource, type ReadValue, type RequestView, requestView } from './request-view.ts'
import { secretPlaces } from './secret-places.ts'
import { compileShows, showingHeaders } from './sent-signatures.ts'
import { signAs } from './sign.ts'

/**
 * Returns the scheme `name`. Where the description has mistakes, the scheme refuses every request. The mistakes are not reported here:
 * whoever read the description from a file reports them (`problemsIn`).
 */
export const describedScheme = (name: string, description: SignatureScheme): Scheme => {
  const { title = name, algorithm, event, id, jwks_url, certificate, handshakes = [] } = description
  const compiled = compileDescription(description)
  const refuses = isBrokenDescription(description)
  // Each compiled check remembers keys of its own until the plan of its route ends. All routes share the fetches, and the keys that have
  // verified a request.
  const createRemote = (from: SenderKeys): RemoteKeys | undefined =>
    jwks_url !== undefined ? createJwks(jwks_url, from) : certificate && createRemoteCertificates(certificate, from)
  const checkWith = (secret: string, remote: RemoteKeys | undefined): CheckHead | undefined =>
    notingVerified(refusingQuestions(compileCheck(compiled, secret, remote), answersHmac), remote)
  const keys = keyTypeOf(algorithm) && !certificate ? 'public' : jwks_url !== undefined ? 'none' : 'secret'
  const answersHmac = handshakes.some(({ answer }) => JSON.stringify(answer ?? {}).includes('{hmac_'))
  const readEvent = event && compileEvent(event)
  const several = event && compileEventTypes(event)
  const wanted = keys === 'public' ? `a public key (${keyTypeOf(algorithm)})` : `a key in ${description.key?.encoding ?? 'text'}`
  return {
    name,
    title,
    keys,
    byName: true,
    shows: compileShows(compiled.source),
    shownBy: showingHeaders(compiled.source),
    ...(compiled.signsParts ? { signsParts: true } : {}),
    ...(answersHmac ? { answersChallenges: true } : {}),
    compile: (secret, from = unfetched) => (refuses ? () => 'its description has mistakes' : checkWith(secret, createRemote(from))),
    badSecret: { message: `${name} cannot use this key: it is not ${wanted}`, help: 'copy it again from the sender' },
    reads: {
      eventType: readEvent && ((headers, payload) => readEvent(payloadView(headers, payload))),
      several,
      deliveryId: id && ((headers, body) => deliveryIdOf(compiled, verifiedView(headers, body))),
      repeatId: id && compiled.signsBody ? (headers, body) => signedDigest(compiled, verifiedView(headers, body)) : undefined,
    },
    idHeaders: id?.header === undefined ? [] : [id.header.toLowerCase()],
    eventTypeHeaders: event?.header === undefined ? [] : [event.header.toLowerCase()],
    ...(compiled.signsParts ? {} : signatureIn(description)),
    ...secretPlaces(description),
    handshakes: handshakes.map((spec) => compileHandshake(spec, isSameSecret, event)),
    notes: notesOf(name, description),
    sign: (request) => signAs(name, compiled, request),
  }
}

/** Makes the function that reads an event's type: the value at a place, else the first key of `present` that the payload has. */
const compileEvent = ({ present = [], ...place }: NonNullable<SignatureScheme['event']>): ReadValue => {
  const read = compileSource(place)
  return (request) => {
    const payload = request.payload() ?? null
    return read(request) ?? (isObject(payload) ? present.find((name) => Object.hasOwn(payload, name)) : undefined)
  }
}

/**
 * Returns the delivery id of a request. Where the description names a value in whose scope the id is unique (`within`), that value stands
 * before the id. Where the request has no id, the digest of the signed content stands for it, if the description says so (`digest`), or if
 * the description places the id in a body that is signed. `undefined` where the request has neither.
 */
const deliveryIdOf = (compiled: CompiledDescription, request: RequestView): string | undefined => {
  const { id, within, description } = compiled
  const isDigest = description.id?.digest === true || (description.id?.body !== undefined && compiled.signsBody)
  const [found, scope] = [id?.(request) || (isDigest ? signedDigest(compiled, request) : undefined), within?.(request)]
  return found === undefined || scope === undefined ? found : `${scope} ${found}`
}

const signedDigest = ({ signedBody }: CompiledDescription, request: RequestView): string => {
  const signed = signedBody(request, '') ?? ''
  return `sha256:${hash('sha256', Array.isArray(signed) ? Buffer.concat(signed) : (signed as Buffer | string))}`
}

/**
 * Wraps the check of a scheme that answers handshakes with an HMAC: a body that could be the question of a handshake is refused. Anybody
 * may ask such a question, and could send the answer as the signature of an event.
 */
const refusingQuestions = (check: CheckHead | undefined, answersHmac: boolean): CheckHead | undefined =>
  check === undefined || !answersHmac
    ? check
    : (head) => {
        const checkBody = check(head)
        if (typeof checkBody === 'string') return checkBody
        return (bytes, body) =>
          bytes.length <= 258 && isRandomWord(bytes.toString('latin1'))
            ? 'the body may be the question of a handshake'
            : checkBody(bytes, body)
      }

/** The keys for checks outside of a running gateway: no key is fetched. */
const unfetched: SenderKeys = {
  fetchKey: async () => ({ later: 'keys are fetched by a running gateway only' }),
  kept: { get: () => undefined, put: () => {} },
}

/** Makes the head of a request that is verified, for reading its event. Only the headers matter. */
const verifiedHead = (headers: Headers): RequestHead => ({
  method: 'POST',
  url: () => '',
  headers,
  remote: () => '',
  isProxied: () => false,
  at: 0,
})
const verifiedView = (headers: Headers, body: RequestBody): RequestView => requestView(verifiedHead(headers), body)
const payloadView = (headers: Headers, payload: Json): RequestView => ({
  ...requestView(verifiedHead(headers)),
  payload: () => payload,
  source: () => ({ payload, text: '' }),
})

/**
 * Returns the place of the signature, for refused requests that are kept to be verified again. Returns nothing for a scheme with a token:
 * whoever reads a kept request with a token could use the token.
 */
const signatureIn = (description: SignatureScheme): Pick<Scheme, 'signatureIn'> => {
  const { algorithm, signed = '{body}' } = description
  if (!isHmac(algorithm) && !keyTypeOf(algorithm)) return {}
  const { header: name, query } = signatureSourceOf(description)
  const headers = name === undefined ? [] : [name.toLowerCase()]
  return { signatureIn: query !== undefined || /\{(?:url|path|query\.)/.test(signed) ? { headers, address: true } : { headers } }
}

const notesOf = (name: string, description: SignatureScheme): Note[] => {
  const { algorithm, timestamp } = description
  const notes: Note[] = []
  if (algorithm === 'hmac_sha1' || algorithm === 'rsa_sha1')
    notes.push({ code: 'WH310', message: `${name} signs with SHA-1`, help: 'choose SHA-256 at the sender, if it has that' })
  if (signatureSourceOf(description).query !== undefined)
    notes.push({
      code: 'WH311',
      message: `${name} sends the secret in the address, which stands in logs`,
      help: 'use a header, if the sender has one',
    })
  if (timestamp && (isHmac(algorithm) || keyTypeOf(algorithm)) && !signsTime(description))
    notes.push({ code: 'WH312', message: `the time of ${name} is not signed: anybody can change it`, help: 'put {timestamp} in "signed"' })
  return notes
}
