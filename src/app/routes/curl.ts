/** Writes requests as curl lines to paste into a shell. */

import { insecure } from '../../config/config.ts'
import type { Signed } from '../../parts/schemes/scheme.ts'

/** Quotes a word for a POSIX shell. */
export const quoted = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)

/** A line with these very headers. A signature in them expires. */
export const curlLine = (url: string, headers: Signed['headers'], body: string): string =>
  [
    'curl -sS',
    quoted(url),
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    `-d ${quoted(body)}`,
  ].join(' ')

/** A line that makes a new signature (generic V2) each time it runs. Without `secret` it reads the variable `SECRET`. */
export const signingCurl = (url: string, secret: string | undefined, events: readonly string[]): string => {
  const json = `-H 'Content-Type: application/json'${events[0] === undefined ? '' : ` -H ${quoted(`X-GitHub-Event: ${events[0]}`)}`}`
  const body = `'{"hello":"world"}'`
  if (secret === insecure) return `curl -sS ${quoted(url)} ${json} -d ${body}`
  const key = secret === undefined ? '"$SECRET"' : quoted(secret)
  const signature = `$(printf %s "$t.$b" | openssl dgst -sha256 -hmac ${key} | sed 's/.* //')`
  return `b=${body}; t=$(date +%s); curl -sS ${quoted(url)} ${json} -H "X-Webhook-Timestamp: $t" -H "X-Webhook-Signature-V2: ${signature}" -d "$b"`
}
