/** Says why a model gave no answer, without quoting the key or the prompt. */

import { networkCode } from '../../../core/calls/call-failure.ts'
import { AgentFault } from '../../../core/fault.ts'
import { isObject, own } from '../../../core/json.ts'
import { parseRetryAfter } from '../../retry-after.ts'

/** A call of a model. `keys`: where the key of the API may be set, for people. `isStreamed`: a stream was asked for. */
type ModelCall = { readonly signal: AbortSignal; readonly keys: string; readonly isStreamed: boolean }

/** Makes a fault of whatever the SDK threw. An AgentFault stays as it is. */
export const modelFault = (thrown: unknown, called: ModelCall): AgentFault =>
  thrown instanceof AgentFault ? thrown : new AgentFault(describeModelError(thrown, called), { retryAfterMs: askedWait(thrown) })

// The errors of the SDK contain request and answer, which may quote the prompt or the key. So only codes, statuses and names are taken from
// the errors.
const describeModelError = (thrown: unknown, { signal, keys, isStreamed }: ModelCall): string => {
  if (signal.aborted)
    return signal.reason?.name === 'TimeoutError' ? 'the model took too long (agent.timeout_seconds)' : 'the run was stopped'
  if (!(thrown instanceof Error)) return 'the model call failed'
  const status = 'statusCode' in thrown ? thrown.statusCode : undefined
  const isOdd = typeof status === 'number' ? status < 300 : thrown.name.startsWith('AI_') && networkCode(thrown) === undefined
  if (isOdd) return `the model's API gave an answer that cannot be read: check agent.base_url${isStreamed ? withoutStream : ''}`
  if (typeof status !== 'number') return `no answer from the model's API (${networkCode(thrown) ?? thrown.name}): check agent.base_url`
  return `the model's API answered HTTP ${status}${apiCode(thrown)}${helpFor(status, keys)}`
}

const withoutStream = '; it is asked to stream, which it is not without --verbose'

/** Says what an operator should check after a status; empty where the cause is not in the configuration. */
const helpFor = (status: number, keys: string): string => {
  if (status === 401 || status === 403) return `: check ${keys}`
  if (status === 404) return ': check agent.base_url and agent.model'
  return status < 400 ? ': check agent.base_url' : ''
}

/** Returns the wait in milliseconds that the API asks for in Retry-After; `undefined` where it asks for none. */
const askedWait = (thrown: unknown): number | undefined => {
  const headers = thrown instanceof Error && 'responseHeaders' in thrown && isObject(thrown.responseHeaders) ? thrown.responseHeaders : {}
  const asked = own(headers, 'retry-after')
  return typeof asked === 'string' ? parseRetryAfter(asked, Date.now()) : undefined
}

/** Returns the API's own code for the error in brackets, for example ` (model_not_found)`; empty where no code is a plain identifier. */
const apiCode = (thrown: Error): string => {
  const data = 'data' in thrown && isObject(thrown.data) ? thrown.data : {}
  const error = own(data, 'error')
  const words = isObject(error) ? [own(error, 'code'), own(error, 'type')] : []
  const word = words.find((text) => typeof text === 'string' && /^[a-z][a-z_]{0,63}$/.test(text))
  return word === undefined ? '' : ` (${word})`
}
