/** Sends one prompt through the AI SDK, without tools or retries, and with errors that quote neither the key nor the prompt. */

import type { LanguageModel } from 'ai'
import { AgentFault } from '../../../core/fault.ts'
import { isObject, own } from '../../../core/json.ts'
import type { Report } from '../../report.ts'
import { parseRetryAfter } from '../../retry-after.ts'
import type { Runner, RunnerSettings } from '../runner.ts'

const maxAnswerBytes = 8 * 1024 * 1024

/** What is needed to call the model of a run. */
export type ModelAccess = { readonly model: string; readonly apiKey: string | undefined; readonly baseUrl: string }

/** Compiles a runner for one provider, and reports missing settings. `connect` is called once for each run. */
export const compileModelRunner = (
  settings: RunnerSettings,
  report: Report,
  provider: { readonly name: string; readonly baseUrl: string; readonly keyless?: (baseUrl: string) => boolean },
  connect: (access: ModelAccess) => Promise<LanguageModel>,
): Runner => {
  const { apiKey, model, system } = settings
  const baseUrl = settings.baseUrl ?? provider.baseUrl
  if (!isAddress(baseUrl)) report('WH222', ['base_url'], 'base_url is not an http or https address', 'write it like https://host/v1')
  if (!model) report('WH222', ['model'], `the ${provider.name} runner needs a model`, 'set agent.model')
  if (!apiKey && !provider.keyless?.(baseUrl)) report('WH222', ['api_key'], `the ${provider.name} runner needs a key`, 'set agent.api_key')
  return async (prompt, job) => {
    const limit = job.maxOutputTokens ?? settings.maxOutputTokens
    try {
      const { generateText } = await import('ai')
      // Otherwise the SDK prints its warnings to our stdout.
      globalThis.AI_SDK_LOG_WARNINGS = false
      const { text, finishReason } = await generateText({
        model: await connect({ model: job.model ?? model ?? '', apiKey, baseUrl }),
        prompt,
        ...(system === undefined ? {} : { system }),
        ...(limit === undefined ? {} : { maxOutputTokens: limit }),
        abortSignal: job.signal,
        maxRetries: 0,
      })
      if (text.trim() !== '') return text
      throw new EmptyReply(`the model gave no text (${finishReason})`)
    } catch (thrown) {
      throw thrown instanceof EmptyReply ? thrown : new AgentFault(describe(thrown, job.signal), askedWait(thrown))
    }
  }
}

class EmptyReply extends Error {}

const isAddress = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === ''
}

/** The `fetch` for models. It follows no redirect, because a redirect could send the key elsewhere, and it limits the answer's size. */
export const modelFetch: typeof fetch = async (input, init) => {
  const answer = await fetch(input, { ...init, redirect: 'manual' })
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

// The SDK's errors hold the request and the answer, which may quote the prompt or the key. So only codes are taken from an error.
const describe = (thrown: unknown, signal: AbortSignal): string => {
  if (signal.aborted) return signal.reason?.name === 'TimeoutError' ? 'the model took too long' : 'the run was stopped'
  if (!(thrown instanceof Error)) return 'the model call failed'
  const status = 'statusCode' in thrown ? thrown.statusCode : undefined
  if (typeof status !== 'number') return `no answer from the model's API (${netCode(thrown) ?? thrown.name})`
  return status < 300 ? "the model's API gave an answer that cannot be read" : `the model's API answered HTTP ${status}${apiCode(thrown)}`
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
