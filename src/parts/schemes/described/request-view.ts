/**
 * A view of a request, from which the functions of a compiled description read single values of head and body: to check or make a
 * signature, to answer a handshake, and to read the event of a verified request.
 */

import { queryOf } from '../../../core/address/path-and-query.ts'
import { exactOf, saysAll, type WithText } from '../../../core/exact-json.ts'
import { header } from '../../../core/headers.ts'
import type { ExactJson, Json } from '../../../core/json.ts'
import type { BodyView, RequestHead } from '../../../core/request.ts'
import { compileExactPath, compilePath } from '../../../expr/path.ts'
import { scalarText } from '../../../expr/render.ts'
import type { SchemeBodyPath } from '../../../generated/config.ts'
import { ReadOnceBody } from '../../body/request-body.ts'

/** The head of a request, and its body, payload and query as far as they are read. */
export type RequestView = {
  readonly head: RequestHead
  /** The body; an empty body while only the head has been read. */
  readonly body: BodyView
  readonly payload: () => Json | undefined
  /** The payload with its text, for values with numbers. */
  readonly source: () => WithText | undefined
  /** Returns the query of the address. It is parsed at the first call. */
  readonly query: () => URLSearchParams
}

const noBytes = Buffer.alloc(0)

/** Makes the view of a request. Without `body`, the view has an empty body. */
export const requestView = (head: RequestHead, body: BodyView = new ReadOnceBody(head.headers, noBytes)): RequestView => {
  let query: URLSearchParams | undefined
  return {
    head,
    body,
    query() {
      query ??= queryOf(head.url())
      return query
    },
    payload: () => body.payload(),
    source: () => body.source(),
  }
}

/**
 * The place of a value in a request: a header, a value of the query or a field of the body. Where several are named, the first that has a
 * value counts.
 */
export type ValueSource = {
  readonly header?: string
  readonly query?: string
  readonly body?: SchemeBodyPath
  /** The label of the value in a header of labelled parts, like `v1` in `t=1,v1=a`. */
  readonly label?: string
  /** The separator between the labelled parts of a header. */
  readonly separator?: string
}

/**
 * Reads a value of a request; `undefined` where the request has no value at the place, or several values. One text that all items of a list
 * have in common (`*` in a path) counts as one value.
 */
export type ReadValue = (request: RequestView) => string | undefined

/** Whether the value can be read from the head alone. */
export const isAtHead = ({ body }: ValueSource): boolean => body === undefined

const maxParts = 32

/** Returns the values of a label, in order: for `v1` in `t=1,v1=a,v1=b` they are `a` and `b`. */
export const labelledParts = (text: string, label: string, separator = ','): string[] =>
  text.split(separator, maxParts).flatMap((part) => {
    const trimmed = part.trim()
    return trimmed.startsWith(`${label}=`) ? [trimmed.slice(label.length + 1)] : []
  })

/**
 * Makes the function that reads a value. Of several places, the first that has a value counts: the header, then the query, then the paths
 * in the body. `textOf`: makes the text of a value of the body: as it was written, or one for all ways to write a number (`scalarKey`).
 */
export const compileSource = ({ header: name, query, body, label, separator }: ValueSource, textOf = scalarText): ReadValue => {
  const readers = [
    ...(name === undefined ? [] : [headerReader(name, label, separator)]),
    ...(query === undefined ? [] : [queryReader(query)]),
    ...(body === undefined ? [] : [body].flat().map((path) => bodyReader(path, textOf))),
  ]
  const [reader] = readers
  if (reader && readers.length === 1) return reader
  return (request) => {
    for (const read of readers) {
      const value = read(request)
      if (value !== undefined) return value
    }
    return undefined
  }
}

/**
 * Returns the only value; `undefined` where there is none, or several. Of two times or two ids nobody knows which was signed, so neither is
 * read.
 */
const onlyValue = (values: readonly string[]): string | undefined => (values.length === 1 ? values[0] : undefined)

const headerReader = (name: string, label: string | undefined, separator: string | undefined): ReadValue => {
  const lower = name.toLowerCase()
  if (label === undefined) return ({ head }) => header(head.headers, lower)
  return ({ head }) => onlyValue(labelledParts(header(head.headers, lower) ?? '', label, separator))
}

const queryReader =
  (name: string): ReadValue =>
  (request) =>
    onlyValue(request.query().getAll(name))

/**
 * Makes the function that reads a path in the body. A path like `value.*.x` reads the text that all items of the list have in common;
 * `undefined` where the items have different texts.
 */
const bodyReader = (path: string, textOf: typeof scalarText): ReadValue => {
  const [, list, item] = /^(?:(.*)\.)?\*\.(.+)$/.exec(path) ?? []
  if (item === undefined) {
    const read = compileExactPath(path)
    return (request) => {
      const from = request.source()
      return from && textOf(read(from))
    }
  }
  const get = compilePath(item)
  const listIn = list === undefined ? (payload: ExactJson) => payload : compilePath(list)
  const valuesIn = (payload: ExactJson): readonly (ExactJson | undefined)[] => {
    const items = listIn(payload)
    return Array.isArray(items) ? items.map(get) : []
  }
  const key = {}
  const ofAll = (request: RequestView): string | undefined => {
    const from = request.source()
    const values = from ? valuesIn(from.payload) : []
    const texts = new Set((from && !values.every(saysAll) ? valuesIn(exactOf(from)) : values).map(textOf))
    return texts.size === 1 ? [...texts][0] : undefined
  }
  // The text is read once for all secrets of the route, because the list may be long.
  return (request) => request.body.once(key, () => ofAll(request))
}

export const sourceName = ({ header: name, query, body, label }: ValueSource): string =>
  name !== undefined
    ? `${label === undefined ? '' : `${label} of `}${name.toLowerCase()}`
    : query !== undefined
      ? `${query} of the address`
      : `${[body ?? 'it'].flat().join(' or ')} of the body`
