/** Makes names of files harmless. A sender chooses them, and they end in payloads, prompts and folders. */

/** The longest name, in bytes of UTF-8, with its extension. File systems take 255, of which a folder's numbering needs some. */
const maxBytes = 200
const fallback = 'file'

/** Controls, format characters (bidirectional ones among them), lone surrogates, and characters that a file system or shell may mind. */
const odd = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}<>:"|?*`$]/gu

/** Returns the last part of a path without odd characters, and without dots and blanks around it; `file` where nothing is left. */
export const harmlessName = (name: string): string => {
  const last = name.normalize('NFC').split(/[/\\]/).at(-1) ?? ''
  const clean = last.replace(odd, '').replace(/^[.\s]+|[.\s]+$/g, '')
  if (Buffer.byteLength(clean) <= maxBytes) return clean || fallback
  const [extension = ''] = /\.[A-Za-z\d]{1,10}$/.exec(clean) ?? []
  let [begin, left] = ['', maxBytes - extension.length]
  for (const character of clean) {
    left -= Buffer.byteLength(character)
    if (left < 0) break
    begin += character
  }
  return `${begin}${extension}`
}
