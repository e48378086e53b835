/**
 * Reads and unpacks the body of an answer. The limit is for the packed and for the unpacked bytes, because a small body can unpack to a
 * huge one, and a huge body can unpack to nothing.
 */

import type { IncomingMessage } from 'node:http'
import { PassThrough, type Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip } from 'node:zlib'
import { WebProblem } from './web-problem.ts'

const unpackers: ReadonlyMap<string, () => Transform> = new Map([
  ['', () => new PassThrough()],
  ['identity', () => new PassThrough()],
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['br', createBrotliDecompress],
])

/**
 * Resolves to the unpacked body. Rejects with a WebProblem when the body is larger than `maxBytes`, packed or unpacked, or is packed in an
 * unknown way; else with the error of the connection, of the unpacking or of `signal`.
 */
export const readAnswerBody = async (answer: IncomingMessage, maxBytes: number, signal: AbortSignal): Promise<Buffer> => {
  const unpacker = unpackers.get((answer.headers['content-encoding'] ?? '').trim().toLowerCase())
  if (unpacker === undefined) throw new WebProblem('The site packs its answer in a way that is not unpacked here.')
  if (Number(answer.headers['content-length']) > maxBytes) throw tooLarge(maxBytes)
  return await pipeline(answer, atMost(maxBytes), unpacker(), atMost(maxBytes), readWhole, { signal })
}

const tooLarge = (maxBytes: number): WebProblem => new WebProblem(`What is there is larger than the limit of ${maxBytes} bytes.`)

/** Passes chunks on, and throws when they are more than `maxBytes` together. */
const atMost = (maxBytes: number) =>
  async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let left = maxBytes
    for await (const chunk of chunks) {
      left -= chunk.byteLength
      if (left < 0) throw tooLarge(maxBytes)
      yield chunk
    }
  }

const readWhole = async (chunks: AsyncIterable<Buffer>): Promise<Buffer> => {
  const all: Buffer[] = []
  for await (const chunk of chunks) all.push(chunk)
  return Buffer.concat(all)
}
