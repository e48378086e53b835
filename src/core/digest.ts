/** Digests and keys read strictly: `Buffer.from(text, 'hex')` alone stops silently at the first bad character. */

const sha256 = /^[0-9a-f]{64}$/i

/** The 32 bytes of a hex SHA-256 digest; `undefined` for anything else. */
export const hexDigest = (text: string): Buffer | undefined => (sha256.test(text) ? Buffer.from(text, 'hex') : undefined)

/** The key of every scheme that takes the secret as it is. */
export const utf8Key = (secret: string): Buffer => Buffer.from(secret, 'utf8')

const base64Key = /^[A-Za-z0-9+/]+={0,2}$/

/** The key of Standard Webhooks: strict base64 after `whsec_`, else the secret as it is (contract 2, rule 2); `undefined` when there is none. */
export const whsecKey = (secret: string): Buffer | undefined => {
  if (!secret.startsWith('whsec_')) return utf8Key(secret)
  const encoded = secret.slice('whsec_'.length)
  const key = Buffer.from(encoded, 'base64')
  const strict = base64Key.test(encoded) && key.toString('base64').replace(/=+$/, '') === encoded.replace(/=+$/, '')
  return strict && key.length > 0 ? key : undefined
}
