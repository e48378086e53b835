/** Downloads small public files of senders: keys, certificates, and the page that a sender wants fetched to confirm a handshake. */

import { callServer } from '../core/calls/call-server.ts'
import type { Effects } from '../parts/effects.ts'

const timeoutMs = 5_000
/**
 * The most downloads at once. The number is small, because strangers can cause downloads of keys. At most 16 downloads fetch keys, so at
 * least 8 remain for the confirmations of verified senders.
 */
const maxDownloads = 24

/**
 * Makes the function that downloads a file and resolves to its bytes. A download follows no redirect and sends no cookie. It rejects with
 * an Error when too many downloads run already, when there is no answer, and when the answer is no success, is larger than `maxBytes`, or
 * takes longer than 5 seconds.
 */
export const createDownload = (): Effects['download'] => {
  let running = 0
  return async (url, maxBytes) => {
    if (running >= maxDownloads) throw new Error('too many downloads at once')
    running++
    try {
      const answer = await callServer(url, { headers: { 'user-agent': 'headgate' }, timeoutMs, maxAnswerBytes: maxBytes })
      if (!answer.ok) throw new Error(`HTTP ${answer.status}`)
      return answer.bytes
    } finally {
      running--
    }
  }
}
