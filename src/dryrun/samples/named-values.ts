/** Replaces values in the text of XML and multipart by the names that they have there. All other characters stay. */

import { boundaryOf } from '../../parts/body/multipart/split-parts.ts'

/** Returns the text that stands in the place of a value. `name`: the name of its element, attribute or field, without a prefix. */
export type ReplaceNamed = (name: string, value: string) => string

/** Replaces the values in a body; a body of another kind stays as it is. */
export const replaceNamed = (body: string, replace: ReplaceNamed): string => {
  const boundary = boundaryOf(body)
  if (boundary !== undefined) return replaceFields(body, `--${boundary}`, replace)
  return /^\s*</.test(body) ? replaceInXml(body, replace) : body
}

const leafElement = /(<([^\s<>/!?]+)(?:\s[^<>]*)?>\s*)(<!\[CDATA\[[\s\S]*?\]\]>|[^<>\s][^<>]*)(?=<\/)/g
const attribute = /(\s([^\s=<>"']+)\s*=\s*["'])([^"'<]*)(?=["'])/g

const replaceInXml = (body: string, replace: ReplaceNamed): string => {
  const replaceOne = (_: string, before: string, name: string, value: string): string =>
    `${before}${replace(name.replace(/^.*:/, ''), value)}`
  return body.replace(leafElement, replaceOne).replace(attribute, replaceOne)
}

const fieldHead = /^Content-Disposition:[^\r\n]*\bname="([^"\r\n]*)"/im

/** Replaces the contents of fields. The content of a file is no field. */
const replaceFields = (body: string, boundary: string, replace: ReplaceNamed): string =>
  body
    .split(boundary)
    .map((part) => {
      const at = part.indexOf('\r\n\r\n')
      const head = part.slice(0, Math.max(at, 0))
      const name = fieldHead.exec(head)?.[1]
      if (name === undefined || /\bfilename\*?=/i.test(head)) return part
      const end = part.lastIndexOf('\r\n')
      return `${part.slice(0, at + 4)}${replace(name, part.slice(at + 4, Math.max(end, at + 4)))}${part.slice(Math.max(end, at + 4))}`
    })
    .join(boundary)
