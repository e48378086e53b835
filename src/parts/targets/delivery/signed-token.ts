/** Signs what an account says of itself, as APIs ask for it in place of a password: a JSON Web Token (RFC 7519) with RS256. */

import { createPrivateKey, sign } from 'node:crypto'

/** `key`: a private key in PEM. `keyId`: the API's id of the key. Returns `undefined` where the key is no RSA key. */
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
