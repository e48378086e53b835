/**
 * Asks a model for its reply to a prompt, and lets the model use tools meanwhile. Each call of the model is a step, except a question that
 * a tool asks about a picture. No step follows when `maxSteps` are done, or the budget of the run is used up.
 */

import type { LanguageModel, ModelMessage, StepResult, ToolSet } from 'ai'
import { numbersCarried } from '../../../core/carried-numbers.ts'
import { AgentFault, messageOf } from '../../../core/fault.ts'
import { isObject, type Json } from '../../../core/json.ts'
import { withoutLabels } from '../../../core/session.ts'
import { cut } from '../../../core/text.ts'
import { createSlots } from '../../../core/turns/slots.ts'
import type { Picture, Tool } from '../../tools/tool.ts'
import type { RunnerJob, RunnerSettings } from '../runner.ts'
import { keepDigitsOfCalls } from './exact-calls.ts'
import { createFence, type Fence } from './fence.ts'
import { fileParts } from './file-parts.ts'
import { headOf } from './head.ts'
import { watchModel } from './watched-model.ts'

type Sdk = typeof import('ai')

/** The most calls of tools in one attempt at a run. A model may call several tools in one step. */
const maxToolCalls = 64
const maxToolCallsAtOnce = 8
const maxResultChars = 100_000
const lastStepText = 'This was the last use of tools. Answer now, with what you know.'

/**
 * Resolves to the model's text. Rejects with an AgentFault, or with an error of the SDK or of an abort, which the caller turns into an
 * AgentFault. `provider`: the service that runs the model, for metrics and traces. `name`: the name of the model, for the counting of usage
 * too.
 */
export const askModel = async (
  unwatched: LanguageModel,
  { provider, name }: { readonly provider: string; readonly name: string },
  prompt: string,
  settings: RunnerSettings,
  job: RunnerJob,
): Promise<string> => {
  const sdk = await import('ai')
  // The SDK would print its warnings to the stdout of the gateway.
  globalThis.AI_SDK_LOG_WARNINGS = false
  const { tools = [], maxSteps = 1, beginModelCall } = job
  const exact = keepDigitsOfCalls(sdk, unwatched)
  const model = beginModelCall ? watchModel(sdk, exact, () => beginModelCall(provider, name)) : exact
  const fence = createFence(job.handling ?? settings.untrusted ?? 'fence')
  const spending = createSpending(name, job)
  const limit = job.maxOutputTokens ?? settings.maxOutputTokens
  const common = { model, abortSignal: job.signal, maxRetries: 0, ...(limit === undefined ? {} : { maxOutputTokens: limit }) }
  const askAboutPicture: AskAboutPicture = async ({ bytes, mediaType }, question) => {
    spending.check()
    const content = [{ type: 'text', text: question } as const, { type: 'image', image: bytes, mediaType } as const]
    const answer = await sdk.generateText({ ...common, messages: [{ role: 'user', content }], onStepFinish: spending.add })
    return answer.text
  }
  const messages = messagesOf(prompt, job, fence)
  const answer = await generate(
    sdk,
    {
      ...common,
      ...systemOf(settings, job, fence),
      messages,
      ...(tools.length > 0 ? { tools: toolSet(sdk, tools, { ...job, askAboutPicture }, fence) } : {}),
      stopWhen: [sdk.stepCountIs(maxSteps), () => spending.isOver],
      prepareStep: ({ stepNumber, messages: soFar }) =>
        stepNumber > 0 && stepNumber === maxSteps - 1 ? { messages: [...soFar, { role: 'user', content: lastStepText }] } : {},
      onStepFinish: spending.add,
    },
    job.heard,
  )
  if (answer.finishReason === 'tool-calls') spending.check()
  return usableText(answer, maxSteps)
}

type Answer = { readonly text: string; readonly finishReason: string }

/** Returns the text of an answer. Throws an AgentFault for an answer without text. */
const usableText = ({ text, finishReason }: Answer, maxSteps: number): string => {
  if (finishReason === 'tool-calls')
    throw new AgentFault(`the model gave no answer in ${maxSteps} steps (agent.max_steps)`, { isFinal: true })
  if (text.trim() !== '') return text
  const help = finishReason === 'length' ? ': raise agent.max_output_tokens' : ''
  throw new AgentFault(`the model gave no text (${finishReason})${help}`)
}

type GenerateOptions = Parameters<Sdk['generateText']>[0]

/** Calls the model. The answer is streamed only where `heard` is given, because not every endpoint with OpenAI's API can stream. */
const generate = async (sdk: Sdk, options: GenerateOptions, heard: RunnerJob['heard']): Promise<Answer> => {
  if (!heard) return sdk.generateText(options)
  const { fullStream } = sdk.streamText({ ...options, onError: () => {} } as Parameters<Sdk['streamText']>[0])
  // Text and reason are read from the stream. The SDK also has promises of them, but after an error nobody would catch their rejections.
  let [text, finishReason] = ['', 'unknown']
  for await (const part of fullStream) {
    if (part.type === 'error') throw part.error
    if (part.type === 'abort') throw new Error('aborted')
    if (part.type === 'start-step') {
      if (text !== '') heard('\n')
      text = ''
    }
    // A step without a reason for its end was broken off. Its text may be half an answer, which must not be taken for the reply.
    if (part.type === 'finish-step' && part.rawFinishReason === undefined) throw new AgentFault("the model's API broke off its answer")
    if (part.type === 'finish') finishReason = part.finishReason
    if (part.type !== 'text-delta') continue
    text += part.text
    heard(part.text)
  }
  return { text, finishReason }
}

/**
 * Reports the usage of each call of the model by `used`. When `used` rejects, the budget is used up: `isOver` is true from then on, and
 * `check` throws the reason.
 */
const createSpending = (model: string, { used, tools = [] }: RunnerJob) => {
  // Only names of the run's tools are reported: a model may invent any number of names, of any length.
  const toolNames = new Set(tools.map(({ name }) => name))
  let refusal: unknown
  return {
    get isOver(): boolean {
      return refusal !== undefined
    },
    check(): void {
      if (refusal !== undefined) throw refusal
    },
    add: async ({ usage, toolCalls }: StepResult<ToolSet>): Promise<void> => {
      const { inputTokens = 0, outputTokens = 0 } = usage
      try {
        const called = toolCalls.map(({ toolName }) => toolName).filter((name) => toolNames.has(name))
        await used?.({ model, inputTokens, outputTokens, tools: called })
      } catch (thrown) {
        refusal ??= thrown
      }
    },
  }
}

/** Makes the messages to the model: the history of the session, and the prompt with its files, with the text of strangers fenced. */
const messagesOf = (prompt: string, { run, history = [], untrusted = [] }: RunnerJob, fence: Fence): ModelMessage[] => {
  const asked = fence.around(prompt, untrusted)
  // In a session, lines of the prompt that look like the label of a mirrored text are escaped, as in the history of the next run.
  const text = run.session ? withoutLabels(asked) : asked
  return [
    ...history.map(({ role, text }) => ({ role, content: role === 'user' ? fence.earlier(text) : text })),
    { role: 'user', content: run.files ? [{ type: 'text', text }, ...fileParts(run.files, fence)] : text },
  ]
}

/** Makes the system prompt from the operator's text, the skills and the note on the fence; no system prompt where all are empty. */
const systemOf = ({ system }: RunnerSettings, { run, skills = [], tools = [], untrusted = [], history = [] }: RunnerJob, fence: Fence) => {
  const isFenced = untrusted.length + tools.length + history.length > 0 || run.files !== undefined
  const text = headOf({ system, skills, note: isFenced ? fence.note : undefined })
  return text === '' ? {} : { system: text }
}

/**
 * Turns the tools of the run into tools of the SDK. A tool's result may have text of strangers, so the result is fenced. When a tool fails,
 * the model gets the error as the result, unless the run was aborted.
 */
const toolSet = (
  sdk: Sdk,
  tools: readonly Tool[],
  job: RunnerJob & { readonly askAboutPicture: AskAboutPicture },
  fence: Fence,
): ToolSet => {
  let calls = 0
  const slots = createSlots(() => maxToolCallsAtOnce, maxToolCalls)
  const execute =
    (tool: Tool) =>
    async (carried: unknown, { abortSignal }: { abortSignal?: AbortSignal }) => {
      if (++calls > maxToolCalls) return `not called: this run has used its ${maxToolCalls} calls of tools`
      const input = numbersCarried(carried as Json)
      if (!isObject(input)) return 'not called: the input is not an object'
      try {
        const found = await slots.run(async () => {
          job.signal.throwIfAborted()
          return await tool.call(input, { run: job.run, signal: abortSignal ?? job.signal, askAboutPicture: job.askAboutPicture })
        })
        return fence.whole(cut(found ?? '', maxResultChars))
      } catch (thrown) {
        if (job.signal.aborted) throw thrown
        return fence.whole(`failed: ${cut(messageOf(thrown), 2_000)}`)
      }
    }
  return Object.fromEntries(
    tools.map((tool) => [
      tool.name,
      sdk.dynamicTool({ description: tool.description, inputSchema: sdk.jsonSchema(tool.input), execute: execute(tool) }),
    ]),
  )
}

/** Resolves to the model's answer to a question about a picture. */
type AskAboutPicture = (picture: Picture, question: string) => Promise<string>
