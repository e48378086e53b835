/** Sets and removes fields in the text of a multipart body, for a test request that is signed. */

/** A body of multipart, cut at its delimiter (`--` and the boundary). `before`: what stands in front of the first part. */
type CutBody = { readonly delimiter: string; readonly before: string; readonly parts: readonly string[] }

const cutBody = (body: string): CutBody | undefined => {
  const delimiter = /^\s*(--[^\r\n]{1,72})\r\n/.exec(body)?.[1]
  if (delimiter === undefined) return undefined
  const [before = '', ...parts] = body.split(delimiter)
  return { delimiter, before, parts }
}

const isNamed = (part: string, name: string): boolean => part.slice(0, part.indexOf('\r\n\r\n')).includes(`; name="${name}"`)

/** Returns the body with a field in front of its other fields, and without a field that had the name; an odd body as it is. */
export const setField = (body: string, name: string, value: string): string => {
  const cut = cutBody(body)
  if (!cut) return body
  const field = `\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  return [cut.before, field, ...cut.parts.filter((part) => !isNamed(part, name))].join(cut.delimiter)
}

/** Returns the body without the fields and files of this name; `undefined` where it has none. */
export const withoutField = (body: string, name: string): string | undefined => {
  const cut = cutBody(body)
  const rest = cut?.parts.filter((part) => !isNamed(part, name))
  return cut && rest && rest.length < cut.parts.length ? [cut.before, ...rest].join(cut.delimiter) : undefined
}
