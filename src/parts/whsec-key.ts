/** Decodes a secret of Standard Webhooks to the bytes of its key, for verifying and for signing. */

const base64Key = /^([A-Za-z0-9+/]+)={0,2}$/

/**
 * Returns the bytes of the key: after the prefix `whsec_` the secret is base64; without it, text (rules: Authentication 2).
 * `undefined` where the base64 is not valid, or stands for no bytes. The last letter may have bits that belong to no byte, as the libraries
 * of Standard Webhooks allow.
 */
export const whsecKey = (secret: string): Buffer | undefined => {
  if (!secret.startsWith('whsec_')) return Buffer.from(secret, 'utf8')
  const [, letters = ''] = base64Key.exec(secret.slice('whsec_'.length)) ?? []
  // One letter of a group of four is less than a byte.
  return letters === '' || letters.length % 4 === 1 ? undefined : Buffer.from(letters, 'base64')
}
