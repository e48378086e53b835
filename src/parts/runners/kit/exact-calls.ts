/**
 * Keeps the digits of numbers that a model calls tools with. The SDK makes doubles of them, and gives them back to the model rounded in the
 * next step, so they pass the SDK as marked texts.
 */

import type { LanguageModel, LanguageModelMiddleware } from 'ai'
import { carryNumbers, carryNumbersIn } from '../../../core/carried-numbers.ts'
import { exactJson } from '../../../core/exact-json.ts'
import { type ExactJson, type ExactObject, isJson, isObject } from '../../../core/json.ts'
import { renderJson } from '../../../expr/render.ts'

type Sdk = Pick<typeof import('ai'), 'wrapLanguageModel'>
type Part = { readonly type: string }

/** Returns the model with marked texts in its calls, or the model itself where its version of the SDK's interface is not known here. */
export const keepDigitsOfCalls = (sdk: Sdk, model: LanguageModel): LanguageModel => {
  if (typeof model === 'string' || model.specificationVersion !== 'v3') return model
  const middleware: LanguageModelMiddleware = {
    specificationVersion: 'v3',
    async wrapGenerate({ doGenerate }) {
      const result = await doGenerate()
      return { ...result, content: result.content.map(withCarried) }
    },
    async wrapStream({ doStream }) {
      const result = await doStream()
      return {
        ...result,
        stream: result.stream.pipeThrough(new TransformStream({ transform: (part, out) => out.enqueue(withCarried(part)) })),
      }
    },
  }
  return sdk.wrapLanguageModel({ model, middleware })
}

const withCarried = <T extends Part>(part: T): T =>
  part.type === 'tool-call' && 'input' in part && typeof part.input === 'string' ? { ...part, input: carryNumbersIn(part.input) } : part

/**
 * Resolves to an answer of Anthropic's API with marked texts in the inputs of its calls. Unless it is streamed, such an answer has the
 * inputs as JSON values, which the SDK would parse with the answer; streams and OpenAI's API have each input as a text of JSON.
 */
export const carryInputs = async (answer: Response): Promise<Response> => {
  if (!answer.ok || answer.headers.get('content-type')?.startsWith('application/json') !== true) return answer
  const text = await answer.text()
  return new Response(isJson(text) ? withCarriedInputs(exactJson(text)) : text, { status: answer.status, headers: answer.headers })
}

const withCarriedInputs = (answer: ExactJson): string => {
  const content = isObject(answer) && Array.isArray(answer.content) ? answer.content.map(withCarriedInput) : undefined
  return renderJson(content ? { ...(answer as ExactObject), content } : answer, Number.POSITIVE_INFINITY, 0)
}

const withCarriedInput = (part: ExactJson): ExactJson =>
  isObject(part) && part.type === 'tool_use' ? { ...part, input: carryNumbers(part.input ?? {}) } : part
