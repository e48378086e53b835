/** Writes requests as curl lines to paste into a shell. */

import type { ByHand, Signed } from '../../parts/schemes/scheme.ts'
import { quoted } from '../../process/quoted.ts'

/** A line with these very headers. A signature in them expires. */
export const curlLine = (url: string, headers: Signed['headers'], body: string): string =>
  [
    'curl -sS',
    quoted(url),
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    `-d ${quoted(body)}`,
  ].join(' ')

const body = `'{"hello":"world"}'`

const start = (url: string, events: readonly string[]): string => {
  const event = events[0] === undefined ? '' : ` -H ${quoted(`X-GitHub-Event: ${events[0]}`)}`
  return `curl -sS ${quoted(url)} -H 'Content-Type: application/json'${event}`
}

/** A line that posts without a signature. */
export const unsignedCurl = (url: string, events: readonly string[]): string => `${start(url, events)} -d ${body}`

/** A line that makes a new signature each time it runs. Without `secret` it reads the variable `SECRET`. */
export const signingCurl = (url: string, events: readonly string[], secret: string | undefined, { signed, headers }: ByHand): string => {
  const key = secret === undefined ? '"$SECRET"' : quoted(secret)
  const hmac = `$(printf %s "${signed}" | openssl dgst -sha256 -hmac ${key} | sed 's/.* //')`
  const named = Object.entries(headers).map(([name, value]) => ` -H "${name}: ${value.replaceAll('$hmac', () => hmac)}"`)
  return `b=${body}; t=$(date +%s); ${start(url, events)}${named.join('')} -d "$b"`
}
