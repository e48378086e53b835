/** The runner `anthropic`: asks a model through Anthropic's messages API. */

import { carryInputs } from './kit/exact-calls.ts'
import { compileModelRunner, modelFetch, modelKeys } from './kit/model.ts'
import { builtinEnv, type RunnerPart } from './runner.ts'

const api = { url: 'https://api.anthropic.com/v1' }

export const anthropic: RunnerPart = {
  name: 'anthropic',
  title: 'Anthropic',
  env: builtinEnv('anthropic'),
  api,
  reads: modelKeys,
  compile: (settings, report) =>
    // `baseUrl` is given in any case: without it, the SDK would take the API's address from the gateway's environment.
    compileModelRunner(settings, report, { name: 'anthropic', baseUrl: api.url }, async ({ model, apiKey, baseUrl }) => {
      const { createAnthropic } = await import('@ai-sdk/anthropic')
      return createAnthropic({
        baseURL: baseUrl,
        apiKey: apiKey ?? '',
        fetch: async (...request) => carryInputs(await modelFetch(...request)),
      })(model)
    }),
}
