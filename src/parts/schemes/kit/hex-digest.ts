/** Decodes hex digests strictly: `Buffer.from(text, 'hex')` silently stops at the first invalid character. */

const sha256 = /^[0-9a-f]{64}$/i

/** Returns the 32 bytes of a SHA-256 digest; `undefined` for any other text. */
export const hexDigest = (text: string): Buffer | undefined => (sha256.test(text) ? Buffer.from(text, 'hex') : undefined)
