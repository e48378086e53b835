/** Reads the body of an answer up to a bound. */

import { CallFailure, callFailure } from './call-failure.ts'

/** Reads `source`. `cut`: why `bytes` are only its beginning: it broke off, or it has more than `maxBytes` bytes. Never rejects. */
export const readBeginning = async (
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes: number,
): Promise<{ readonly bytes: Buffer; readonly cut?: CallFailure }> => {
  const chunks: Uint8Array[] = []
  let left = maxBytes
  try {
    for await (const chunk of source) {
      chunks.push(chunk)
      left -= chunk.byteLength
      // The throw ends the loop, and the end of the loop cancels the rest of the answer.
      if (left < 0) throw new CallFailure('large', `the answer is larger than ${maxBytes} bytes`)
    }
    return { bytes: Buffer.concat(chunks) }
  } catch (thrown) {
    return { bytes: Buffer.concat(chunks), cut: callFailure(thrown) }
  }
}

/** Reads all of `source` as UTF-8. Rejects with a CallFailure where it breaks off or has more than `maxBytes` bytes. */
export const readText = async (source: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> => {
  const { bytes, cut } = await readBeginning(source, maxBytes)
  if (cut) throw cut
  return bytes.toString('utf8')
}
