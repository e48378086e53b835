/** Reads header values with parameters, such as `form-data; name="a"; filename="b.png"` (RFC 9110 5.6.6, RFC 7578 4.2). */

/** A header value: its first word in lower case, and its parameters, by their names in lower case. */
export type HeaderValue = { readonly word: string; readonly parameters: ReadonlyMap<string, string> }

const firstWord = /\s*([^\s;,="]{1,128})\s*/y
const parameter = /;\s*([^\s;="]{1,64})\s*=\s*(?:"((?:[^"\\]|\\[\s\S])*)"|([^\s;"]*))\s*/y

/** Returns the parts of a header value; `undefined` where it is malformed, or names a parameter twice: readers would differ on such a value. */
export const readHeaderValue = (text: string): HeaderValue | undefined => {
  firstWord.lastIndex = 0
  const word = firstWord.exec(text)?.[1]?.toLowerCase()
  if (word === undefined) return undefined
  const parameters = new Map<string, string>()
  for (let at = firstWord.lastIndex; at < text.length; at = parameter.lastIndex) {
    parameter.lastIndex = at
    const [, written = '', quoted, bare = ''] = parameter.exec(text) ?? []
    const name = written.toLowerCase()
    if (name === '' || parameters.has(name)) return undefined
    parameters.set(name, quoted === undefined ? bare : quoted.replace(/\\(["\\])/g, '$1'))
  }
  return { word, parameters }
}

/** Decodes an extended parameter such as `UTF-8''na%C3%AFve.txt` (RFC 8187); `undefined` where it is malformed or in another encoding. */
export const decodeExtended = (text: string): string | undefined => {
  const [, encoded] = /^utf-8'[\w-]*'(.*)$/is.exec(text) ?? []
  if (encoded === undefined) return undefined
  try {
    return decodeURIComponent(encoded)
  } catch {
    return undefined
  }
}
