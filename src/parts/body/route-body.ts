/**
 * Reads the body of a request as its route says (`body`), where the bytes alone do not. The configuration decides between the readings of
 * the same bytes, never a header, because nobody signs the headers (decisions 0100 and 0262).
 */

import { mapOfNamed, maxQueryParts } from '../../core/address/path-and-query.ts'
import type { Json } from '../../core/json.ts'
import type { BodyContent, RequestBody, VerifiedRequest } from '../../core/request.ts'
import type { Route } from '../../generated/config.ts'
import { tooManyContainers } from './count-containers.ts'
import { decodeUtf8 } from './decode-utf8.ts'
import { bodyKind } from './payload.ts'
import { readCsv } from './read-csv.ts'

/** Reads the content of a request. `pathAndQuery`: those of its address. */
export type ReadRequest = (request: VerifiedRequest, body: RequestBody, pathAndQuery: string) => BodyContent

type BodyKeys = Pick<Route, 'body' | 'methods'>

/** Whether every request of the route, or some of them, have their payload in the address. */
export const mayReadQuery = ({ body, methods = [] }: BodyKeys): boolean =>
  body === 'none' || methods.some((method) => method === 'GET' || method === 'DELETE')

/** Whether the payload of the route's bodies is not what their bytes show, so that no other route reads them as this one does. */
export const readsOwnKind = ({ body = 'auto' }: BodyKeys): boolean => Object.hasOwn(textReaders, body)

/**
 * Compiles how a route reads its requests; `undefined` where it reads them by their bytes, as routes do that say nothing. `hidden`: the
 * parameters of the address with the secrets of the senders.
 */
export const compileReading = (keys: BodyKeys, hidden: readonly string[]): ReadRequest | undefined => {
  const { body = 'auto', methods } = keys
  if (body === 'auto' && !methods) return undefined
  const names = new Set(hidden)
  const readBody = compileBody(body)
  return (request, read, pathAndQuery) => {
    const { method } = request
    const isInQuery = body === 'none' || method === 'GET' || (method === 'DELETE' && request.body.length === 0)
    return isInQuery ? queryContent(pathAndQuery, names) : readBody(request, read)
  }
}

const compileBody = (kind: NonNullable<Route['body']>): ((request: VerifiedRequest, body: RequestBody) => BodyContent) => {
  const readText = textReaders[kind as keyof typeof textReaders]
  if (readText) {
    return ({ body }) => {
      const text = decodeUtf8(body)
      return text === undefined ? unread('no UTF-8') : readText(text)
    }
  }
  if (kind === 'auto') return (_, read) => read.content()
  return ({ headers, body }, read) => {
    const found = bodyKind(headers, body)
    return found === kind ? read.content() : unread(`the route takes ${kind} alone (body), and this is ${found}, or nothing`)
  }
}

const unread = (detail: string): BodyContent => ({ kind: 'unread', why: 'not JSON', detail })
const tooMany = (what: string): BodyContent => ({ kind: 'unread', why: 'too many', detail: `more than ${what}` })

const contentOf = (payload: Json, text = JSON.stringify(payload)): BodyContent => ({ kind: 'json', text, payload })

/** The most rows of CSV and lines of JSON: as many lists and maps as a body of JSON may have, less the list that holds them. */
const maxRows = 99_999
/** The most columns of CSV: as many as a form may have fields. */
const maxColumns = 1_000

const readCsvText = (text: string): BodyContent => {
  const read = readCsv(text, maxRows + 1)
  if (read === 'too many') return tooMany(`${maxRows} rows`)
  if ('why' in read) return unread(`CSV: ${read.why}`)
  const [header, ...rows] = read.rows
  if (!header) return contentOf([])
  const names = header.fields
  if (names.length > maxColumns) return tooMany(`${maxColumns} columns`)
  if (names.includes('') || new Set(names).size < names.length)
    return unread('CSV: line 1: each column needs a name, which no other column has')
  const odd = rows.find(({ fields }) => fields.length !== names.length)
  if (odd) return unread(`CSV: line ${odd.line} has ${odd.fields.length} fields, and line 1 has ${names.length}`)
  return contentOf(rows.map(({ fields }) => Object.fromEntries(names.map((name, i): [string, Json] => [name, fields[i] as string]))))
}

const readJsonLines = (text: string): BodyContent => {
  const lines = text.split('\n').map((line) => line.trim())
  const values: string[] = []
  for (const [i, line] of lines.entries()) {
    if (line === '') continue
    try {
      JSON.parse(line)
    } catch {
      return unread(`no JSON on line ${i + 1}`)
    }
    values.push(line)
  }
  const whole = `[${values.join(',')}]`
  if (values.length > maxRows || tooManyContainers(whole)) return tooMany('100,000 lists and maps')
  return contentOf(JSON.parse(whole) as Json, whole)
}

const textReaders = {
  text: (text: string): BodyContent => contentOf({ text }),
  csv: readCsvText,
  ndjson: readJsonLines,
} satisfies { readonly [kind in NonNullable<Route['body']>]?: (text: string) => BodyContent }

/**
 * Returns the parameters as a map of texts: a repeated name has the list of its values. `hidden`: names that are left out, because their
 * values are secrets. An address with 64 parameters or more has too many: where its secrets were masked, the ones past the 64th are gone,
 * and what is read is never a part of what was sent.
 */
const queryContent = (pathAndQuery: string, hidden: ReadonlySet<string>): BodyContent => {
  const query = /^[^?#]*\?([^#]*)/.exec(pathAndQuery)?.[1] ?? ''
  if (query.split('&', maxQueryParts).length === maxQueryParts)
    return { kind: 'unread', why: 'too many', detail: `more than ${maxQueryParts - 1} parameters in the address` }
  const payload = mapOfNamed([...new URLSearchParams(query)].filter(([name]) => !hidden.has(name)))
  return { kind: 'json', text: JSON.stringify(payload), payload }
}
