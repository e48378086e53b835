/**
 * Asks a search provider. Only the operator's settings say where the provider is, so it may be on this machine. No redirect is followed, so
 * that the key goes nowhere else. Time and size are limited, and errors quote neither key nor answer.
 */

import type { Clock } from '../../../core/clock.ts'
import { type JsonObject, parseObject } from '../../../core/json.ts'
import type { SearchRequest } from './search-providers.ts'
import { connectionProblem, WebProblem } from './web-problem.ts'

const maxAnswerBytes = 1_048_576

/**
 * Resolves to the answer as a JSON object. Rejects with a WebProblem, or with the reason of `signal`. `meaning`: the message of the WebProblem
 * for some statuses.
 */
export const askProvider = async (
  { url, headers, json }: SearchRequest,
  timeoutMs: number,
  clock: Clock,
  signal: AbortSignal,
  meaning: { readonly [status: number]: string | undefined } = {},
): Promise<JsonObject> => {
  const late = new AbortController()
  const cancel = clock.after(timeoutMs, () => late.abort())
  try {
    const allHeaders = { 'user-agent': 'headgate', accept: 'application/json', ...headers }
    const init = { redirect: 'manual', signal: AbortSignal.any([signal, late.signal]) } as const
    const asked = json
      ? { ...init, method: 'POST', headers: { ...allHeaders, 'content-type': 'application/json' }, body: JSON.stringify(json) }
      : { ...init, headers: allHeaders }
    const response = await fetch(url, asked)
    if (response.status !== 200) {
      await response.body?.cancel()
      throw new WebProblem(meaning[response.status] ?? refusalSentence(response.status))
    }
    const answer = parseObject(await readAnswerText(response))
    if (!answer) throw new WebProblem('The search provider gave an answer that is not JSON.')
    return answer
  } catch (thrown) {
    signal.throwIfAborted()
    if (late.signal.aborted) throw new WebProblem(`The search provider took longer than ${timeoutMs / 1000} seconds.`)
    throw thrown instanceof WebProblem ? thrown : new WebProblem(connectionProblem(thrown))
  } finally {
    cancel()
  }
}

/** Says for the model what a status other than 200 means. */
const refusalSentence = (status: number): string => {
  if (status === 429) return 'The search provider lets no more searches pass now. Go on without.'
  if (status === 401 || status === 403 || status === 402) return `The search provider refuses our key (HTTP ${status}). Go on without.`
  if (status >= 300 && status < 400) return `The search provider redirects (HTTP ${status}), which is not followed.`
  return `The search provider answered HTTP ${status}.`
}

const readAnswerText = async ({ body }: Response): Promise<string> => {
  const chunks: Uint8Array[] = []
  let left = maxAnswerBytes
  for await (const chunk of body ?? []) {
    left -= chunk.byteLength
    if (left < 0) throw new WebProblem('The answer of the search provider is too large.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
