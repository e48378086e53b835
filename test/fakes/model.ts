/**
 * Runs the API of a model on loopback. It follows a script, speaks the dialects of OpenAI and of Anthropic, and streams where it is asked
 * to.
 */

import type { ServerResponse } from 'node:http'
import type { Test } from 'tap'
import { type Seen, sink } from './sink.ts'

/**
 * What the model says in one answer. A text in `input` such as `#1.50` stands for that number, in this writing. `usage`: the tokens of
 * input and output; by default 10 and 5.
 */
export type Said = {
  readonly text?: string
  readonly calls?: readonly { readonly name: string; readonly input: unknown }[]
  readonly usage?: readonly [input: number, output: number]
}

/** One entry of the script: what the model says, or a function that answers the request itself. */
export type Turn = Said | ((response: ServerResponse) => void)

export type FakeModel = {
  readonly baseUrl: string
  readonly seen: Seen[]
  /** Returns the body of the request with this number, counted from 0. */
  body(at: number): Asked
}

type Asked = {
  readonly model: string
  readonly stream?: boolean
  readonly system?: readonly { readonly text: string }[]
  readonly messages: readonly { readonly role: string; readonly content: unknown }[]
  readonly tools?: readonly unknown[]
}

/** Starts the API. Each request takes the next entry of the script. After the last entry, the model says `done`. */
export const fakeModel = async (t: Test, script: readonly Turn[]): Promise<FakeModel> => {
  const left = [...script]
  const { seen, origin } = await sink(t, (response, { url, body }) => {
    const turn = left.shift() ?? { text: 'done' }
    if (typeof turn === 'function') return turn(response)
    const { stream, stream_options: wanted } = JSON.parse(body)
    const isAnthropic = url.endsWith('/messages')
    if (stream !== true) {
      response.writeHead(200, { 'content-type': 'application/json' })
      return response.end(withNumbers(JSON.stringify(isAnthropic ? message(turn) : chat(turn))))
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const event of isAnthropic ? messageEvents(turn) : chatEvents(turn, wanted?.include_usage === true))
      response.write(withNumbers(event))
    return response.end()
  })
  return { baseUrl: `${origin}/v1`, seen, body: (at) => JSON.parse(seen[at]?.body ?? 'null') }
}

const withNumbers = (text: string): string => text.replace(/(\\*)"#(-?[\d.eE]+)\1"/g, '$2')

const chatCalls = ({ calls = [] }: Said) =>
  calls.map(({ name, input }, index) => ({
    index,
    id: `call_${index}`,
    type: 'function',
    function: { name, arguments: typeof input === 'string' ? input : JSON.stringify(input) },
  }))

const chatUsage = ({ usage: [input, output] = [10, 5] }: Said) => ({
  usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
})

const chatMessage = (said: Said) => ({
  role: 'assistant',
  content: said.text ?? null,
  ...(said.calls ? { tool_calls: chatCalls(said) } : {}),
})

const finish = ({ calls }: Said) => (calls ? 'tool_calls' : 'stop')

const chat = (said: Said) => ({
  id: 'c1',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: chatMessage(said), finish_reason: finish(said) }],
  ...chatUsage(said),
})

/**
 * Returns the events of a streamed answer. As OpenAI does, the API tells the used tokens only where the request asks for them
 * (`isCounted`).
 */
const chatEvents = (said: Said, isCounted: boolean): string[] => {
  const chunk = (rest: object) => `data: ${JSON.stringify({ id: 'c1', created: 1, model: 'm', ...rest })}\n\n`
  const texts = [...(said.text ?? '')].map((char) => chunk({ choices: [{ index: 0, delta: { content: char } }] }))
  const calls = said.calls ? [chunk({ choices: [{ index: 0, delta: { tool_calls: chatCalls(said) } }] })] : []
  const end = chunk({ choices: [{ index: 0, delta: {}, finish_reason: finish(said) }], ...(isCounted ? chatUsage(said) : {}) })
  return [...texts, ...calls, end, 'data: [DONE]\n\n']
}

const blocks = ({ text, calls = [] }: Said) => [
  ...(text === undefined ? [] : [{ type: 'text', text }]),
  ...calls.map(({ name, input }, index) => ({ type: 'tool_use', id: `toolu_${index}`, name, input })),
]

const message = (said: Said) => ({
  id: 'm1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: blocks(said),
  stop_reason: said.calls ? 'tool_use' : 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: said.usage?.[0] ?? 10, output_tokens: said.usage?.[1] ?? 5 },
})

const messageEvents = (said: Said): string[] => {
  const event = (data: { type: string; [key: string]: unknown }) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`
  const whole = message(said)
  const parts = blocks(said).flatMap((block, index) => {
    const isText = 'text' in block
    const start = isText ? { ...block, text: '' } : { ...block, input: {} }
    const delta = isText
      ? { type: 'text_delta', text: block.text }
      : { type: 'input_json_delta', partial_json: JSON.stringify('input' in block ? block.input : {}) }
    return [
      event({ type: 'content_block_start', index, content_block: start }),
      event({ type: 'content_block_delta', index, delta }),
      event({ type: 'content_block_stop', index }),
    ]
  })
  return [
    event({ type: 'message_start', message: { ...whole, content: [], stop_reason: null } }),
    ...parts,
    event({ type: 'message_delta', delta: { stop_reason: whole.stop_reason, stop_sequence: null }, usage: whole.usage }),
    event({ type: 'message_stop' }),
  ]
}
