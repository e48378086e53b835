/** Reads the body of an answer up to a bound. */

/** Reads `source`. Rejects when it has more than `maxBytes` bytes, and with the error of the source when it fails. */
export const readBytes = async (source: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> => {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of source) {
    bytes += chunk.byteLength
    // The throw ends the loop, and the end of the loop cancels the rest of the answer.
    if (bytes > maxBytes) throw new Error(`the answer is larger than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Reads `source` as UTF-8, as `readBytes` does. */
export const readText = async (source: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> =>
  (await readBytes(source, maxBytes)).toString('utf8')
