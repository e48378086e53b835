/**
 * Splits a dotted path into its parts, and writes parts as a path. A part in single quotes is one key, whatever dots it has, with each quote in
 * it doubled: `labels.'app.kubernetes.io/name'` (rules: Filters 20).
 */

/** A part in quotes, up to the next dot or the end. Quotes that do not stand around a whole part belong to the key. */
const quotedPart = /(?<=^|\.)'((?:[^']|'')*)'(?=\.|$)/y

/** Returns the keys of a path, and the numbers of items, from the outside in. */
export const partsOf = (path: string): readonly string[] => {
  if (!path.includes("'")) return path.split('.')
  const parts: string[] = []
  for (let at = 0; at <= path.length; at++) {
    quotedPart.lastIndex = at
    const quoted = quotedPart.exec(path)
    const dot = path.indexOf('.', at)
    const end = quoted ? quotedPart.lastIndex : dot < 0 ? path.length : dot
    parts.push(quoted ? (quoted[1] as string).replaceAll("''", "'") : path.slice(at, end))
    at = end
  }
  return parts
}

/** Returns a path that leads to these keys. */
export const pathOfParts = (parts: readonly (string | number)[]): string =>
  parts.map((part) => (/^'|\.|^$/.test(String(part)) ? `'${String(part).replaceAll("'", "''")}'` : String(part))).join('.')

/** Returns the path of a key in a map, or of an item in a list, whose own path is `above`; empty for the payload. */
export const pathBelow = (above: string, key: string | number): string =>
  above === '' ? pathOfParts([key]) : `${above}.${pathOfParts([key])}`
