/** Decodes bytes as text. Where Node does not know the character set, the bytes are read as UTF-8. */
export const decodeText = (bytes: Uint8Array, charset = 'utf-8'): string => {
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}
