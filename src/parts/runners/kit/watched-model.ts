/** Watches the calls of a model: reports when each call begins and ends, and sends the API the place of the call in its trace. */

import type { LanguageModel, LanguageModelMiddleware } from 'ai'
import type { BegunModelCall } from '../runner.ts'

type Sdk = Pick<typeof import('ai'), 'wrapLanguageModel'>
type WrapStream = NonNullable<LanguageModelMiddleware['wrapStream']>
type Params = Parameters<WrapStream>[0]['params']
type Stream = Awaited<ReturnType<WrapStream>>['stream']
type Usage = Awaited<ReturnType<NonNullable<LanguageModelMiddleware['wrapGenerate']>>>['usage']

/**
 * Returns the model with its calls watched, or the model itself where its version of the SDK's interface is not known here. `begin`: called
 * when a call begins.
 */
export const watchModel = (sdk: Sdk, model: LanguageModel, begin: () => BegunModelCall): LanguageModel => {
  if (typeof model === 'string' || model.specificationVersion !== 'v3') return model
  const middleware: LanguageModelMiddleware = {
    specificationVersion: 'v3',
    async wrapGenerate({ model, params }) {
      const call = begin()
      try {
        const result = await model.doGenerate(withTraceparent(params, call))
        endedWell(call, result.usage)
        return result
      } catch (thrown) {
        call.ended(false)
        throw thrown
      }
    },
    async wrapStream({ model, params }) {
      const call = begin()
      try {
        const result = await model.doStream(withTraceparent(params, call))
        return { ...result, stream: watchStream(result.stream, call) }
      } catch (thrown) {
        call.ended(false)
        throw thrown
      }
    },
  }
  return sdk.wrapLanguageModel({ model, middleware })
}

const withTraceparent = (params: Params, { traceparent }: BegunModelCall): Params =>
  traceparent === undefined ? params : { ...params, headers: { ...params.headers, traceparent } }

const endedWell = (call: BegunModelCall, { inputTokens, outputTokens }: Usage): void =>
  call.ended(true, inputTokens.total, outputTokens.total)

/** Watches the stream of a call. The call has failed when the stream ends, breaks off or is cancelled before its part `finish`. */
const watchStream = (stream: Stream, call: BegunModelCall): Stream => {
  const reader = stream.getReader()
  return new ReadableStream({
    async pull(out) {
      try {
        const { done, value } = await reader.read()
        if (value?.type === 'finish') endedWell(call, value.usage)
        if (done) call.ended(false)
        if (done) out.close()
        else out.enqueue(value)
      } catch (thrown) {
        call.ended(false)
        out.error(thrown)
      }
    },
    async cancel(reason) {
      call.ended(false)
      await reader.cancel(reason)
    },
  })
}
