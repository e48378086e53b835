/**
 * Says in which form a test request carries its payload: with which method, in its body or in its address, as which content type, and
 * compressed or not.
 */

import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { exactJson } from '../../core/exact-json.ts'
import { usage } from '../../core/fault.ts'
import { type ExactJson, isJson, isObject } from '../../core/json.ts'
import { renderJson } from '../../expr/render.ts'
import type { Route } from '../../generated/config.ts'

type RequestKeys = Pick<Route, 'methods' | 'body'>

/** Returns the method that is asked for; else POST where the route takes it, and the route's first method where it does not. */
export const methodFor = ({ methods = ['POST'] }: RequestKeys, asked: string | undefined): string =>
  asked ?? (methods.includes('POST') ? 'POST' : (methods[0] as string))

/** Whether the route reads the payload of a request with this method from its address. */
export const isInAddress = ({ body }: RequestKeys, method: string): boolean => body === 'none' || method === 'GET'

/** The content type of a payload that has none of its own; `undefined` for a request without a body. */
export const typeOfContent = ({ body = 'auto' }: RequestKeys, isBodiless: boolean): string | undefined =>
  isBodiless ? undefined : (ownTypes[body] ?? 'application/json')

const ownTypes: { readonly [kind: string]: string } = { text: 'text/plain', csv: 'text/csv', ndjson: 'application/x-ndjson' }

/** Returns an address with the members of a payload as parameters. Throws a usage Fault for a payload that parameters cannot carry. */
export const withParameters = (url: string, payload: string): string => {
  if (payload.trim() === '') return url
  const members = isJson(payload) ? exactJson(payload) : undefined
  if (!isObject(members)) throw notFlat()
  const changed = new URL(url)
  for (const [name, value] of Object.entries(members as { readonly [name: string]: ExactJson })) {
    changed.searchParams.delete(name)
    for (const each of Array.isArray(value) ? (value as readonly ExactJson[]) : [value]) changed.searchParams.append(name, textOf(each))
  }
  return changed.href
}

const textOf = (value: ExactJson): string => {
  if (typeof value === 'string') return value
  if (Array.isArray(value) || isObject(value as never)) throw notFlat()
  return renderJson(value, Number.POSITIVE_INFINITY, 0)
}

const notFlat = () =>
  usage(
    'the route reads the parameters of its address: the payload must be a map of texts, numbers and lists of them',
    'for example --payload \'{"name":"Ada"}\'',
  )

const compressions = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync } as const
export type Encoding = keyof typeof compressions

/** Returns the bytes of a body as they are sent. The signature of a compressed body is that of the text. */
export const bytesOf = ({ body, encoding }: { readonly body: string; readonly encoding?: Encoding | undefined }): Buffer => {
  const bytes = Buffer.from(body)
  return encoding === undefined ? bytes : compressions[encoding](bytes)
}
