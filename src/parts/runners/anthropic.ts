/** Asks a model through Anthropic's messages API. */

import { builtinEnv } from './kit/env.ts'
import { compileModelRunner } from './kit/model.ts'
import { modelFetch } from './kit/model-fetch.ts'
import type { RunnerPart } from './runner.ts'

const api = { url: 'https://api.anthropic.com/v1' }

export const anthropic: RunnerPart = {
  name: 'anthropic',
  title: 'Anthropic',
  env: builtinEnv('anthropic'),
  api,
  compile: (settings, report) =>
    // The address is always given: otherwise the SDK takes an address from the environment.
    compileModelRunner(settings, report, { name: 'anthropic', baseUrl: api.url }, async ({ model, apiKey, baseUrl }) => {
      const { createAnthropic } = await import('@ai-sdk/anthropic')
      return createAnthropic({ baseURL: baseUrl, apiKey: apiKey ?? '', fetch: modelFetch })(model)
    }),
}
