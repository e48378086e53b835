/** The `fetch` that the SDK calls the APIs of models with. */

import { writeCarriedNumbers } from '../../../core/carried-numbers.ts'

const maxAnswerBytes = 8 * 1024 * 1024

/**
 * Writes the numbers that were carried through the SDK. Follows no redirect, because a redirect could send the key elsewhere. An answer of more than 8 MiB breaks off with an error.
 */
export const modelFetch: typeof fetch = async (input, init) => {
  const body = typeof init?.body === 'string' ? { body: writeCarriedNumbers(init.body) } : {}
  const answer = await fetch(input, { ...init, ...body, redirect: 'manual' })
  let left = maxAnswerBytes
  const bound = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, out) {
      left -= chunk.byteLength
      if (left < 0) out.error(new Error('the answer is too large'))
      else out.enqueue(chunk)
    },
  })
  return new Response(answer.body?.pipeThrough(bound) ?? null, { status: answer.status, headers: answer.headers })
}
