/** Makes the senders of the fuzz: one for each preset and built-in scheme, with a key, samples, and a function that signs. */

import { generateKeyPairSync, sign } from 'node:crypto'
import { builtInSamples, readSample } from '../../src/dryrun/samples/gallery.ts'
import type { Sample } from '../../src/dryrun/samples/sample-file.ts'
import type { SignatureScheme } from '../../src/generated/config.ts'
import { describedScheme } from '../../src/parts/schemes/described/described.ts'
import { presets, schemes } from '../../src/parts/schemes/index.ts'
import type { Scheme, Signed, Unsigned } from '../../src/parts/schemes/scheme.ts'
import { certificateOf } from '../../test/fakes/certificate.ts'
import { formSamples } from './form-samples.ts'
import { formOf, joined, jsonFieldOf, jsonOf, partsOf, valueAtPath } from './parts.ts'
import { bytesOf, type Sent } from './request.ts'
import { setAt } from './set-at.ts'

export type Sender = {
  readonly name: string
  readonly scheme: Scheme
  /** The description of the scheme. For a built-in scheme it is written here, after the documentation of the scheme. */
  readonly description: SignatureScheme
  /** The value of `secret` or `public_key` in the routes of this sender. */
  readonly key: { readonly [key: string]: string }
  readonly secret: string
  readonly samples: readonly Sample[]
  /** Signs a request as the sender does. Where the sender signs with a private key, nobody else can. */
  readonly sign: (unsigned: Omit<Unsigned, 'secret' | 'privateKey'>) => Signed
}

/** The one secret of all senders with a shared secret, so that a route may accept several schemes. */
const secret = 'vT7nQ2xLr9Zp4kWc8YbE3mHs'

const header = (name: string, more: object = {}) => ({ header: name, ...more })
const standard = (prefix: string): SignatureScheme => ({
  algorithm: 'hmac_sha256',
  signature: header(`${prefix}-signature`, { prefix: 'v1,', encoding: 'base64' }),
  timestamp: header(`${prefix}-timestamp`),
  signed: '{id}.{timestamp}.{body}',
  id: header(`${prefix}-id`),
  event: header('X-GitHub-Event'),
})
const unnamedId = { id: header('X-Request-ID'), event: header('X-GitHub-Event') }

/** Descriptions of the built-in schemes, for the mutations. */
const builtin: { readonly [name: string]: SignatureScheme } = {
  svix: standard('svix'),
  standard_webhooks: standard('webhook'),
  linear: {
    algorithm: 'hmac_sha256',
    signature: header('Linear-Signature'),
    timestamp: { body: 'webhookTimestamp', unit: 'milliseconds', window_seconds: 60 },
    ...unnamedId,
  },
  github: {
    algorithm: 'hmac_sha256',
    signature: header('X-Hub-Signature-256', { prefix: 'sha256=' }),
    id: header('X-GitHub-Delivery'),
    event: header('X-GitHub-Event'),
  },
  gitlab: { algorithm: 'token', signature: header('X-Gitlab-Token'), id: header('X-Request-ID'), event: header('X-Gitlab-Event') },
  v2: {
    algorithm: 'hmac_sha256',
    signature: header('X-Webhook-Signature-V2'),
    timestamp: header('X-Webhook-Timestamp'),
    signed: '{timestamp}.{body}',
    ...unnamedId,
  },
  v1: { algorithm: 'hmac_sha256', signature: header('X-Webhook-Signature'), ...unnamedId },
}

/** The folders with the samples of built-in schemes. */
const folders: { readonly [name: string]: string } = { svix: 'clerk', standard_webhooks: 'standard', v1: 'buildkite', v2: 'buildkite' }
/** The names of the generic schemes, which sign events of any sender. The samples that they borrow lose the headers of their own sender. */
const generic: ReadonlySet<string> = new Set(['v1', 'v2'])
/** Matches samples that are handshakes, which are no events. */
const question = /confirmation|validation|verification|\bping\b/

/** Makes a certificate that is valid for a hundred years from now, and its key, both in PEM. The requests of the fuzz are sent in 2096. */
export const createCertificate = (): ReturnType<typeof certificateOf> => certificateOf('sender.example.com', 36_500)

/** Returns all senders. `certificateKey`: the private key, in PEM, of the senders whose certificate is fetched. */
export const createSenders = (certificateKey: string): readonly Sender[] => [
  ...schemes.map((scheme) => senderOf(scheme, descriptionOf(scheme), folders[scheme.name] ?? scheme.name, certificateKey)),
  ...presets.map((preset) => senderOf(preset, preset.description, preset.about.sample.replace(/\/.*/, ''), certificateKey)),
]

const descriptionOf = ({ name }: Scheme): SignatureScheme => {
  const known = builtin[name]
  if (!known) throw new Error(`tools/fuzz/senders.ts has no description of the scheme ${name}: add it to "builtin"`)
  return known
}

const samplesIn = (folder: string): readonly Sample[] =>
  builtInSamples()
    .filter(({ name }) => name.startsWith(`${folder}/`) && !question.test(name))
    .map(readSample)

const senderOf = (scheme: Scheme, description: SignatureScheme, folder: string, certificateKey: string): Sender => {
  const { name } = scheme
  const posted = samplesIn(folder).map((sample) => (generic.has(name) ? { body: sample.body, headers: {} } : sample))
  const samples = [...posted, ...(formSamples[name] ?? [])]
  const pair = keyPairOf(description.algorithm)
  const keys = pair ?? { secret }
  const { id: _id, ...rest } = description
  // Some events of a sender have no id. They are signed by a scheme without an id, because `sign` of the scheme would put one in.
  const nameless = describedScheme(name, rest)
  return {
    name,
    scheme,
    description,
    samples,
    secret: keys.secret,
    key: pair ? { public_key: pair.secret } : { secret },
    sign: (unsigned) =>
      description.certificate
        ? signByCertificate(description, { ...unsigned, secret }, certificateKey)
        : (isNameless(unsigned, description) ? nameless : scheme).sign({ ...unsigned, ...keys }),
  }
}

/** Whether an event has none of the fields that hold its sender's ids. */
const isNameless = ({ body, contentType = '' }: Pick<Unsigned, 'body' | 'contentType'>, { id }: SignatureScheme): boolean => {
  const sent: Sent = { target: '', lines: [['Content-Type', contentType]], body: bytesOf(body), at: 0 }
  const form = formOf(sent)
  const paths = [id?.body ?? []].flat()
  const inJson = jsonFieldOf(form)
  const payload = form && inJson === undefined ? Object.fromEntries(form) : jsonOf({ body: form?.get(inJson ?? '') ?? sent.body })
  return paths.length > 0 && paths.every((path) => valueAtPath(payload, path.split('.')) === undefined)
}

/** `secret`: what goes into `public_key`. */
const keyPairOf = (algorithm: SignatureScheme['algorithm']): { readonly secret: string; readonly privateKey: string } | undefined => {
  const type = { ed25519: 'ed25519', ecdsa_p256: 'ec' }[algorithm as string]
  if (type === undefined) return undefined
  const { publicKey, privateKey } = generateKeyPairSync(type as 'ec', { namedCurve: 'prime256v1' })
  return {
    secret: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

const certificateAt: { readonly [place: string]: string } = {
  'PAYPAL-CERT-URL': 'https://api.paypal.com/v1/notifications/certs/CERT-360caa42-fca2a594-a5cafa77',
  SigningCertURL: 'https://sns.us-west-2.amazonaws.com/SimpleNotificationService-f3ecfb7224c7233fe7bb5f59f96de52f.pem',
}

/**
 * Signs with the key of a certificate. First puts the other signed values into their places: the time, the id, the sender itself, and the
 * address of the certificate.
 */
const signByCertificate = (description: SignatureScheme, { body, id, at, secret }: Unsigned, key: string): Signed => {
  const time = new Date(at).toISOString()
  const headers: { [name: string]: string } = {}
  let payload = JSON.parse(body)
  const put = (place: { readonly header?: string; readonly body?: string | string[] } | undefined, value: string): void => {
    if (place?.header !== undefined) headers[place.header] = value
    else if (place?.body !== undefined) payload = setAt(payload, [String(place.body)], value)
  }
  const { certificate, signature = {} } = description
  put(description.timestamp, time)
  put(description.id as { readonly body?: string }, id)
  put(description.identity, secret)
  put(certificate, certificateAt[certificate?.header ?? String(certificate?.body)] ?? '')
  const written = (): string => (signature.body === undefined ? body : JSON.stringify(payload))
  const sent: Sent = { target: '/', lines: Object.entries(headers), body: bytesOf(written()), at }
  const text = joined(partsOf(sent, description, { secret, url: '' }) ?? [])
  put(signature, sign('sha256', Buffer.from(text, 'latin1'), key).toString('base64'))
  return { headers, body: written() }
}
