/** Makes a scheme out of its description: it verifies and signs, and tells how events of its sender are read. */

import { createHash } from 'node:crypto'
import { isObject } from '../../../../core/json.ts'
import { header } from '../../../../core/names.ts'
import type { SignatureScheme } from '../../../../generated/config.ts'
import type { CheckHead, Note, Scheme } from '../../scheme.ts'
import { equal } from '../equal.ts'
import { isHmac, keyTypeOf } from './algorithm.ts'
import { checkFor } from './check.ts'
import { placeOf, problemsIn, type Ready, readyOf, signsTime } from './description.ts'
import { compileHandshake, isToken } from './handshake.ts'
import { createCertificates, createJwks } from './remote-keys.ts'
import { compilePlace, look, type Read, type Seen } from './seen.ts'
import { signAs } from './sign.ts'

/** What `name` verifies. A description with problems, which are reported where it is written, refuses every request. */
export const describedScheme = (name: string, description: SignatureScheme): Scheme => {
  const { title = name, algorithm, event, id, jwks_url, certificate, handshakes = [] } = description
  const ready = readyOf(description)
  const isBroken = problemsIn(description).length > 0
  const shown = ready.place.header?.toLowerCase()
  // Each route has the keys that it fetched for itself, and they go with its plan.
  const createRemote = () => ({
    jwks: jwks_url === undefined ? undefined : createJwks(jwks_url),
    certificates: certificate && createCertificates(certificate),
  })
  const keys = keyTypeOf(algorithm) && !certificate ? 'public' : jwks_url !== undefined ? 'none' : 'secret'
  const answersHmac = handshakes.some(({ answer }) => JSON.stringify(answer ?? {}).includes('{hmac_'))
  const readEvent = event && compileEvent(event)
  const wanted = keys === 'public' ? `a public key (${keyTypeOf(algorithm)})` : `a key in ${description.key?.encoding ?? 'text'}`
  return {
    name,
    title,
    keys,
    byName: true,
    shows: (headers) => shown === undefined || header(headers, shown) !== undefined,
    compile: (secret, download = noDownload) =>
      isBroken ? () => 'its description has mistakes' : guarded(checkFor(ready, secret, createRemote(), download), answersHmac),
    badSecret: { message: `${name} cannot use this key: it is not ${wanted}`, help: 'copy it again from the sender' },
    reads: {
      eventType: readEvent && ((headers, payload) => readEvent(parsed(headers, payload))),
      deliveryId:
        id &&
        ((headers, payload, body) =>
          idOf(ready, parsed(headers, payload), () =>
            id.digest === true ? `sha256:${createHash('sha256').update(body).digest('hex')}` : undefined,
          )),
    },
    idHeaders: id?.header === undefined ? [] : [id.header.toLowerCase()],
    eventTypeHeaders: event?.header === undefined ? [] : [event.header.toLowerCase()],
    handshakes: handshakes.map((spec) => compileHandshake(spec, (a, b) => equal(Buffer.from(a), Buffer.from(b)), event)),
    notes: notesOf(name, description),
    sign: (request) => signAs(name, ready, request),
  }
}

/** The type: a text, or the name of the first field that is there. */
const compileEvent = ({ present = [], ...place }: NonNullable<SignatureScheme['event']>): Read => {
  const read = compilePlace(place)
  return (seen) => {
    const payload = seen.payload() ?? null
    return read(seen) ?? (isObject(payload) ? present.find((name) => Object.hasOwn(payload, name)) : undefined)
  }
}

/** The id, with what it is unique in before it. */
const idOf = ({ id, within }: Ready, seen: Seen, digest: () => string | undefined): string | undefined => {
  const [found, of] = [id?.(seen) ?? digest(), within?.(seen)]
  return found === undefined || found === '' || of === undefined ? found : `${of} ${found}`
}

/** Where a question is answered with an HMAC, a body that could be such a question is no event: its signature may be that answer. */
const guarded = (check: CheckHead | undefined, answersHmac: boolean): CheckHead | undefined =>
  check === undefined || !answersHmac
    ? check
    : (head) => {
        const checkBody = check(head)
        if (typeof checkBody === 'string') return checkBody
        return (body) =>
          body.length <= 258 && isToken(body.toString('latin1')) ? 'the body may be the question of a handshake' : checkBody(body)
      }

const noDownload = async (): Promise<Buffer> => {
  throw new Error('keys are fetched by a running gateway only')
}

/** A verified request, as far as its event is read from it. */
const parsed = (headers: Parameters<typeof look>[0]['headers'], payload: ReturnType<ReturnType<typeof look>['payload']>) => ({
  ...look({ method: 'POST', url: () => '', headers, remote: () => '', isProxied: () => false, at: 0 }),
  payload: () => payload,
})

const notesOf = (name: string, description: SignatureScheme): Note[] => {
  const { algorithm, timestamp } = description
  const notes: Note[] = []
  if (algorithm === 'hmac_sha1' || algorithm === 'rsa_sha1')
    notes.push({ code: 'WH310', message: `${name} signs with SHA-1`, help: 'choose SHA-256 at the sender, if it has that' })
  if (placeOf(description).query !== undefined)
    notes.push({
      code: 'WH311',
      message: `${name} sends the secret in the address, which stands in logs`,
      help: 'use a header, if the sender has one',
    })
  if (timestamp && (isHmac(algorithm) || keyTypeOf(algorithm)) && !signsTime(description))
    notes.push({ code: 'WH312', message: `the time of ${name} is not signed: anybody can change it`, help: 'put {timestamp} in "signed"' })
  return notes
}
