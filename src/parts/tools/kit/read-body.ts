/**
 * Reads and unpacks the body of an answer. The limit is for the packed and for the unpacked bytes, because a small body can unpack to a
 * huge one, and a huge body can unpack to nothing.
 */

import type { IncomingMessage } from 'node:http'
import { PassThrough, type Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip } from 'node:zlib'
import { atMost, readBytes, tooLargeAnswer } from '../../../core/calls/read-bounded.ts'
import { WebProblem } from './web-problem.ts'

const unpackers: ReadonlyMap<string, () => Transform> = new Map([
  ['', () => new PassThrough()],
  ['identity', () => new PassThrough()],
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['br', createBrotliDecompress],
])

/**
 * Resolves to the unpacked body. Rejects with a CallFailure when the body is larger than `maxBytes`, packed or unpacked, with a WebProblem
 * when it is packed in an unknown way; else with the error of the connection, of the unpacking or of `signal`.
 */
export const readAnswerBody = async (answer: IncomingMessage, maxBytes: number, signal: AbortSignal): Promise<Buffer> => {
  const unpacker = unpackers.get((answer.headers['content-encoding'] ?? '').trim().toLowerCase())
  if (unpacker === undefined) throw new WebProblem('The site packs its answer in a way that is not unpacked here.')
  if (Number(answer.headers['content-length']) > maxBytes) throw tooLargeAnswer(maxBytes)
  const packed = (chunks: AsyncIterable<Uint8Array>) => atMost(chunks, maxBytes)
  return await pipeline(answer, packed, unpacker(), (chunks: AsyncIterable<Uint8Array>) => readBytes(chunks, maxBytes), { signal })
}
