/** Downloads small public files of senders: keys, certificates, the confirmation of a subscription. */

import type { Effects } from '../../parts/effects.ts'

const timeoutMs = 5_000
/**
 * The most downloads at once. Few, because strangers can cause some. At most 16 of them fetch keys, so that the confirmations of verified
 * senders have room.
 */
const maxAtOnce = 24

/** Makes the download. It follows no redirect, sends no cookie, and reads no more bytes than it is asked to. */
export const createDownload = (): Effects['download'] => {
  let running = 0
  return async (url, maxBytes) => {
    if (running >= maxAtOnce) throw new Error('too many downloads at once')
    running++
    try {
      const answer = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(timeoutMs), headers: { 'user-agent': 'headgate' } })
      if (!answer.ok) throw new Error(`HTTP ${answer.status}`)
      return await readAll(answer, maxBytes)
    } catch (error) {
      throw error instanceof Error && error.name === 'TimeoutError' ? new Error(`no answer within ${timeoutMs / 1000} seconds`) : error
    } finally {
      running--
    }
  }
}

const readAll = async ({ body }: Response, maxBytes: number): Promise<Buffer> => {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength
    // Leaving the loop cancels the answer.
    if (bytes > maxBytes) throw new Error(`the answer is larger than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
