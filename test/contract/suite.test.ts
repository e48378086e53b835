/** The contract suite of plugins: every built-in part keeps the contract, and parts that break it are found out. */

import { createHmac } from 'node:crypto'
import t from 'tap'
import { operators } from '../../src/parts/operators/index.ts'
import type { OperatorPart } from '../../src/parts/operators/operator.ts'
import { runners } from '../../src/parts/runners/index.ts'
import type { RunnerPart, RunnerSettings } from '../../src/parts/runners/runner.ts'
import { schemes } from '../../src/parts/schemes/index.ts'
import type { Scheme } from '../../src/parts/schemes/scheme.ts'
import { targets } from '../../src/parts/targets/index.ts'
import type { TargetPart } from '../../src/parts/targets/target.ts'
import { checkOperator, checkRunner, checkScheme, checkTarget } from '../../src/plugin/plugin.ts'
import { newFolder } from '../fakes/folder.ts'
import { json, sink } from '../fakes/sink.ts'

/** What the name of a built-in part looks like. */
const form = /^[a-z][a-z0-9_]*$/

t.test('every built-in signature scheme', async (t) => {
  for (const scheme of schemes) t.same(await checkScheme(scheme, { form, signsBody: scheme.name !== 'gitlab' }), [], scheme.name)
})

t.test('every built-in operator', async (t) => {
  const profileDir = newFolder(t, { 'allowed.txt': 'ann\n', 'lists.json': '{"allowed":{"values":["ann"]}}' })
  for (const operator of operators) t.same(await checkOperator(operator, { form, profileDir }), [], operator.name)
})

t.test('every built-in target', async (t) => {
  for (const target of targets)
    t.same(await checkTarget(target, { form, ...(target.name === 'log' ? { sends: [{}] } : {}) }), [], target.name)
})

t.test('every built-in runner, asked', async (t) => {
  const openai = await sink(t, (response) => json(response, 200, { choices: [{ message: { role: 'assistant', content: 'pong' } }] }))
  const message = {
    id: 'm',
    type: 'message',
    role: 'assistant',
    model: 'm',
    stop_reason: 'end_turn',
    usage: { input_tokens: 1, output_tokens: 1 },
  }
  const anthropic = await sink(t, (response) => json(response, 200, { ...message, content: [{ type: 'text', text: 'pong' }] }))
  const settings: { readonly [name: string]: RunnerSettings } = {
    echo: {},
    openai: { model: 'm', baseUrl: `${openai.origin}/v1` },
    anthropic: { model: 'm', apiKey: 'k', baseUrl: `${anthropic.origin}/v1` },
    command: { command: [process.execPath, '-e', 'process.stdin.pipe(process.stdout)'] },
  }
  for (const runner of runners)
    t.same(await checkRunner(runner, { form, settings: settings[runner.name] as RunnerSettings }), [], runner.name)
})

const hmac = (secret: string, text: string): string => createHmac('sha256', secret).update(text).digest('hex')
const sound: Scheme = {
  name: 'acme-sign',
  title: 'Acme',
  shows: (headers) => headers['acme-signature'] !== undefined,
  compile:
    (secret) =>
    ({ headers }) =>
    (body) =>
      headers['acme-signature'] === hmac(secret, String(body)) || 'differs',
  sign: ({ secret, body, id }) => ({ headers: { 'Acme-Signature': hmac(secret, body), 'Acme-Id': id }, body }),
}

t.test('a broken scheme', async (t) => {
  t.same(await checkScheme(sound), [])
  const broken: readonly (readonly [Partial<Scheme>, RegExp])[] = [
    [{ name: 'acme' }, /"acme" has not the form of acme-chat/],
    [{ shows: () => true }, /shows is not false for a request without headers/],
    [{ shows: () => false }, /shows does not know the headers/],
    [{ compile: () => () => () => true }, /another secret is accepted/],
    [{ compile: () => () => () => true }, /body that was changed is accepted/],
    [{ compile: () => () => () => true }, /a acme-signature of "" is accepted/],
    [{ compile: () => () => 'no' }, /what it signed is refused/],
    [{ compile: () => undefined }, /no use for the secret/],
    [{ compile: () => () => (() => 1) as never }, /neither true nor why not/],
    [
      {
        compile: () => () => {
          throw new Error('trap')
        },
      },
      /a check throws: trap/,
    ],
    [
      {
        sign: () => {
          throw new Error('trap')
        },
      },
      /sign throws: trap/,
    ],
    [{ sign: ({ body }) => ({ headers: { 'Acme-Signature': 'a\nb' }, body }) }, /cannot be sent: Acme-Signature/],
    [{ signedId: (headers) => String(headers['acme-id']) }, /another delivery id than the signed one is accepted/],
    [{ signedId: () => 'other' }, /does not give the id/],
    [{ idHeaders: ['Acme-Id'] }, /"idHeaders" of its scheme acme-sign is not a list of header names in small letters/],
  ]
  for (const [change, problem] of broken) t.match((await checkScheme({ ...sound, ...change })).join('\n'), problem)
})

t.test('a broken operator', async (t) => {
  const operator: OperatorPart = {
    name: 'acme-is',
    compile: (operand) => (value) => value === operand,
    examples: [
      { operand: 1, value: 1, holds: true },
      { operand: 1, holds: false },
    ],
  }
  t.same(await checkOperator(operator), [])
  t.same(await checkOperator({ ...operator, domain: (wanted) => ({ kind: 'one_of', values: [wanted] }) }), [])
  const broken: readonly (readonly [Partial<OperatorPart>, RegExp])[] = [
    [{ examples: [{ operand: 1, value: 1, holds: true }] }, /no example that does not hold/],
    [{ examples: [{ operand: 1, value: 1, holds: false }] }, /the example \{"operand":1,"value":1\} gives true/],
    [{ compile: () => (value) => (value as string).length > 1 }, /with no value fails/],
    [{ compile: () => () => 'yes' as never }, /neither true nor false/],
    [{ compile: () => () => undefined as never }, /neither true nor false/],
    [{ compile: () => undefined as never }, /compile gives no function/],
    [{ domain: (operand) => ({ kind: 'none_of', values: [operand] }) }, /the operand 1 with 1 gives true, which is not its domain/],
    [{ domain: () => ({ kind: 'one_of', values: [2] }) }, /the operand 1 with 1 gives true, which is not its domain/],
    [{ domain: () => ({ kind: 'present' }) }, /the operand 1 with null gives false, which is not its domain/],
    [{ compile: () => () => true, domain: () => ({ kind: 'part', value: 1 }) }, /the operand 1 with no value gives true/],
    [{ domain: () => ({ kind: 'all' }) as never }, /the domain of the operand 1 is none/],
    [
      {
        domain: () => {
          throw new Error('trap')
        },
      },
      /domain throws: trap/,
    ],
    [
      {
        compile: (_operand, { report }) => {
          report('WH714', [], 'odd', 'mend it')
          return () => true
        },
      },
      /is refused: odd/,
    ],
  ]
  for (const [change, problem] of broken) t.match((await checkOperator({ ...operator, ...change })).join('\n'), problem)
})

t.test('a broken runner', async (t) => {
  const runner: RunnerPart = { name: 'acme-agent', title: 'Acme', compile: () => async (prompt) => prompt }
  t.same(await checkRunner(runner, { settings: {} }), [])
  const broken: readonly (readonly [Partial<RunnerPart>, RegExp])[] = [
    [
      {
        compile: ({ command }) => {
          throw new Error(`no ${command}`)
        },
      },
      /compile throws: no undefined/,
    ],
    [{ compile: () => undefined as never }, /compile gives no function/],
    [{ compile: () => async () => 7 as never }, /its answer is no text/],
    [
      {
        compile: () => async () => {
          throw new Error('trap')
        },
      },
      /an answer fails: trap/,
    ],
    [
      {
        compile: (_settings, report) => {
          report('WH714', ['model'], 'no model', 'name one')
          return async () => ''
        },
      },
      /its settings are refused: no model/,
    ],
  ]
  for (const [change, problem] of broken) t.match((await checkRunner({ ...runner, ...change }, { settings: {} })).join('\n'), problem)
})

t.test('a broken target', async (t) => {
  const target: TargetPart = { name: 'acme-chat', title: 'Acme', repeatable: false, send: async () => ({ ok: true }) }
  t.same(await checkTarget(target, { sends: [{}] }), [])
  const broken: readonly (readonly [Partial<TargetPart>, RegExp])[] = [
    [{ send: async () => ({}) as never }, /send gives neither/],
    [{ send: async () => undefined as never }, /send gives neither/],
    [
      {
        send: async () => {
          throw new Error('trap')
        },
      },
      /send fails: trap/,
    ],
    [{ check: (extra) => void String(extra.chat_id).at(0)?.toString().length.toFixed(-1) }, /its check of .* throws/],
    [{ check: async () => {} }, /is not made at once/],
    [
      {
        settings: [
          { key: 'token', env: ['A'] },
          { key: 'token', env: ['A'] },
        ],
      },
      /the setting token is named twice/,
    ],
    [{ needs: ['token'] as never }, /"needs" of its target acme-chat/],
  ]
  for (const [change, problem] of broken) t.match((await checkTarget({ ...target, ...change }, { sends: [{}] })).join('\n'), problem)
})
