/** Makes names of files harmless. A sender chooses them, and they end in payloads, prompts and folders. */

/** The longest name, in UTF-16 units, with its extension. */
const maxUnits = 100
const fallback = 'file'

/** Controls, format characters (bidirectional ones among them), lone surrogates, and characters that a file system or shell may mind. */
const odd = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}<>:"|?*`$]/gu

/** Returns the last part of a path without odd characters, and without dots and blanks around it; `file` where nothing is left. */
export const harmlessName = (name: string): string => {
  const last = name.normalize('NFC').split(/[/\\]/).at(-1) ?? ''
  const clean = last.replace(odd, '').replace(/^[.\s]+|[.\s]+$/g, '')
  if (clean.length <= maxUnits) return clean || fallback
  const [extension = ''] = /\.[A-Za-z\d]{1,10}$/.exec(clean) ?? []
  return `${clean.slice(0, maxUnits - extension.length).replace(/\p{Cs}$/u, '')}${extension}`
}
