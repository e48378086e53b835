/** Sets a field in the text of a multipart body, for a test request that is signed. */

/** Returns the body with a field in front of its other fields, and without a field that had the name; an odd body as it is. */
export const setField = (body: string, name: string, value: string): string => {
  const delimiter = /^\s*(--[^\r\n]{1,72})\r\n/.exec(body)?.[1]
  if (delimiter === undefined) return body
  const [before, ...parts] = body.split(delimiter)
  const others = parts.filter((part) => !part.slice(0, part.indexOf('\r\n\r\n')).includes(`; name="${name}"`))
  const field = `\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  return [before, field, ...others].join(delimiter)
}
