/** Reads hex digests strictly, because `Buffer.from(text, 'hex')` alone stops silently at the first bad character. */

const sha256 = /^[0-9a-f]{64}$/i

/** The 32 bytes of a SHA-256 digest; `undefined` for anything else. */
export const hexDigest = (text: string): Buffer | undefined => (sha256.test(text) ? Buffer.from(text, 'hex') : undefined)
