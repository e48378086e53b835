/** Takes secrets out of what is shown: the values of keys that name one. */

import { createHash } from 'node:crypto'
import { isObject, type Json } from '../core/json.ts'

const secretWord =
  /secret|token|passw|passphrase|credential|authorization|cookie|api[_-]?key|private[_-]?key|account[_-]?key|access[_-]?key|[_-]key$/i
/** A key that names a secret, its quotes and what is before it, up to and with the colon. */
const secretKey =
  /^(?<before>.*?)(?<key>["']?[\w.-]*(?:secret|token|passw|passphrase|credential|authorization|cookie|api[_-]?key|private[_-]?key|account[_-]?key|access[_-]?key|_key)[\w.-]*["']?\s*:)(?<rest>.*)$/i

const stars = '***'

/** First 8 hex digits of the SHA-256: enough to see whether two secrets are the same one. */
export const fingerprint = (secret: string): string => createHash('sha256').update(secret).digest('hex').slice(0, 8)

/** A copy with the values of all keys that name a secret masked. */
export const maskJson = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(maskJson)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, secretWord.test(key) ? maskAll(item) : maskJson(item)]))
}

const maskAll = (value: Json): Json => {
  if (typeof value === 'string') return value === '' ? '' : `${stars} (${fingerprint(value)})`
  if (Array.isArray(value)) return value.map(maskAll)
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, maskAll(item)]))
  return stars
}

/** The lines of a YAML or JSON file with the values of such keys masked, nested and many-line ones included; works on broken files too. */
export const maskLines = (text: string): string[] => {
  let block: number | undefined
  return text.split(/\r?\n/).map((line) => {
    const indent = line.search(/[^\s]/)
    const goesOn = indent < 0 || (block !== undefined && (indent > block || (indent === block && /^\s*[-\]}]/.test(line))))
    if (block !== undefined && goesOn) return indent < 0 ? line : `${' '.repeat(indent)}${stars}`
    block = undefined
    const found = secretKey.exec(line)?.groups
    if (!found) return line
    block = indent
    return found.rest?.trim() ? `${found.before}${found.key} ${stars}` : line
  })
}
