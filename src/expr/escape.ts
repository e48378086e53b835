/** Escapes texts for the place where they stand in a body, so that what a stranger chose can only be text there. */

const xmlNames: { readonly [character: string]: string } = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }

/** Replaces lone surrogates, which UTF-8 cannot hold, and which many receivers refuse as escapes of JSON. */
export const wellFormed = (text: string): string => Buffer.from(text).toString()

export const percentEncoded = (text: string): string => encodeURIComponent(wellFormed(text))

export const isJsonType = (contentType: string): boolean => /\bjson\b/.test(contentType)
export const isFormType = (contentType: string): boolean => /^application\/x-www-form-urlencoded\b/.test(contentType)

/**
 * Returns the function that escapes a value for a body of this content type: for an element or a quoted attribute of XML and HTML, for a
 * string of JSON, for a field of a form. In a body of another type, the value stays as it is.
 */
export const escapeFor = (contentType: string): ((text: string) => string) => {
  if (/\b(?:xml|html)\b/.test(contentType)) {
    // XML 1.0 cannot express most control characters.
    return (text) => text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, '').replace(/[&<>"']/g, (found) => xmlNames[found] as string)
  }
  if (isJsonType(contentType)) return (text) => JSON.stringify(text).slice(1, -1)
  return isFormType(contentType) ? percentEncoded : (text) => text
}
