/** Decodes a secret of Standard Webhooks to the bytes of its key, for verifying and for signing. */

const base64Key = /^[A-Za-z0-9+/]+={0,2}$/

/**
 * Returns the bytes of the key: after the prefix `whsec_` the secret is strict base64; without it, text (rules: Authentication 2).
 * `undefined` where the base64 is not valid, or stands for no bytes.
 */
export const whsecKey = (secret: string): Buffer | undefined => {
  if (!secret.startsWith('whsec_')) return Buffer.from(secret, 'utf8')
  const encoded = secret.slice('whsec_'.length)
  const key = Buffer.from(encoded, 'base64')
  const strict = base64Key.test(encoded) && key.toString('base64').replace(/=+$/, '') === encoded.replace(/=+$/, '')
  return strict && key.length > 0 ? key : undefined
}
