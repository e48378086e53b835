/** Writes requests as curl lines to paste into a shell. */

import { isUtf8 } from 'node:buffer'
import { queryText } from '../../core/address/path-and-query.ts'
import { isOfConnection } from '../../core/headers.ts'
import { printable, printableLines, quoted } from '../../core/text.ts'
import { jsonText } from '../../datadir/json-text.ts'
import type { Route } from '../../generated/config.ts'
import type { RawRequest } from '../../journal/record.ts'
import type { ByHand } from '../../parts/schemes/scheme.ts'
import type { TestPost } from './prepare-test.ts'
import { bytesOf, isInAddress, methodFor, withParameters } from './request-form.ts'

/**
 * Returns a line that posts the body with the given headers. When the headers have a signature with a time, the line works only for some
 * minutes.
 */
export const curlLine = ({ method, url, headers, ...body }: TestPost): string => {
  const fields = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`)
  return withBody([curlTo(url, method), ...fields].join(' '), bytesOf(body), method)
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

/** What decides how a request to a route looks. */
type RequestKeys = Pick<Route, 'methods' | 'body' | 'events'>

/** Examples of bodies by `body` of the route, with their content types. JSON serves a route of any other kind but multipart. */
const exampleBodies: { readonly [kind: string]: readonly [type: string, text: string] } = {
  json: ['application/json', '{"hello":"world"}'],
  form: ['application/x-www-form-urlencoded', 'hello=world'],
  xml: ['application/xml', '<hello>world</hello>'],
  text: ['text/plain', 'hello world'],
  csv: ['text/csv', 'hello\nworld'],
}

/** Returns the beginning of a line with an example request, and its body; `undefined` for a GET, which has none. */
const exampleRequest = (url: string, spec: RequestKeys): { readonly start: string; readonly body: string | undefined } => {
  const { body: kind = 'json', events: [type] = [] } = spec
  const method = methodFor(spec, undefined)
  const event = type === undefined ? '' : ` -H ${quoted(`X-GitHub-Event: ${type}`)}`
  const [contentType, text] = exampleBodies[kind] ?? (exampleBodies.json as readonly [string, string])
  if (!isInAddress(spec, method)) return { start: `${curlTo(url, method)} -H 'Content-Type: ${contentType}'${event}`, body: text }
  return { start: `${curlTo(withParameters(url, '{"hello":"world"}'), method)}${event}`, body: method === 'GET' ? undefined : '' }
}

/** Returns a line that sends an example request without a signature. */
export const unsignedCurl = (url: string, spec: RequestKeys): string => {
  const { start, body } = exampleRequest(url, spec)
  return body === undefined ? start : `${start} -d ${quoted(body)}`
}

/**
 * Returns a line that sends an example request, and makes a new signature each time it runs. Without `secret` the line reads the variable
 * `SECRET`. `signed`: the text that is signed, with `$t` and `$b` for the time and the body. In `headers`, `$hmac` stands for the
 * signature.
 */
export const signingCurl = (url: string, spec: RequestKeys, secret: string | undefined, { signed, headers }: ByHand): string => {
  const { start, body } = exampleRequest(url, spec)
  const key = secret === undefined ? '"$SECRET"' : quoted(secret)
  const hmac = `$(printf %s "${signed}" | openssl dgst -sha256 -hmac ${key} | sed 's/.* //')`
  const named = Object.entries(headers).map(([name, value]) => ` -H "${name}: ${value.replaceAll('$hmac', () => hmac)}"`)
  return `b=${quoted(body ?? '')}; t=$(date +%s); ${start}${named.join('')}${body === undefined ? '' : ' -d "$b"'}`
}

/** Returns a line that posts a recorded request again. Values that are masked in the record stay masked. */
export const curlOfRequest = ({ method, pathAndQuery = '', headers, body }: RawRequest, url: string): string => {
  const fields = Object.entries(headers).flatMap(([name, value]) =>
    isOfConnection(name) ? [] : [`-H ${quoted(printable(`${name}: ${typeof value === 'string' ? value : jsonText(value)}`, 16_384))}`],
  )
  return `${withBody([curlTo(printable(url + queryText(pathAndQuery)), method), ...fields].join(' '), body, method)}\n`
}
