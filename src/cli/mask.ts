/** Takes secrets out of what is shown: the values of keys that name one. */

import { createHash } from 'node:crypto'
import { isObject, type Json } from '../core/json.ts'

const words =
  'secret|token|passw|passphrase|credential|authorization|cookie|headers|service_account|webhook_url|(?:api|private|account|access)[_-]?key|[_-]key'
const secretWord = new RegExp(words, 'i')
/** The end of a key that names a secret, with its colon. */
const secretKey = new RegExp(`(?:${words})[\\w.-]{0,64}["']?\\s{0,16}:`, 'i')

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

/** A line of a map: under a key like `my-token-route:` stand settings, not a secret; under `headers:` each may be one. */
const mapLine = /^\s*["']?[\w.-]+["']?\s*:(\s|$)/

type Block = { readonly indent: number; readonly mayBeMap: boolean }

/** What stands before the host of an address: a user name, and a password. */
const login = /(\/\/)[^\s/?#"']+@/g

/** The lines of a YAML or JSON file with the values of such keys masked, nested and many-line ones included; works on broken files too. */
export const maskLines = (text: string): string[] => {
  let block: Block | undefined
  return text.split(/\r?\n/).map((line) => {
    const indent = line.search(/\S/)
    if (indent < 0) return line
    if (block && isInside(block, line, indent)) {
      block = { ...block, mayBeMap: false }
      return `${' '.repeat(indent)}${stars}`
    }
    const found = secretKey.exec(line)
    block = undefined
    if (!found) return line.replace(login, `$1${stars}@`)
    const end = found.index + found[0].length
    const bare = line.slice(end).trim() === ''
    block = { indent, mayBeMap: bare && !/headers/i.test(found[0]) }
    return bare ? line : `${line.slice(0, end).replace(login, `$1${stars}@`)} ${stars}`
  })
}

const isInside = (block: Block, line: string, indent: number): boolean => {
  if (block.mayBeMap && mapLine.test(line)) return false
  return indent > block.indent || (indent === block.indent && /^\s*[-\]}]/.test(line))
}
