/** Writes requests as curl lines to paste into a shell. */

import { isUtf8 } from 'node:buffer'
import { isOfConnection } from '../../core/headers.ts'
import { printable, printableLines } from '../../core/text.ts'
import type { RawRequest } from '../../journal/record.ts'
import type { ByHand, Signed } from '../../parts/schemes/scheme.ts'
import { quoted } from '../../process/quoted.ts'
import { jsonText } from '../json-text.ts'

/** Returns a line that posts the body with the given headers. A signature in the headers expires. */
export const curlLine = (url: string, headers: Signed['headers'], body: string): string => {
  const fields = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`)
  return posting(['curl -sS', quoted(url), ...fields].join(' '), Buffer.from(body))
}

/**
 * Adds the body to a line. A body that a terminal would act on, or that is not UTF-8, is written in base64. The option is `--data-raw`,
 * because `-d @name` would send a file.
 */
const posting = (curl: string, body: Buffer): string => {
  const text = isUtf8(body) ? body.toString('utf8') : undefined
  if (text !== undefined && printableLines(text) === text) return `${curl} --data-raw ${quoted(text)}`
  return `printf %s ${quoted(body.toString('base64'))} | base64 -d | ${curl} --data-binary @-`
}

const body = `'{"hello":"world"}'`

const start = (url: string, events: readonly string[]): string => {
  const event = events[0] === undefined ? '' : ` -H ${quoted(`X-GitHub-Event: ${events[0]}`)}`
  return `curl -sS ${quoted(url)} -H 'Content-Type: application/json'${event}`
}

/** Returns a line that posts without a signature. */
export const unsignedCurl = (url: string, events: readonly string[]): string => `${start(url, events)} -d ${body}`

/** Returns a line that makes a new signature each time it runs. Without `secret` the line reads the variable `SECRET`. */
export const signingCurl = (url: string, events: readonly string[], secret: string | undefined, { signed, headers }: ByHand): string => {
  const key = secret === undefined ? '"$SECRET"' : quoted(secret)
  const hmac = `$(printf %s "${signed}" | openssl dgst -sha256 -hmac ${key} | sed 's/.* //')`
  const named = Object.entries(headers).map(([name, value]) => ` -H "${name}: ${value.replaceAll('$hmac', () => hmac)}"`)
  return `b=${body}; t=$(date +%s); ${start(url, events)}${named.join('')} -d "$b"`
}

/** Returns a line that posts a recorded request again. Values that are masked in the record stay masked. */
export const curlOfRequest = ({ headers, body }: RawRequest, url: string): string => {
  const fields = Object.entries(headers).flatMap(([name, value]) =>
    isOfConnection(name) ? [] : [`-H ${quoted(printable(`${name}: ${typeof value === 'string' ? value : jsonText(value)}`, 16_384))}`],
  )
  return `${posting(['curl -sS', quoted(printable(url)), ...fields].join(' '), body)}\n`
}
