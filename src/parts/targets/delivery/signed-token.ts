/**
 * Makes a JSON Web Token (RFC 7519), signed with RS256, in which a service account states who it is. Some APIs ask for such a token in
 * place of a password.
 */

import { createPrivateKey, sign } from 'node:crypto'

/** Returns the token. `key`: a private key in PEM. `keyId`: the API's id of the key. `undefined` where the key is no RSA key. */
export const signedToken = (
  claims: { readonly [name: string]: string | number },
  { key, keyId }: { readonly key: string; readonly keyId?: string | undefined },
): string | undefined => {
  const header = { alg: 'RS256', typ: 'JWT', ...(keyId === undefined ? {} : { kid: keyId }) }
  const signed = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  try {
    const rsa = createPrivateKey(key)
    if (rsa.asymmetricKeyType !== 'rsa') return undefined
    return `${signed}.${sign('sha256', Buffer.from(signed), rsa).toString('base64url')}`
  } catch {
    return undefined
  }
}
