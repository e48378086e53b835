/** A `fetch` whose answers have a bound, and which follows no redirect. */

const maxAnswerBytes = 1024 * 1024

/** Rejects where the answer is larger than 1 MiB. */
export const boundedFetch = async (url: string, options: object): Promise<Response> => {
  const { body, status, headers } = await fetch(url, { ...options, redirect: 'manual' })
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > maxAnswerBytes) throw new Error(`the answer is larger than ${maxAnswerBytes} bytes`)
    chunks.push(chunk)
  }
  return new Response(body === null ? null : Buffer.concat(chunks), { status, headers })
}
