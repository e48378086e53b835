/**
 * Asks a search provider. Only the operator's settings say where the provider is, so it may be on this machine. No redirect is followed, so
 * that the key goes nowhere else. Time and size are limited, and errors quote neither key nor answer.
 */

import { callServer } from '../../../core/calls/call-server.ts'
import type { Clock } from '../../../core/clock.ts'
import { type JsonObject, parseObject } from '../../../core/json.ts'
import type { SearchRequest } from './search-providers.ts'
import { WebProblem, webProblem } from './web-problem.ts'

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
  const call = {
    ...(json ? { method: 'POST', body: JSON.stringify(json) } : {}),
    headers: { 'user-agent': 'headgate', accept: 'application/json', ...headers, ...(json ? { 'content-type': 'application/json' } : {}) },
    timeoutMs,
    clock,
    signal,
    maxAnswerBytes,
  }
  const { status, bytes } = await callServer(url, call).catch((thrown) => {
    signal.throwIfAborted()
    const late = `The search provider took longer than ${timeoutMs / 1000} seconds.`
    throw webProblem(thrown, { late, large: 'The answer of the search provider is too large.' })
  })
  if (status !== 200) throw new WebProblem(meaning[status] ?? refusalSentence(status))
  const answer = parseObject(bytes.toString())
  if (!answer) throw new WebProblem('The search provider gave an answer that is not JSON.')
  return answer
}

/** Says for the model what a status other than 200 means. */
const refusalSentence = (status: number): string => {
  if (status === 429) return 'The search provider lets no more searches pass now. Go on without.'
  if (status === 401 || status === 403 || status === 402) return `The search provider refuses our key (HTTP ${status}). Go on without.`
  if (status >= 300 && status < 400) return `The search provider redirects (HTTP ${status}), which is not followed.`
  return `The search provider answered HTTP ${status}.`
}
