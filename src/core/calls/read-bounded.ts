/** Reads the body of an answer up to a bound. */

import { CallFailure, callFailure } from './call-failure.ts'

export const tooLargeAnswer = (maxBytes: number): CallFailure => new CallFailure('large', `the answer is larger than ${maxBytes} bytes`)

type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/** Yields the chunks of `source`. Throws a CallFailure after the chunk with which they have more than `maxBytes` bytes together. */
export async function* atMost(source: Chunks, maxBytes: number): AsyncGenerator<Uint8Array, void> {
  let left = maxBytes
  for await (const chunk of source) {
    yield chunk
    left -= chunk.byteLength
    // An error that leaves the loop closes the source, so that no more of the answer is read.
    if (left < 0) throw tooLargeAnswer(maxBytes)
  }
}

/** Reads `source`. `cut`: why `bytes` are only its beginning: it broke off, or it has more than `maxBytes` bytes. Never rejects. */
export const readBeginning = async (source: Chunks, maxBytes: number): Promise<{ readonly bytes: Buffer; readonly cut?: CallFailure }> => {
  const chunks: Uint8Array[] = []
  try {
    for await (const chunk of atMost(source, maxBytes)) chunks.push(chunk)
    return { bytes: Buffer.concat(chunks) }
  } catch (thrown) {
    return { bytes: Buffer.concat(chunks), cut: callFailure(thrown) }
  }
}

/** Reads all of `source`. Rejects with a CallFailure where it breaks off or has more than `maxBytes` bytes. */
export const readBytes = async (source: Chunks, maxBytes: number): Promise<Buffer> => {
  const { bytes, cut } = await readBeginning(source, maxBytes)
  if (cut) throw cut
  return bytes
}

/** Reads `source` as UTF-8, as `readBytes` does. */
export const readText = async (source: Chunks, maxBytes: number): Promise<string> => (await readBytes(source, maxBytes)).toString('utf8')
