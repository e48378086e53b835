/** Says why a model gave no answer, in words that quote neither the key nor the prompt. */

import { AgentFault } from '../../../core/fault.ts'
import { isObject, own } from '../../../core/json.ts'
import { parseRetryAfter } from '../../retry-after.ts'

/** The fault for whatever the SDK threw. */
export const modelFault = (thrown: unknown, signal: AbortSignal): AgentFault =>
  thrown instanceof AgentFault ? thrown : new AgentFault(describe(thrown, signal), { retryAfterMs: askedWait(thrown) })

// The SDK's errors hold the request and the answer, which may quote the prompt or the key. So only codes are taken from an error.
const describe = (thrown: unknown, signal: AbortSignal): string => {
  if (signal.aborted) return signal.reason?.name === 'TimeoutError' ? 'the model took too long' : 'the run was stopped'
  if (!(thrown instanceof Error)) return 'the model call failed'
  const status = 'statusCode' in thrown ? thrown.statusCode : undefined
  if (typeof status !== 'number') return `no answer from the model's API (${netCode(thrown) ?? thrown.name})`
  if (status < 300) return "the model's API gave an answer that cannot be read"
  const help = status === 401 || status === 403 ? ': check agent.api_key' : ''
  return `the model's API answered HTTP ${status}${apiCode(thrown)}${help}`
}

const askedWait = (thrown: unknown): number | undefined => {
  const headers = thrown instanceof Error && 'responseHeaders' in thrown && isObject(thrown.responseHeaders) ? thrown.responseHeaders : {}
  const asked = own(headers, 'retry-after')
  return typeof asked === 'string' ? parseRetryAfter(asked, Date.now()) : undefined
}

/** The API's own code for the error, for example `model_not_found`, when the code is a plain identifier. */
const apiCode = (thrown: Error): string => {
  const data = 'data' in thrown && isObject(thrown.data) ? thrown.data : {}
  const error = own(data, 'error')
  const words = isObject(error) ? [own(error, 'code'), own(error, 'type')] : []
  const word = words.find((text) => typeof text === 'string' && /^[a-z][a-z_]{0,63}$/.test(text))
  return word === undefined ? '' : ` (${word})`
}

const netCode = (thrown: unknown): string | undefined => {
  for (let at = thrown, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if ('code' in at && typeof at.code === 'string' && /^[A-Z][A-Z0-9_]{1,40}$/.test(at.code)) return at.code
  }
  return undefined
}
