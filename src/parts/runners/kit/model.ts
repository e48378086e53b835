/** Compiles the runners that ask a model through the AI SDK, and reports settings that are missing or wrong. */

import type { LanguageModel } from 'ai'
import { boundedFetch } from '../../../core/calls/call-server.ts'
import { writeCarriedNumbers } from '../../../core/carried-numbers.ts'
import type { Report } from '../../../core/diagnostic.ts'
import { isOwnApi } from '../../own-api.ts'
import { builtinEnv, type Runner, type RunnerKey, type RunnerSettings } from '../runner.ts'
import { modelFault } from './model-fault.ts'
import { askModel } from './model-loop.ts'

const ask = boundedFetch(8 * 1024 * 1024)

/**
 * Sends a request to the API of a model, with the numbers in it that passed the SDK as marked texts written as numbers again. An answer of
 * more than 8 MiB breaks off with an error.
 */
export const modelFetch: typeof fetch = (input, init) =>
  ask(input, typeof init?.body === 'string' ? { ...init, body: writeCarriedNumbers(init.body) } : init)

/** The keys that every runner with a model acts on. */
export const modelKeys: readonly RunnerKey[] = [
  'base_url',
  'api_key',
  'model',
  'system',
  'max_steps',
  'max_output_tokens',
  'untrusted',
  'spending',
  'prices',
  'tools',
  'history',
]

/** The access of a run to its model. `model`: the name of the model. `baseUrl`: the address of the API. */
export type ModelAccess = { readonly model: string; readonly apiKey: string | undefined; readonly baseUrl: string }

/**
 * Compiles a runner, which rejects with an AgentFault only. `provider`: the runner's name, the address of its API unless the settings say
 * otherwise, and whether an address needs no key. `connect` makes the SDK's model, each time the agent is asked.
 */
export const compileModelRunner = (
  settings: RunnerSettings,
  report: Report,
  provider: { readonly name: string; readonly baseUrl: string; readonly keyless?: (baseUrl: string) => boolean },
  connect: (access: ModelAccess) => Promise<LanguageModel>,
): Runner => {
  const { apiKey, model } = settings
  const baseUrl = settings.baseUrl ?? provider.baseUrl
  const variables = isOwnApi(baseUrl, provider.baseUrl) ? (builtinEnv(provider.name).apiKey ?? []) : []
  const keys = ['agent.api_key', ...variables.map((name) => `${name} in the environment`)].join(', or ')
  if (!model) report('WH222', ['model'], `the ${provider.name} runner needs a model`, 'set agent.model')
  if (!isHttpAddress(baseUrl)) report('WH222', ['base_url'], 'base_url is not an http or https address', 'write it like https://host/v1')
  else if (!apiKey && !provider.keyless?.(baseUrl)) report('WH222', ['api_key'], `the ${provider.name} runner needs a key`, `set ${keys}`)
  return async (prompt, job) => {
    const name = job.model ?? model ?? ''
    try {
      return await askModel(await connect({ model: name, apiKey, baseUrl }), { provider: provider.name, name }, prompt, settings, job)
    } catch (thrown) {
      throw modelFault(thrown, { signal: job.signal, keys, isStreamed: job.heard !== undefined })
    }
  }
}

const isHttpAddress = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === ''
}
