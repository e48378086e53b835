/** Asks a model until it has answered, and lets it use tools meanwhile: within a number of steps, and while the budget lasts. */

import type { LanguageModel, ModelMessage, StepResult, ToolSet } from 'ai'
import { AgentFault, messageOf } from '../../../core/fault.ts'
import { isObject } from '../../../core/json.ts'
import { cut } from '../../../core/text.ts'
import type { Picture, Tool } from '../../tools/tool.ts'
import type { RunnerJob, RunnerSettings } from '../runner.ts'
import { createFence, type Fence } from './fence.ts'

type Sdk = typeof import('ai')

/** A model may call several tools in one step. */
const maxToolCalls = 64
const maxResultChars = 100_000
const lastStep = 'This was the last use of tools. Answer now, with what you know.'

/** Resolves to the model's text. Throws an AgentFault, or what the SDK throws. `name`: of the model. */
export const askModel = async (
  model: LanguageModel,
  name: string,
  prompt: string,
  settings: RunnerSettings,
  job: RunnerJob,
): Promise<string> => {
  const sdk = await import('ai')
  // Otherwise the SDK prints its warnings to our stdout.
  globalThis.AI_SDK_LOG_WARNINGS = false
  const { tools = [], maxSteps = 1 } = job
  const fence = createFence(job.handling ?? settings.untrusted ?? 'fence')
  const spending = createSpending(name, job)
  const limit = job.maxOutputTokens ?? settings.maxOutputTokens
  const common = { model, abortSignal: job.signal, maxRetries: 0, ...(limit === undefined ? {} : { maxOutputTokens: limit }) }
  const look = async ({ bytes, mediaType }: Picture, question: string): Promise<string> => {
    spending.check()
    const content = [{ type: 'text', text: question } as const, { type: 'image', image: bytes, mediaType } as const]
    const seen = await sdk.generateText({ ...common, messages: [{ role: 'user', content }], onStepFinish: spending.add })
    return seen.text
  }
  const messages = messagesOf(prompt, job, fence)
  const answer = await say(
    sdk,
    {
      ...common,
      ...systemOf(settings, job, fence),
      messages,
      ...(tools.length > 0 ? { tools: toolSet(sdk, tools, { ...job, look }, fence) } : {}),
      stopWhen: [sdk.stepCountIs(maxSteps), () => spending.isOver],
      prepareStep: ({ stepNumber, messages: soFar }) =>
        stepNumber > 0 && stepNumber === maxSteps - 1 ? { messages: [...soFar, { role: 'user', content: lastStep }] } : {},
      onStepFinish: spending.add,
    },
    job.heard,
  )
  if (answer.finishReason === 'tool-calls') {
    spending.check()
    throw new AgentFault(`the model gave no answer in ${maxSteps} steps`, { isFinal: true })
  }
  if (answer.text.trim() === '') throw new AgentFault(`the model gave no text (${answer.finishReason})`)
  return answer.text
}

type Options = Parameters<Sdk['generateText']>[0]

/** Streams only where somebody listens: not every endpoint that speaks this API can. */
const say = async (
  sdk: Sdk,
  options: Options,
  heard: RunnerJob['heard'],
): Promise<{ readonly text: string; readonly finishReason: string }> => {
  if (!heard) return sdk.generateText(options)
  const { fullStream } = sdk.streamText({ ...options, onError: () => {} } as Parameters<Sdk['streamText']>[0])
  // The SDK's promises of the same are not asked for: after an error nobody would catch their rejections.
  let [text, finishReason] = ['', 'unknown']
  for await (const part of fullStream) {
    if (part.type === 'error') throw part.error
    if (part.type === 'abort') throw new Error('aborted')
    if (part.type === 'start-step') text = ''
    if (part.type === 'finish') finishReason = part.finishReason
    if (part.type !== 'text-delta') continue
    text += part.text
    heard(part.text)
  }
  return { text, finishReason }
}

/** Tells of what each step took, and remembers that the budget is used up. */
const createSpending = (model: string, { used }: RunnerJob) => {
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
        await used?.({ model, inputTokens, outputTokens, tools: toolCalls.map(({ toolName }) => toolName) })
      } catch (thrown) {
        refusal ??= thrown
      }
    },
  }
}

const messagesOf = (prompt: string, { history = [], untrusted = [] }: RunnerJob, fence: Fence): ModelMessage[] => [
  ...history.map(({ role, text }) => ({ role, content: role === 'user' ? fence.earlier(text) : text })),
  { role: 'user', content: fence.around(prompt, untrusted) },
]

const systemOf = ({ system }: RunnerSettings, { skills = [], tools = [], untrusted = [], history = [] }: RunnerJob, fence: Fence) => {
  const isFenced = untrusted.length + tools.length + history.length > 0
  const parts = [system, ...skills.map(({ name, text }) => `# Skill: ${name}\n\n${text}`), isFenced ? fence.note : undefined]
  const text = parts.filter((part) => part !== undefined && part !== '').join('\n\n')
  return text === '' ? {} : { system: text }
}

/** Our tools as the SDK's. What a tool gives back may come from anywhere, so that it is fenced; what it throws is told to the model too. */
const toolSet = (sdk: Sdk, tools: readonly Tool[], job: RunnerJob & { look: Look }, fence: Fence): ToolSet => {
  let calls = 0
  const execute =
    (tool: Tool) =>
    async (input: unknown, { abortSignal }: { abortSignal?: AbortSignal }) => {
      if (++calls > maxToolCalls) return `not called: this run has used its ${maxToolCalls} calls of tools`
      if (!isObject(input)) return 'not called: the input is not an object'
      try {
        return fence.whole(cut(await tool.call(input, { run: job.run, signal: abortSignal ?? job.signal, look: job.look }), maxResultChars))
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

type Look = (picture: Picture, question: string) => Promise<string>
