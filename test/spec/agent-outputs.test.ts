/** `output` of an agent: what agents print for programs, from which the gateway takes the reply, the usage and what was refused. */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { stringify } from 'yaml'
import { readAttempts } from '../../src/datadir/records/event-attempts.ts'
import { journalFolder } from '../../src/journal/folder.ts'
import { folderRecords, readEvents } from '../../src/journal/reader.ts'
import { runAt } from '../fakes/cli.ts'
import { newFolder } from '../fakes/folder.ts'
import { startGateway } from '../fakes/gateway.ts'
import { until } from '../fakes/wait.ts'

const lines = (...events: readonly object[]): string => events.map((event) => `${JSON.stringify(event)}\n`).join('')

/** The results below have the members that the agents print; what no test reads is left out. */
const claude = {
  type: 'result',
  subtype: 'success',
  is_error: false,
  duration_ms: 5653,
  num_turns: 3,
  result: 'from claude',
  stop_reason: 'end_turn',
  session_id: '57009130-e892-4f92-b687-75b7c0c98469',
  total_cost_usd: 0.365,
  usage: { input_tokens: 17, cache_creation_input_tokens: 26_127, cache_read_input_tokens: 276_510, output_tokens: 2_543 },
  modelUsage: {
    'claude-opus-4-6': {
      inputTokens: 17,
      outputTokens: 2_543,
      cacheReadInputTokens: 276_510,
      cacheCreationInputTokens: 26_127,
      webSearchRequests: 0,
      costUSD: 0.365,
      contextWindow: 200_000,
    },
  },
  permission_denials: [{ tool_name: 'Bash', tool_use_id: 'toolu_7', tool_input: { command: 'git push origin main' } }],
}
const claudeUsage = {
  steps: 3,
  input_tokens: 302_654,
  output_tokens: 2_543,
  cost: 0.365,
  cost_told: true,
  tools: {},
  session: claude.session_id,
  refused: ['Bash'],
}

const turn = {
  input_tokens: 24_763,
  cached_input_tokens: 24_448,
  cache_write_input_tokens: 0,
  output_tokens: 122,
  reasoning_output_tokens: 64,
}
const message = (id: string, text: string) => ({ type: 'item.completed', item: { id, type: 'agent_message', text } })
const codexBegin = [{ type: 'thread.started', thread_id: '0199a213-81c0-7800-8aa1-bbab2a035a53' }, { type: 'turn.started' }]
const codexWork = [
  message('item_0', 'I look at the files first.'),
  {
    type: 'item.completed',
    item: { id: 'item_1', type: 'command_execution', command: 'ls', aggregated_output: 'a', exit_code: 0, status: 'completed' },
  },
  // Codex tells in this way that it connects anew.
  { type: 'error', message: 'Reconnecting... 1/5' },
]
const codex = lines(...codexBegin, ...codexWork, message('item_2', 'from codex'), { type: 'turn.completed', usage: turn })
const codexUsage = { steps: 1, input_tokens: 24_763, output_tokens: 122, tools: {}, session: '0199a213-81c0-7800-8aa1-bbab2a035a53' }

const tool = (count: number, reject: number) => ({
  count,
  success: count - reject,
  fail: reject,
  decisions: { accept: 0, reject, modify: 0, auto_accept: 1 },
})
const gemini = {
  session_id: 'f8aecb35-957d-4671-8f75-4c784f8d9918',
  response: 'from gemini',
  stats: {
    models: {
      'gemini-2.5-flash-lite': {
        api: { totalRequests: 1, totalErrors: 0, totalLatencyMs: 1361 },
        tokens: { input: 839, prompt: 839, candidates: 49, total: 1_028, cached: 0, thoughts: 140, tool: 0 },
      },
      'gemini-3-flash-preview': {
        api: { totalRequests: 2, totalErrors: 0, totalLatencyMs: 2712 },
        tokens: { input: 5_610, prompt: 11_554, candidates: 55, total: 11_609, cached: 5_944, thoughts: 0, tool: 0 },
      },
    },
    tools: { totalCalls: 3, byName: { write_file: tool(1, 0), run_shell_command: tool(2, 1) } },
    files: { totalLinesAdded: 1, totalLinesRemoved: 0 },
  },
}
const geminiUsage = {
  steps: 3,
  input_tokens: 12_393,
  output_tokens: 244,
  tools: {},
  session: gemini.session_id,
  refused: ['run_shell_command'],
}

const ofSession = { timestamp: 1_767_036_059_338, sessionID: 'ses_fc7d2c1daffeoHDeorpPDSsbrN' }
const tokens = { total: 8_086, input: 3, output: 7, reasoning: 0, cache: { write: 8_076, read: 0 } }
const step = (said: string, reason: string) => [
  { type: 'step_start', ...ofSession, part: { type: 'step-start' } },
  { type: 'text', ...ofSession, part: { id: 'prt_1', messageID: 'msg_1', type: 'text', text: said, time: { start: 1, end: 2 } } },
  { type: 'step_finish', ...ofSession, part: { type: 'step-finish', reason, tokens, cost: 0.03 } },
]
const opencode = lines(...step('I read it first.', 'tool-calls'), ...step('from opencode', 'stop'))
const opencodeUsage = {
  steps: 2,
  input_tokens: 16_158,
  output_tokens: 14,
  cost: 0.06,
  cost_told: true,
  tools: {},
  session: ofSession.sessionID,
}

type Options = { readonly agent?: object; readonly route?: object; readonly code?: number }

/** A gateway whose agent prints a text that the test changes; it counts how often it was started. */
const start = async (t: Test, output: string, { agent, route, code = 0 }: Options = {}) => {
  const folder = newFolder(t, { printed: '', starts: '' })
  const script = `echo x >> ${join(folder, 'starts')}; cat ${join(folder, 'printed')}; exit ${code}`
  const gateway = await startGateway(t, {
    config: { agent: { runner: 'command', command: ['sh', '-c', script], output, ...agent } },
    routes: { r: { prompt: 'p', retry: { max_attempts: 1 }, ...route } },
  })
  const { operations, dir } = gateway
  return {
    ...gateway,
    starts: () => readFileSync(join(folder, 'starts'), 'utf8').split('\n').length - 1,
    /** Has the agent print a text, and resolves to the end of the attempt. */
    async end(printed: string) {
      writeFileSync(join(folder, 'printed'), printed)
      const answer = await gateway.post('r', { body: {} })
      const id = answer.headers.get('x-headgate-event-id') ?? ''
      const view = await until(async () => {
        const found = (await readEvents(journalFolder(dir), { limit: 100 })).events.find((each) => each.event_id === id)
        return found?.state === 'done' || found?.state === 'dead' ? found : undefined
      })
      const [attempt] = await readAttempts(folderRecords(journalFolder(dir)), view)
      return {
        id,
        state: view?.state,
        error: attempt?.error ?? undefined,
        reply: attempt?.reply ?? undefined,
        usage: attempt?.usage ?? undefined,
      }
    },
    operations,
  }
}

t.test('the reply, the usage, the session and what was refused, of what each agent prints', async (t) => {
  const cases: readonly (readonly [string, string, string, object])[] = [
    ['claude-json', JSON.stringify(claude), 'from claude', claudeUsage],
    ['claude-json', JSON.stringify([{ type: 'system', subtype: 'init' }, claude]), 'from claude', claudeUsage],
    ['codex-jsonl', codex, 'from codex', codexUsage],
    ['gemini-json', JSON.stringify(gemini, null, 2), 'from gemini', geminiUsage],
    ['opencode-json', opencode, 'from opencode', opencodeUsage],
    // A stranger's text in the reply is text, and no event.
    [
      'codex-jsonl',
      lines(...codexBegin, message('a', lines({ type: 'turn.failed' })), { type: 'turn.completed', usage: turn }),
      '{"type":"turn.failed"}\n',
      codexUsage,
    ],
  ]
  for (const [output, printed, reply, usage] of cases) {
    const gateway = await start(t, output)
    const end = await gateway.end(printed)
    t.match(end, { state: 'done', reply }, output)
    t.strictSame(end.usage, usage, output)
    await gateway.line(({ msg, text }) => msg === 'delivered' && text === reply)
  }
})

t.test('events show says the usage, the session and what was refused', async (t) => {
  const gateway = await start(t, 'claude-json')
  const { id } = await gateway.end(JSON.stringify(claude))
  const shown = await runAt(gateway.dir, ['events', 'show', id])
  t.match(
    shown.out,
    /3 steps, 302654 \+ 2543 tokens, cost 0\.365 as the agent says, session 57009130-e892-4f92-b687-75b7c0c98469, refused Bash/,
  )
})

t.test('what is no such output, ends too early, or has an error in it gives no reply, and is not quoted', async (t) => {
  const misfit = /its output is not [a-z-]+, or ends too early/
  const half = (text: string): string => text.slice(0, -20)
  const cases: readonly (readonly [string, string, RegExp])[] = [
    ...['claude-json', 'codex-jsonl', 'gemini-json', 'opencode-json'].flatMap((output) =>
      ['', 'marker 1', '{"marker":1}', '[[[[', 'null', '"marker"', `{"__proto__":{"type":"result"}}`, '['.repeat(100_000)].map(
        (printed) => [output, printed, misfit] as const,
      ),
    ),
    ['claude-json', half(JSON.stringify(claude)), misfit],
    ['claude-json', `${JSON.stringify(claude)}\n${JSON.stringify({ ...claude, result: 'marker' })}`, misfit],
    ['claude-json', JSON.stringify({ ...claude, result: { marker: 1 } }), misfit],
    ['claude-json', JSON.stringify({ ...claude, is_error: true, result: 'API Error: marker' }), /it ended with an error$/],
    ['claude-json', JSON.stringify({ ...claude, subtype: 'error_max_turns', result: undefined }), /used up its turns/],
    ['claude-json', JSON.stringify({ ...claude, subtype: 'marker' }), /it ended with an error$/],
    ['claude-json', JSON.stringify({ ...claude, result: ' ' }), /it said nothing$/],
    ['claude-json', JSON.stringify({ ...claude, result: 'marker'.repeat(200_000) }), /more than 1048576 characters$/],
    ['claude-json', JSON.stringify({ ...claude, result: 'marker'.repeat(1_700_000) }), /wrote too much$/],
    ['codex-jsonl', half(codex), misfit],
    ['codex-jsonl', lines(...codexBegin, message('a', 'marker')), misfit],
    ['codex-jsonl', `marker\n${codex}`, misfit],
    [
      'codex-jsonl',
      lines(...codexBegin, message('a', 'marker'), { type: 'turn.failed', error: { message: 'marker' } }),
      /its turn failed$/,
    ],
    ['codex-jsonl', lines(...codexBegin, { type: 'turn.completed', usage: turn }), /it said nothing$/],
    ['codex-jsonl', '{}\n'.repeat(100_001), misfit],
    ['gemini-json', JSON.stringify({ ...gemini, error: { type: 'Error', message: 'marker' } }), /it ended with an error$/],
    ['opencode-json', half(opencode), misfit],
    ['opencode-json', lines(...step('marker', 'tool-calls')), misfit],
    [
      'opencode-json',
      lines(...step('marker', 'stop'), { type: 'error', error: { name: 'x', data: { message: 'marker' } } }),
      /with an error$/,
    ],
  ]
  const gateways = new Map<string, Awaited<ReturnType<typeof start>>>()
  for (const [output, printed, why] of cases) {
    const gateway = gateways.get(output) ?? (await start(t, output))
    gateways.set(output, gateway)
    const { state, error, reply } = await gateway.end(printed)
    const about = `${output} ${printed.slice(0, 40)}`
    t.equal(state, 'dead', about)
    t.match(error, why, about)
    t.notMatch(error, /marker/, about)
    t.equal(reply, undefined, about)
  }
})

t.test('numbers that are none are not counted, and lower no sum', async (t) => {
  const gateway = await start(t, 'claude-json')
  for (const odd of [-5, 0.5, 2 ** 53, 1e308, '7', null, {}]) {
    const { usage } = await gateway.end(
      JSON.stringify({ ...claude, num_turns: odd, modelUsage: { m: { inputTokens: odd, outputTokens: 2, costUSD: odd } } }),
    )
    t.match(usage, { input_tokens: 0, output_tokens: 2, cost: odd === 0.5 ? 0.5 : undefined }, String(odd))
    t.equal(usage?.steps, 1, String(odd))
  }
  const { usage } = await gateway.end(
    JSON.stringify({
      ...claude,
      modelUsage: undefined,
      permission_denials: Array(99).fill({ tool_name: 'x'.repeat(999) }),
      session_id: 'a b',
    }),
  )
  t.match(usage, { input_tokens: 302_654, cost: 0.365, session: undefined })
  t.ok(usage?.refused?.length === 1 && (usage.refused[0]?.length ?? 0) <= 110, 'what is told is bounded')
  t.equal((await gateway.end(JSON.stringify({ ...claude, usage: undefined, modelUsage: undefined }))).state, 'done', 'without usage')
})

t.test('a price of the operator comes before what the agent says', async (t) => {
  const prices = { 'claude-opus-4-6': { input: 1, output: 10 } }
  const gateway = await start(t, 'claude-json', { agent: { prices } })
  const { usage } = await gateway.end(JSON.stringify(claude))
  t.match(usage, { cost: 0.328084, cost_told: undefined })
})

t.test('a budget of a day stops the next run before its program is started', async (t) => {
  for (const [output, printed, budget, why] of [
    ['codex-jsonl', codex, { day_tokens: 20_000 }, /the day's 20000 tokens/],
    ['claude-json', JSON.stringify(claude), { day_cost: 0.3 }, /the day's 0\.3 \(budget\.day_cost\)/],
    ['opencode-json', opencode, { day_cost: 0.05 }, /the day's 0\.05/],
  ] as const) {
    const gateway = await start(t, output, { agent: { budget } })
    t.match(await gateway.end(printed), { state: 'done', error: undefined }, 'the reply was there')
    t.match(await gateway.end(printed), { state: 'dead', error: why })
    t.equal(gateway.starts(), 1, output)
  }
})

t.test('a run that failed has spent too; without numbers nobody can hold a budget, and a start that failed is tried again', async (t) => {
  const failed = JSON.stringify({ ...claude, is_error: true })
  const route = { retry: { max_attempts: 3, backoff: 0 } }
  const spent = await start(t, 'claude-json', { agent: { budget: { run_cost: 0.3 } }, route, code: 1 })
  t.match(await spent.end(failed), { state: 'dead', error: /exit code 1; the budget is used up: its 0\.3/, usage: { cost: 0.365 } })
  t.equal(spent.starts(), 1, 'it is not tried again')
  const odd = await start(t, 'claude-json', { agent: { budget: { day_tokens: 9 } }, route })
  t.match(await odd.end('garbage'), { state: 'dead', error: /not claude-json.*tells no usable counts/ })
  t.equal(odd.starts(), 1)
})

t.test('validate: a budget that the output does not let hold stops the start, and the finding says which do', async (t) => {
  const found = async (agent: object) => {
    const dir = newFolder(t, { 'config.yaml': stringify({ agent: { runner: 'command', command: ['cat'], ...agent } }) })
    return (await runAt(dir, ['validate'])).out
  }
  const tokensOnly = { budget: { run_tokens: 9 } }
  const money = { budget: { day_cost: 1 } }
  t.match(await found(tokensOnly), /WH246[\s\S]*agent\.output: claude-json or codex-jsonl or gemini-json or opencode-json/)
  t.match(await found({ ...tokensOnly, output: 'text' }), /WH246/)
  for (const output of ['claude-json', 'codex-jsonl', 'gemini-json', 'opencode-json'])
    t.notMatch(await found({ ...tokensOnly, output }), /WH2/, output)
  t.notMatch(await found({ ...money, output: 'claude-json' }), /WH2/)
  t.match(await found({ ...money, output: 'codex-jsonl' }), /WH222[\s\S]*"codex-jsonl" tells neither the cost nor the model/)
  t.match(await found({ ...money, output: 'gemini-json' }), /WH222[\s\S]*no model has a price/)
  const prices = { m: { input: 1, output: 1 } }
  t.notMatch(await found({ ...money, output: 'gemini-json', prices }), /WH2/)
  t.match(await found({ prices, output: 'codex-jsonl' }), /WH210[\s\S]*agent\.output: claude-json or gemini-json/)
  t.match(await found({ output: 'claude' }), /WH\d+[\s\S]*claude-json/)
  t.match(await found({ runner: 'openai', model: 'm', api_key: 'k', command: undefined, output: 'text' }), /WH210[\s\S]*"output"/)
})
