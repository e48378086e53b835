/** The key of Standard Webhooks, for what is verified and for what is signed. */

const base64Key = /^[A-Za-z0-9+/]+={0,2}$/

/** Strict base64 after `whsec_`, else the secret as it is (rules: Authentication 2); `undefined` when there is none. */
export const whsecKey = (secret: string): Buffer | undefined => {
  if (!secret.startsWith('whsec_')) return Buffer.from(secret, 'utf8')
  const encoded = secret.slice('whsec_'.length)
  const key = Buffer.from(encoded, 'base64')
  const strict = base64Key.test(encoded) && key.toString('base64').replace(/=+$/, '') === encoded.replace(/=+$/, '')
  return strict && key.length > 0 ? key : undefined
}
