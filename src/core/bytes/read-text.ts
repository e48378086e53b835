/** Reads the text of an answer of the gateway, for its clients, up to a bound. */

/** Reads `source` as UTF-8. Rejects when it has more than `maxBytes` bytes, and with the error of the source when it fails. */
export const readText = async (source: AsyncIterable<Buffer>, maxBytes: number): Promise<string> => {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of source) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new Error('the answer is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
