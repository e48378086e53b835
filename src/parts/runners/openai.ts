/** The runner `openai`: asks any endpoint with OpenAI's chat completions API. An endpoint on this machine needs no key. */

import { compileModelRunner, modelFetch, modelKeys } from './kit/model.ts'
import { builtinEnv, type RunnerPart } from './runner.ts'

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

const isLocal = (baseUrl: string): boolean => URL.canParse(baseUrl) && loopback.test(new URL(baseUrl).hostname)

const api = { url: 'https://api.openai.com/v1', keyless: isLocal }

export const openai: RunnerPart = {
  name: 'openai',
  title: 'Any OpenAI-compatible endpoint',
  env: builtinEnv('openai'),
  api,
  reads: modelKeys,
  compile: (settings, report) =>
    compileModelRunner(settings, report, { name: 'openai', baseUrl: api.url, keyless: api.keyless }, async ({ model, apiKey, baseUrl }) => {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
      return createOpenAICompatible({
        name: 'openai',
        baseURL: baseUrl,
        fetch: modelFetch,
        includeUsage: true,
        ...(apiKey ? { apiKey } : {}),
      })(model)
    }),
}
