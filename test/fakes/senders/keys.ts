/** Makes keys of senders that a test plays. */

import { generateKeyPairSync, randomBytes } from 'node:crypto'
import type { Preset } from '../../../src/parts/schemes/preset.ts'

/** `route`: the key as a route has it. `secret`, and `privateKey` where the sender has one (PEM): what a test request is signed with. */
export type Keys = { readonly route: { readonly [key: string]: string }; readonly secret: string; readonly privateKey?: string }

const keyTypes = { ed25519: 'ed25519', ecdsa_p256: 'ec', rsa_sha256: 'rsa', rsa_sha1: 'rsa' } as const

/** Makes a new key of the kind that the preset checks with, in the form in which the sender shows its key. */
export const keysFor = ({ keys, description, name }: Preset): Keys => {
  const type = (keyTypes as { [algorithm: string]: 'ed25519' | 'ec' | 'rsa' })[description.algorithm]
  if (keys === 'public' && type !== undefined) {
    const options = { namedCurve: 'prime256v1', modulusLength: 2048 }
    const pair = generateKeyPairSync(type as 'rsa', options as { modulusLength: number })
    const public_key = pair.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
    return { route: { public_key }, secret: public_key, privateKey: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
  }
  const { encoding = 'text', prefix = '' } = description.key ?? {}
  const bytes = randomBytes(32)
  const text = encoding === 'text' ? `${name}:${bytes.toString('hex')}` : bytes.toString(encoding)
  return { route: { secret: `${prefix}${text}` }, secret: `${prefix}${text}` }
}
