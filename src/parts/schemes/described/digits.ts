/** Decodes hex and base64 strictly: `Buffer.from` silently cuts hex at the first invalid character, and skips such characters in base64. */

export type Encoding = 'hex' | 'base64' | 'base64url'

const encodingForms: { readonly [encoding in Encoding]: RegExp } = {
  hex: /^(?:[0-9a-f]{2})+$/i,
  base64: /^[A-Za-z0-9+/]+={0,2}$/,
  base64url: /^[A-Za-z0-9_-]+={0,2}$/,
}

/** The longest text that is decoded. The longest signature of a sender, RSA with 8,192 bits, has 2,048 hex digits. */
const maxDigits = 4_096

/** Decodes a text to its bytes; `undefined` where it is empty, not in this encoding, or too long for a signature or key. */
export const strictBytes = (text: string, encoding: Encoding): Buffer | undefined => {
  if (text.length > maxDigits || !encodingForms[encoding].test(text)) return undefined
  const bytes = Buffer.from(text, encoding)
  return bytes.length > 0 && sameDigits(bytes, text, encoding) ? bytes : undefined
}

/** Whether the text is the canonical encoding of the bytes, except for padding and the case of hex. */
const sameDigits = (bytes: Buffer, text: string, encoding: Encoding): boolean =>
  encoding === 'hex' || bytes.toString(encoding).replace(/=+$/, '') === text.replace(/=+$/, '')
