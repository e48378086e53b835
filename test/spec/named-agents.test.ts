/** `agents`: agents by their names, which routes and jobs say or choose. */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { parse, stringify } from 'yaml'
import { journalFolder } from '../../src/journal/folder.ts'
import { readEvents } from '../../src/journal/reader.ts'
import type { EventView } from '../../src/journal/record.ts'
import { fakeCli, runAt } from '../fakes/cli.ts'
import { newFolder } from '../fakes/folder.ts'
import { startGateway } from '../fakes/gateway.ts'
import { until } from '../fakes/wait.ts'

/** An agent that answers with a word and its prompt. */
const saying = (word: string, more: object = {}): object => ({ runner: 'command', command: ['sh', '-c', `echo ${word} "$(cat)"`], ...more })

const agents = { reviewer: saying('reviewer', { timeout_seconds: 30 }), strict: saying('strict') }
const isFork = { field: 'fork', equals: true }

const start = async (t: Test, routes: { readonly [name: string]: object }, config: object = {}) => {
  const withPrompt = Object.fromEntries(Object.entries(routes).map(([name, route]) => [name, { prompt: '{text}', ...route }]))
  const gateway = await startGateway(t, { routes: withPrompt, config: { agent: saying('plain'), agents, ...config } })
  const texts = () => gateway.lines.filter(({ msg }) => msg === 'delivered').map(({ text }) => text)
  return {
    ...gateway,
    /** Posts an event, and resolves to the text that is delivered for it. */
    async reply(route: string, body: object): Promise<unknown> {
      const before = texts().length
      await gateway.post(route, { body })
      await until(() => texts().length > before)
      return texts().at(-1)
    },
    views: async (): Promise<readonly EventView[]> => (await readEvents(journalFolder(gateway.dir), { limit: 100 })).events,
  }
}

t.test('a route names its agent, changes its limits, or chooses by the event; the record says which was asked', async (t) => {
  const gateway = await start(t, {
    plain: {},
    named: { agent: 'reviewer' },
    changed: { agent: { use: 'reviewer', timeout_seconds: 20 } },
    chosen: { agent: [{ when: isFork, use: 'strict' }, { when: [{ field: 'text', equals: 'x' }, isFork], use: 'reviewer' }, 'reviewer'] },
    else: { agent: [{ when: isFork, use: 'strict' }] },
    merged: { agent: [{ when: isFork, use: 'strict' }, 'reviewer'], coalesce: { key: 'text', window_seconds: 0.2 } },
  })
  t.equal(await gateway.reply('plain', { text: 'a' }), 'plain a')
  t.equal(await gateway.reply('named', { text: 'a' }), 'reviewer a')
  t.equal(await gateway.reply('changed', { text: 'a' }), 'reviewer a')
  t.equal(await gateway.reply('chosen', { text: 'a', fork: true }), 'strict a')
  t.equal(await gateway.reply('chosen', { text: 'a' }), 'reviewer a')
  t.equal(await gateway.reply('else', { text: 'a' }), 'plain a')
  t.equal(await gateway.reply('else', { text: 'a', fork: true }), 'strict a')
  t.equal(await gateway.reply('merged', { text: 'a', fork: true }), 'strict a')
  await until(async () => (await gateway.views()).every(({ state }) => state === 'done'))
  const asked = (await gateway.views()).map(({ route, agent }) => `${route} ${agent}`)
  t.strictSame(asked.sort(), [
    'changed reviewer',
    'chosen reviewer',
    'chosen strict',
    'else strict',
    'else undefined',
    'merged strict',
    'named reviewer',
    'plain undefined',
  ])
  const [named] = (await gateway.views()).filter(({ route }) => route === 'named')
  t.match((await runAt(gateway.dir, ['events', 'show', String(named?.event_id)])).out, /^agent +reviewer$/m)
})

t.test('an agent brings the skills of its runs', async (t) => {
  const told = { runner: 'command', command: ['sh', '-c', 'echo "$HEADGATE_SKILLS" | sed "s,.*/,,"'] }
  const gateway = await startGateway(t, {
    routes: { r: { agent: 'told', prompt: 'x' }, own: { agent: 'told', prompt: 'x', skills: ['b'] } },
    config: { agents: { told: { ...told, skills: ['a'] } } },
    files: { skills: { a: { 'SKILL.md': 'Say a.' }, b: { 'SKILL.md': 'Say b.' } } },
  })
  for (const [route, skill] of [
    ['r', 'a'],
    ['own', 'b'],
  ] as const) {
    await gateway.post(route, { body: {} })
    await gateway.line(({ msg, text }) => msg === 'delivered' && text === skill)
  }
})

t.test('a run whose agent is gone is a dead letter that says so', async (t) => {
  const storage = { storage: { kind: 'sqlite' } }
  const first = await start(t, { r: { agent: 'reviewer', delay_seconds: 1 } }, storage)
  await first.post('r', { body: { text: 'a' } })
  await first.stop(0)
  const file = join(first.dir, 'config.yaml')
  const { agents: _, ...config } = parse(readFileSync(file, 'utf8'))
  config.platforms.webhook.extra.routes.r.agent = 'default'
  writeFileSync(file, stringify(config))
  const second = await startGateway(t, { dir: first.dir })
  t.match(await second.line(({ msg }) => msg === 'run is dead'), { reason: /no agent "reviewer"/, attempt: 1 })
  t.match((await readEvents(journalFolder(first.dir), { limit: 1 })).events, [{ state: 'dead', agent: 'reviewer' }])
})

t.test('a job has an agent too', async (t) => {
  const cli = fakeCli(t, {
    'config.yaml': stringify({
      agents,
      platforms: { webhook: { enabled: true } },
      jobs: { nightly: { schedule: '@daily', prompt: 'p', agent: 'strict' } },
    }),
  })
  t.match(await cli.run('validate'), { code: 0 })
  t.match(await cli.run('cron', 'create', 'other', '--schedule', '@daily', '--prompt', 'p', '--agent', 'nobody'), {
    code: 1,
    err: /there is no agent "nobody"/,
  })
})

t.test('tests and traces of a route say the agent; validate finds names and keys that fit no agent', async (t) => {
  const route = {
    secret: 'It is a secret to everybody',
    agent: [{ when: isFork, use: 'strict' }, 'reviewer'],
    prompt: '{text}',
    tests: [
      { name: 'a fork', send: { payload: { fork: true, text: 'a' } }, expect: { agent: 'strict' } },
      { name: 'no fork', send: { payload: { text: 'a' } }, expect: { agent: 'reviewer' } },
    ],
  }
  const config = (more: object, top: object = {}) =>
    stringify({ agents, ...top, platforms: { webhook: { enabled: true, extra: { routes: { r: { ...route, ...more } } } } } })
  const cli = fakeCli(t, { 'config.yaml': config({}) })
  t.match(await cli.run('test'), { code: 0, out: /2 passed, 0 failed/ })
  const trace = await cli.run('webhook', 'trace', 'r', '--payload', '{"fork":true,"text":"a"}', '--json')
  t.match(JSON.parse(trace.out).data, { agent: 'strict', notes: ['the agent is "strict": agent[0] holds'] })
  t.match((await cli.run('webhook', 'trace', 'r', '--payload', '{"text":"a"}')).out, /^starts +agent reviewer, then log$/m)
  const found = async (more: object, top: object = {}): Promise<string> =>
    (await runAt(newFolder(t, { 'config.yaml': config({ tests: [], ...more }, top) }), ['validate'])).out
  t.match(await found({ agent: 'reviever' }), /error\[WH250\] there is no agent "reviever"[\s\S]*did you mean reviewer\?/)
  t.match(await found({ agent: [{ when: isFork, use: 'nobody' }, 'reviewer'] }), /WH250[\s\S]*there is no agent "nobody"/)
  t.match(await found({ agent: [{ when: { field: 'a', equlas: 1 }, use: 'strict' }] }), /WH404|unknown operator|equlas/)
  t.match(await found({ agent: { use: 'reviewer', model: 'm' } }), /WH210[\s\S]*with the runner command/)
  t.match(await found({}, { agents: { ...agents, default: saying('x') } }), /The one named default stands under agent/)
  t.match(await found({}, { agents: { ...agents, bare: { runner: 'command' } } }), /WH222[\s\S]*agents\.bare/)
})

t.test('agents list says which could be asked and who uses them; agents test asks one', async (t) => {
  const cli = fakeCli(t, {
    'config.yaml': stringify({
      agents: {
        ...agents,
        gone: { runner: 'command', command: ['no-such-program-here'] },
        failing: { runner: 'command', command: ['false'] },
      },
      platforms: {
        webhook: { enabled: true, extra: { routes: { r: { secret: 's', agent: [{ when: isFork, use: 'strict' }, 'reviewer'] } } } },
      },
      jobs: { nightly: { schedule: '@daily', prompt: 'p', agent: 'strict' } },
    }),
  })
  const { data } = JSON.parse((await cli.run('agents', 'list', '--json')).out)
  t.match(data.agents, [
    { name: 'reviewer', runner: 'command', state: 'ready', text: /^command \/.*sh$/, users: ['r'] },
    { name: 'strict', state: 'ready', users: ['r', 'job nightly'] },
    { name: 'gone', state: 'absent', text: 'command no-such-program-here is not there, or not executable', users: [] },
    { name: 'failing', state: 'ready' },
    { name: 'default', runner: 'echo', state: 'stand-in', users: [] },
  ])
  t.match((await cli.run('agents', 'list')).out, /^strict +ready +command \/\S+ +r, job nightly$/m)
  t.match(await cli.run('agents', 'test', 'strict'), { code: 0, out: /^the agent answers: strict This is a test/ })
  t.match(await cli.run('agents', 'test', 'failing'), { code: 1, out: /^the agent does not answer: the agent command: .*1/ })
  t.match(await cli.run('agents', 'test', 'strikt'), { code: 5, err: /there is no agent "strikt"[\s\S]*strict/ })
  t.match((await cli.run('doctor')).out, /agents\.gone +command no-such-program-here is not there/)
})
