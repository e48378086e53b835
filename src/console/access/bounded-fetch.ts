/** A `fetch` that bounds the size of answers and follows no redirect. */

import { readBytes } from '../../core/calls/read-bounded.ts'

const maxAnswerBytes = 1024 * 1024

/** Fetches as `fetch` does. Rejects also where the body of the answer is larger than 1 MiB. */
export const boundedFetch = async (url: string, options: object): Promise<Response> => {
  const { body, status, headers } = await fetch(url, { ...options, redirect: 'manual' })
  return new Response(body === null ? null : await readBytes(body, maxAnswerBytes), { status, headers })
}
