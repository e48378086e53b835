/** Writes requests as curl lines to paste into a shell. */

import { isUtf8 } from 'node:buffer'
import { queryText } from '../../core/address/path-and-query.ts'
import { isOfConnection } from '../../core/headers.ts'
import { printable, printableLines, quoted } from '../../core/text.ts'
import { jsonText } from '../../datadir/json-text.ts'
import type { RawRequest } from '../../journal/record.ts'
import type { ByHand } from '../../parts/schemes/scheme.ts'
import type { TestPost } from './prepare-test.ts'

/**
 * Returns a line that posts the body with the given headers. When the headers have a signature with a time, the line works only for some
 * minutes.
 */
export const curlLine = ({ method, url, headers, body }: TestPost): string => {
  const fields = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`)
  return withBody([curlTo(url, method), ...fields].join(' '), Buffer.from(body), method)
}

/** Returns the beginning of a curl line. Without `-g`, curl posts once for each alternative of `{a,b}` and `[1-8]` in an address. */
const curlTo = (url: string, method = 'POST'): string =>
  `curl ${/[[\]{}]/.test(url) ? '-gsS' : '-sS'}${method === 'POST' || method === 'GET' ? '' : ` -X ${quoted(method)}`} ${quoted(url)}`

/**
 * Adds the body to a curl line. A text is written with `--data-raw`, because `-d` would send a file in place of a body that begins with
 * `@`. A GET has no body, and curl makes a POST of what has one. A body that a terminal would act on, or that is not UTF-8, is written in base64 and piped into curl.
 */
const withBody = (curl: string, body: Buffer, method = 'POST'): string => {
  if (method === 'GET') return curl
  const text = isUtf8(body) ? body.toString('utf8') : undefined
  if (text !== undefined && printableLines(text) === text) return `${curl} --data-raw ${quoted(text)}`
  return `printf %s ${quoted(body.toString('base64'))} | base64 -d | ${curl} --data-binary @-`
}

const exampleBody = `'{"hello":"world"}'`

/** Returns the beginning of a line that posts JSON. `events`: the event types of the route; the line names the first of them. */
const curlStart = (url: string, events: readonly string[]): string => {
  const event = events[0] === undefined ? '' : ` -H ${quoted(`X-GitHub-Event: ${events[0]}`)}`
  return `${curlTo(url)} -H 'Content-Type: application/json'${event}`
}

/** Returns a line that posts an example body without a signature. */
export const unsignedCurl = (url: string, events: readonly string[]): string => `${curlStart(url, events)} -d ${exampleBody}`

/**
 * Returns a line that posts an example body, and makes a new signature each time it runs. Without `secret` the line reads the variable
 * `SECRET`. `signed`: the text that is signed, with `$t` and `$b` for the time and the body. In `headers`, `$hmac` stands for the
 * signature.
 */
export const signingCurl = (url: string, events: readonly string[], secret: string | undefined, { signed, headers }: ByHand): string => {
  const key = secret === undefined ? '"$SECRET"' : quoted(secret)
  const hmac = `$(printf %s "${signed}" | openssl dgst -sha256 -hmac ${key} | sed 's/.* //')`
  const named = Object.entries(headers).map(([name, value]) => ` -H "${name}: ${value.replaceAll('$hmac', () => hmac)}"`)
  return `b=${exampleBody}; t=$(date +%s); ${curlStart(url, events)}${named.join('')} -d "$b"`
}

/** Returns a line that posts a recorded request again. Values that are masked in the record stay masked. */
export const curlOfRequest = ({ method, pathAndQuery = '', headers, body }: RawRequest, url: string): string => {
  const fields = Object.entries(headers).flatMap(([name, value]) =>
    isOfConnection(name) ? [] : [`-H ${quoted(printable(`${name}: ${typeof value === 'string' ? value : jsonText(value)}`, 16_384))}`],
  )
  return `${withBody([curlTo(printable(url + queryText(pathAndQuery)), method), ...fields].join(' '), body, method)}\n`
}
