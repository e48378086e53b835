/**
 * Inflates compressed bodies (`Content-Encoding`). A signature is checked over the inflated bytes, and everything reads these, so the
 * encoding, which nobody signs, never chooses between two readings of signed bytes (decision 0262).
 */

import { type BrotliOptions, brotliDecompress, gunzip, inflate, type ZlibOptions } from 'node:zlib'
import { codeOf } from '../../core/fault.ts'
import { header } from '../../core/headers.ts'
import { overloaded, type Refused, refuse } from '../../core/outcome.ts'
import type { Headers, RequestHead } from '../../core/request.ts'
import { createClientShares } from '../../core/turns/client-shares.ts'
import { createSlots } from '../../core/turns/slots.ts'

/**
 * Inflates the body of a request to at most `maxBytes` bytes. Resolves to the bytes, or to the refusal of a body that cannot be inflated.
 * Never rejects.
 */
export type Inflate = (head: Pick<RequestHead, 'headers' | 'remote'>, body: Buffer, maxBytes: number) => Promise<Buffer | Refused>

const encodingHeader = 'content-encoding'

/** Whether a body is compressed, as its headers say. */
export const isCompressed = (headers: Headers): boolean => {
  const named = header(headers, encodingHeader)
  return named !== undefined && !/^\s*(?:identity)?\s*$/i.test(named)
}

/** Returns the head of a request whose body is inflated. `compressed`: the body as it came. */
export const inflatedHead = <Head extends Pick<RequestHead, 'headers'>>(
  head: Head,
  compressed: Buffer,
): Head & { readonly compressed: Buffer } => ({ ...head, headers: withoutEncoding(head.headers), compressed })

export const withoutEncoding = ({ [encodingHeader]: _, ...headers }: Headers): Headers => headers

/** How many bodies are inflated at once, each in a thread of Node's pool, which has four threads. Files are written there, too. */
const atOnce = 2
/** The compressed bodies that wait: in all as many bytes as one body may have at most, a quarter of them of one client. */
const limits = { maxTasks: 256, maxTasksOfOne: 64, maxBytes: 67_108_864, maxBytesOfOne: 16_777_216 }

type Inflated = { readonly buffer: Buffer; readonly engine: { readonly bytesWritten: number } }
type Inflating = (body: Buffer, options: ZlibOptions & BrotliOptions, then: (error: Error | null, inflated: Inflated) => void) => void

/** The types of Node do not know that the option `info` changes the result. */
const inflating = (inflate: typeof gunzip | typeof brotliDecompress): Inflating => inflate as unknown as Inflating

/** By the coding. `deflate` is a zlib stream (RFC 9110, 8.4.1.2). Bare deflate data is refused, because it has no checksum. */
const codings: ReadonlyMap<string, Inflating> = new Map([
  ['gzip', inflating(gunzip)],
  ['x-gzip', inflating(gunzip)],
  ['deflate', inflating(inflate)],
  ['br', inflating(brotliDecompress)],
])

/** Makes the function that inflates bodies, a few at once. When too many wait already, the request is refused, and may come again. */
export const createInflate = (): Inflate => {
  const slots = createSlots(() => atOnce, limits.maxTasks)
  const shares = createClientShares(limits)
  return async ({ headers, remote }, body, maxBytes) => {
    const named = header(headers, encodingHeader) ?? ''
    const inflateBytes = codings.get(named.trim().toLowerCase())
    if (!inflateBytes) return refuse('bad_encoding', { detail: `the Content-Encoding of its body is none of gzip, deflate and br` })
    // Some clients announce the encoding of a body that they do not have.
    if (body.length === 0) return body
    const client = remote()
    // A body may be larger than the share of its client.
    const share = Math.min(body.length, limits.maxBytesOfOne)
    if (!shares.hasRoom(client, share)) return tooMany
    const release = shares.hold(client, share)
    try {
      return (await slots.run(() => inflateAtMost(inflateBytes, body, maxBytes))) ?? tooMany
    } finally {
      release()
    }
  }
}

const tooMany = overloaded('too many compressed bodies wait to be inflated')

const inflateAtMost = (inflateBytes: Inflating, body: Buffer, maxBytes: number): Promise<Buffer | Refused> =>
  new Promise((resolve) => {
    inflateBytes(body, { info: true, maxOutputLength: maxBytes }, (error, inflated) => {
      if (error) return resolve(refusalOf(error, maxBytes))
      const rest = body.length - inflated.engine.bytesWritten
      resolve(rest === 0 ? inflated.buffer : unreadable(`${rest} bytes follow its end`))
    })
  })

const refusalOf = (error: Error, maxBytes: number): Refused =>
  codeOf(error) === 'ERR_BUFFER_TOO_LARGE'
    ? refuse('too_large', { detail: `the compressed body inflates to more than ${maxBytes} bytes (max_body_bytes)` })
    : unreadable(error.message)

const unreadable = (why: string): Refused => refuse('bad_json', { detail: `the compressed body cannot be inflated: ${why}` })
