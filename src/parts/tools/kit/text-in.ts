/** The text of some bytes, in a character set that need not exist: UTF-8 takes its place. */
export const textIn = (bytes: Uint8Array, charset = 'utf-8'): string => {
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}
