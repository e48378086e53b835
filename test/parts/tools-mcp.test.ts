/** Toolsets of MCP servers: what they give an agent, and what they keep to when a server is odd, hostile or dead. */

import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import { systemClock } from '../../src/core/clock.ts'
import type { JsonObject } from '../../src/core/json.ts'
import type { Level, LogFields } from '../../src/core/log.ts'
import type { NewRun } from '../../src/core/new-run.ts'
import type { McpServer } from '../../src/generated/config.ts'
import { createPartScopes } from '../../src/parts/part-scopes.ts'
import { compileServer } from '../../src/parts/tools/mcp/server.ts'
import type { Tool, ToolKit, Toolset } from '../../src/parts/tools/tool.ts'
import { checkedConfig } from '../fakes/checked-config.ts'
import { fakeClock } from '../fakes/clock.ts'
import { newFolder } from '../fakes/folder.ts'
import { hangs, toolServer } from '../fakes/mcp-server.ts'
import { isGone, isRunning } from '../fakes/process.ts'
import { closedOrigin, json, sink } from '../fakes/sink.ts'
import { until } from '../fakes/wait.ts'
import { StreamableHTTPServerTransport, type Transport } from '../foreign/mcp.ts'

const canary = 'canary-4b1f70c29de8'
const fake = (name: string): string => fileURLToPath(new URL(`../fakes/${name}`, import.meta.url))
const never = new AbortController().signal
const run: NewRun = {
  eventId: 'e1',
  profile: 'default',
  route: 'r',
  event: 'push',
  deliveryId: 'd1',
  prompt: 'p',
  delivery: { target: 'log', extra: {} },
  acceptedAt: 0,
}

type Line = readonly [level: Level, fields: LogFields, message: string]

/** Compiles a toolset, whose settings are checked as those of a configuration; what it opens ends with its test. */
const compile = (t: Test, written: JsonObject, more: Partial<ToolKit> = {}) => {
  const settings = checkedConfig({ toolsets: { notes: written as unknown as McpServer } }).toolsets?.notes as unknown as JsonObject
  const reports: string[] = []
  const lines: Line[] = []
  const kit: ToolKit = {
    report: (code, path, message) => reports.push(`${code} ${path.join('.')} ${message}`),
    log: Object.assign((...line: Line) => void lines.push(line), { writes: () => true }),
    clock: systemClock,
    env: { ...process.env, WEBHOOK_SECRET: canary, OPENAI_API_KEY: canary },
    ...more,
  }
  const made = compileServer('notes', settings, kit)
  const opened = typeof made === 'object' ? made : { run: (async () => []) as Toolset, close: async () => {} }
  t.teardown(() => opened.close())
  return { toolset: opened.run, close: async () => opened.close(), reports, lines }
}

/** A toolset of the odd server, with what it wrote into its file. */
const odd = (t: Test, how: string, settings: JsonObject = {}, more: Partial<ToolKit> = {}) => {
  const file = join(newFolder(t, {}), 'log')
  const made = compile(
    t,
    { command: [process.execPath, fake('odd-mcp-server.mjs'), how, file], allow: ['echo', 'hang', 'die', 'ask'], ...settings },
    more,
  )
  const noted = (): string[] => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [])
  const pids = (): number[] =>
    noted()
      .filter((line) => /^\d+$/.test(line))
      .map(Number)
  // A server that still writes would keep the folder from being removed.
  t.teardown(async () => {
    await made.close()
    await Promise.all(pids().map(isGone))
  })
  return { ...made, noted, pids }
}

const named = (tools: readonly Tool[], name: string): Tool => {
  const tool = tools.find((each) => each.name === `notes_${name}`)
  if (!tool) throw new Error(`no tool ${name} among ${tools.map((each) => each.name)}`)
  return tool
}
const call = async (toolset: Toolset, name: string, input: JsonObject = {}, signal = never): Promise<string> =>
  named(await toolset(never), name).call(input, { run, signal })

t.test('settings that cannot be used are reported where they stand, without their secrets', async (t) => {
  const allow = ['a']
  const cases: readonly [JsonObject, string[]][] = [
    [{ allow }, ['WH231  the toolset "notes" has neither command nor url']],
    [{ allow, command: ['x'], url: 'http://127.0.0.1' }, ['WH231  the toolset "notes" has both command and url']],
    [{ allow, command: [''] }, ['WH231 command the command names no program']],
    [{ allow, url: `ftp://${canary}` }, ['WH231 url url is not an http or https address without credentials']],
    [{ allow, url: `http://u:${canary}@127.0.0.1` }, ['WH231 url url is not an http or https address without credentials']],
    [
      { allow, url: 'http://127.0.0.1', headers: { 'X-A': `${canary}\n`, 'X-B': 'ü\u0100' } },
      ['WH231 headers.X-B no request can carry this header'],
    ],
    [{ allow, url: 'http://127.0.0.1' }, []],
  ]
  for (const [settings, expected] of cases) t.same(compile(t, settings).reports, expected)
})

t.test('a real server over stdio: allowed tools alone, calls, errors, parts, and a bare environment', async (t) => {
  const { toolset, close, lines } = compile(t, {
    command: [process.execPath, '--import', 'tsx', fake('mcp-server.ts')],
    env: { NOTES_TOKEN: 'notes-token-1', NOTES_FOLDER: '/srv/notes' },
    folder: fileURLToPath(new URL('../..', import.meta.url)),
    allow: ['add', 'env', 'mixed', 'fail', 'gone'],
  })
  const tools = await toolset(never)
  t.same(
    tools.map(({ name }) => name),
    ['notes_add', 'notes_env', 'notes_fail', 'notes_mixed'],
  )
  t.match(named(tools, 'add'), {
    description: 'Adds two numbers.',
    input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
  })
  const ask = (name: string, input: JsonObject = {}) => named(tools, name).call(input, { run, signal: never })
  t.equal(await ask('add', { a: 2, b: 3 }), '5')
  t.same(
    await Promise.all(Array.from({ length: 50 }, (_, i) => ask('add', { a: i, b: 1 }))),
    Array.from({ length: 50 }, (_, i) => `${i + 1}`),
  )
  t.equal(
    await ask('mixed'),
    [
      'first',
      '[image image/png: not passed on]',
      '[audio audio/wav: not passed on]',
      '[resource file:///a: not passed on]',
      '[resource_link file:///b: not passed on]',
      'last',
    ].join('\n'),
  )
  const failure = await ask('fail').catch((error: Error) => error.message)
  t.match(failure, /^no such note \*\*\*!{100}/)
  t.equal(failure.length, 4096)

  const [env = '', pid = ''] = (await ask('env')).split('\n')
  t.notMatch(env, canary)
  t.notMatch(env, 'notes-token-1', 'its own secret is taken out of what it says')
  const seen = JSON.parse(env)
  t.match(seen, { PATH: process.env.PATH, NOTES_TOKEN: '***', NOTES_FOLDER: '/srv/notes' })
  const allowed = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'NOTES_TOKEN', 'NOTES_FOLDER', 'HEADGATE_CHILD']
  t.same(
    // Those that tap gives to every program that a test starts.
    Object.keys(seen).filter((name) => !allowed.includes(name) && !/^(_TAPJS_.*|NODE_OPTIONS)$/.test(name)),
    [],
  )

  await toolset(never)
  t.same(lines, [['warn', { toolset: 'notes', tool: 'gone' }, 'an allowed tool is not among those of the MCP server']], 'said once')
  t.ok(isRunning(Number(pid)))
  await close()
  t.ok(await isGone(Number(pid)))
  await t.rejects(ask('add'), { message: 'toolset notes: the server is closed' })
})

t.test('runs that begin together share one start; a server that died in a call is started again for the next', async (t) => {
  const { toolset, pids, lines } = odd(t, 'plain')
  t.same(await Promise.all([1, 2, 3].map((n) => call(toolset, 'echo', { n }))), ['echo {"n":1}', 'echo {"n":2}', 'echo {"n":3}'])
  t.equal(pids().length, 1)
  const hanging = call(toolset, 'hang')
  await until(() => pids().length === 1)
  await t.rejects(call(toolset, 'die'), { message: 'toolset notes: the server ended before it answered (exit code 7)' })
  await t.rejects(hanging, { message: 'toolset notes: the server ended before it answered (exit code 7)' })
  t.equal(await call(toolset, 'echo'), 'echo {}')
  t.equal(pids().length, 2)
  process.kill(pids()[1] as number, 'SIGKILL')
  await until(() => lines.length === 2)
  t.match(lines, [
    ['warn', { toolset: 'notes', reason: 'exit code 7' }, 'an MCP server has ended'],
    ['warn', { toolset: 'notes', reason: 'killed by SIGKILL' }, 'an MCP server has ended'],
  ])
})

t.test('a call that is not answered ends with its time or with its run, the server is told, and others go on', async (t) => {
  const clock = fakeClock()
  const { toolset, noted } = odd(t, 'plain', {}, { clock })
  const late = call(toolset, 'hang')
  await until(() => noted().includes('hangs'))
  t.equal(await call(toolset, 'echo'), 'echo {}')
  clock.advance(59_999)
  t.equal(await call(toolset, 'echo'), 'echo {}')
  clock.advance(1)
  await t.rejects(late, { message: 'toolset notes: the server did not answer within 60 s' })
  const stop = new AbortController()
  const stopped = call(toolset, 'hang', {}, stop.signal)
  await until(() => noted().filter((line) => line === 'hangs').length === 2)
  stop.abort()
  await t.rejects(stopped, { message: 'toolset notes: the run was stopped' })
  await until(() => noted().filter((line) => line.startsWith('cancelled')).length === 2)
  t.equal(await call(toolset, 'echo'), 'echo {}')

  const hasty = odd(t, 'plain', { timeout_seconds: 3 }, { clock })
  const soon = call(hasty.toolset, 'hang').catch(({ message }: Error) => message)
  await until(() => hasty.noted().includes('hangs'))
  clock.advance(3_000)
  clock.advance(60_000)
  t.equal(await soon, 'toolset notes: the server did not answer within 3 s')
})

t.test('calls take turns: no more than a few at once', async (t) => {
  const clock = fakeClock()
  const { toolset, noted } = odd(t, 'plain', {}, { clock })
  const tool = named(await toolset(never), 'hang')
  const calls = Array.from({ length: 20 }, () => tool.call({}, { run, signal: never }).catch(({ message }: Error) => message))
  await until(() => noted().filter((line) => line === 'hangs').length === 16)
  t.equal(noted().filter((line) => line === 'hangs').length, 16)
  clock.advance(60_000)
  t.same(new Set(await Promise.all(calls)), new Set(['toolset notes: the server did not answer within 60 s']))
})

t.test('what is no message on stdout is passed over, and said once', async (t) => {
  const { toolset, lines } = odd(t, 'garbage')
  t.equal(await call(toolset, 'echo', { a: 1 }), 'echo {"a":1}')
  t.same(lines, [['warn', { toolset: 'notes' }, 'an MCP server wrote a line to stdout that is no message']])
})

t.test('a server that crashes is started again after ever longer rests, not in a tight loop', async (t) => {
  const clock = fakeClock()
  const { toolset, pids, lines } = odd(t, 'crash', { env: { NOTES_TOKEN: canary } }, { clock })
  const attempt = (): Promise<string> =>
    toolset(never).then(
      () => 'tools',
      ({ message }: Error) => message,
    )
  const crashed = 'toolset notes: the server did not start (exit code 3)'
  t.same([await attempt(), await attempt()], [crashed, crashed])
  for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60]) {
    t.match(await attempt(), new RegExp(`times in a row, and is tried again in ${seconds} s$`))
    clock.advance(seconds * 1000 - 1)
    t.match(await attempt(), /tried again in 1 s$/)
    const starts = pids().length
    clock.advance(1)
    t.equal(await attempt(), crashed)
    t.equal(pids().length, starts + 1)
  }
  t.match(lines.slice(0, 2), [
    ['warn', { reason: 'exit code 3' }, 'an MCP server has ended'],
    ['debug', { stderr: 'starting with ***\\nno licence' }, 'the last lines of stderr of an MCP server that ended'],
  ])
  t.notMatch(JSON.stringify(lines), canary)
})

t.test('a program that is not there is said, and not looked for in a tight loop either', async (t) => {
  const { toolset } = compile(t, { command: ['no-such-program-here'], allow: ['a'] }, { clock: fakeClock() })
  const missing = { message: 'toolset notes: the server did not start (cannot start no-such-program-here: ENOENT)' }
  await t.rejects(toolset(never), missing)
  await t.rejects(toolset(never), missing)
  await t.rejects(toolset(never), /tried again in 1 s/)
})

t.test('a server that never begins, or never lists, keeps nobody longer than its time; who gives up earlier stops no start', async (t) => {
  const clock = fakeClock()
  const mute = odd(t, 'mute', { start_timeout_seconds: 5 }, { clock })
  const waiting = mute.toolset(never).catch(({ message }: Error) => message)
  const stop = new AbortController()
  const impatient = mute.toolset(stop.signal).catch(({ message }: Error) => message)
  const [pid = 0] = await until(() => mute.pids().length > 0 && mute.pids())
  stop.abort()
  t.equal(await impatient, 'toolset notes: the run was stopped')
  clock.advance(5000)
  clock.advance(30_000)
  t.equal(await waiting, 'toolset notes: the server did not start within 5 s')
  t.ok(await isGone(pid))

  const silent = odd(t, 'silent', { start_timeout_seconds: 5 }, { clock })
  const listing = silent.toolset(never).catch(({ message }: Error) => message)
  await until(() => silent.noted().includes('silent'))
  clock.advance(5000)
  t.equal(await listing, 'toolset notes: the server did not list its tools within 5 s')
  t.ok(await isGone(silent.pids()[0] as number), 'it hangs, so the next run has a new one')
})

t.test('a server that does not read is not written to for ever, and is begun anew', async (t) => {
  const { toolset, pids } = odd(t, 'deaf')
  const tool = named(await toolset(never), 'echo')
  const large = tool.call({ text: 'x'.repeat(9 * 1024 * 1024) }, { run, signal: never }).catch(({ message }: Error) => message)
  await until(() => pids().length === 1)
  await t.rejects(tool.call({}, { run, signal: never }), { message: 'toolset notes: the server does not read what it is sent' })
  t.match(await large, /^toolset notes: the server ended before it answered/)
  t.equal((await toolset(never)).length, 4)
  t.equal(pids().length, 2)
})

t.test('ten thousand tools, and pages without end: the allowed ones are found, and no more is asked than needed', async (t) => {
  const many = odd(t, 'many', { allow: ['t9999', 't5'] })
  t.same(
    (await many.toolset(never)).map(({ name }) => name),
    ['notes_t5', 'notes_t9999'],
  )
  const endless = odd(t, 'endless', { allow: ['t7', 'none'] })
  t.same(
    (await endless.toolset(never)).map(({ name }) => name),
    ['notes_t7'],
  )
  t.match(endless.lines, [['warn', { tool: 'none' }]])
})

t.test('each run has the tools as they are then', async (t) => {
  const { toolset } = odd(t, 'changing', { allow: ['old', 'new'] })
  t.same(
    (await toolset(never)).map(({ name }) => name),
    ['notes_old'],
  )
  t.same(
    (await toolset(never)).map(({ name }) => name),
    ['notes_new'],
  )
})

t.test('names fit a model and stay apart; a name that no server has is none of the object either', async (t) => {
  const { toolset } = odd(t, 'plain', { allow: ['no.dots/ever', 'no_dots_ever', '__proto__'] })
  const names = (await toolset(never)).map(({ name }) => name)
  t.match(names, [/^notes_no_dots_ever_[0-9a-f]{8}$/, /^notes_no_dots_ever$/])
  t.equal(names.length, 2)
})

t.test('descriptions, schemas, answers and lines have a bound', async (t) => {
  const { toolset, lines } = odd(t, 'large', { allow: ['wordy', 'huge', 'long', 'flood'] })
  const tools = await toolset(never)
  t.same(
    tools.map(({ name }) => name),
    ['notes_wordy', 'notes_long', 'notes_flood'],
  )
  t.equal(named(tools, 'wordy').description.length, 4096)
  t.match(lines, [['warn', { tool: 'huge' }, /schema that is too large/]])
  t.match(await call(toolset, 'long'), /^y{262144}\n\[cut: the answer has 300000 characters\]$/)
  await t.rejects(call(toolset, 'flood'), { message: 'toolset notes: the server ended before it answered (wrote a line that is too long)' })
})

t.test('a program that goes on talking is ended; the call and the log say why, once', async (t) => {
  const unasked = 'wrote more than 10000 lines or messages within 10 s that answer no call'
  const cases: readonly [of: string, why: string][] = [
    ...['blanks', 'lines', 'requests', 'answers', 'batch'].map((of): [string, string] => [of, unasked]),
    ['bytes', 'wrote more than 16 MiB within 10 s that answer no call'],
  ]
  for (const [of, why] of cases) {
    const { toolset, lines } = odd(t, 'plain', { allow: ['talk'] }, { clock: fakeClock() })
    await t.rejects(call(toolset, 'talk', { of, count: 10_000 }), {
      message: `toolset notes: the server ended before it answered (${why})`,
    })
    t.same(
      lines.filter(([level]) => level === 'warn').map(([, fields, message]) => [message, fields.reason]),
      [
        ['an MCP server wrote a line to stdout that is no message', undefined],
        ['an MCP server has ended', why],
      ],
      of,
    )
  }
  const { toolset, lines, pids } = odd(t, 'plain', { allow: ['complain', 'echo'] }, { clock: fakeClock() })
  const why = 'wrote more than 16 MiB to stderr within 10 s'
  await t.rejects(call(toolset, 'complain'), { message: `toolset notes: the server ended before it answered (${why})` })
  t.equal(lines.filter(([, { reason }]) => reason === why).length, 1)
  t.ok(await isGone(pids()[0] as number))
  t.equal(await call(toolset, 'echo'), 'echo {}', 'the next call starts it again')
})

t.test('what a program may say unasked is counted anew after a while', async (t) => {
  const clock = fakeClock()
  const { toolset } = odd(t, 'plain', { allow: ['talk'] }, { clock })
  const most = { of: 'lines', count: 9_999 }
  t.equal(await call(toolset, 'talk', most), 'said')
  clock.advance(10_000)
  t.equal(await call(toolset, 'talk', most), 'said')
  await t.rejects(call(toolset, 'talk', most), /lines or messages within 10 s/)
})

t.test('while much is read that a program says, the event loop serves others again and again', async (t) => {
  let turns = 0
  let next = setImmediate(function turn() {
    turns++
    next = setImmediate(turn)
  })
  t.teardown(() => clearImmediate(next))
  for (const of of ['lines', 'notices', 'batch']) {
    let from: number | undefined
    const tell = (): void => {
      from ??= turns
    }
    const log = Object.assign(tell, { writes: () => true })
    const { toolset } = odd(t, 'plain', { allow: ['talk'] }, { clock: fakeClock(), log })
    // A batch is read as a whole, and no more than 1,000 of its messages.
    const most = of === 'batch' ? 900 : 4_000
    t.equal(await call(toolset, 'talk', { of, count: most }), 'said')
    t.ok(turns - (from ?? turns) >= most / 100 - 1, `${of}: no more than 100 in a turn`)
  }
})

t.test('of an answer no more than 1,000 parts are read; a long one is read as well', async (t) => {
  const { toolset } = odd(t, 'plain', { allow: ['parts', 'picture'] })
  t.equal(await call(toolset, 'parts', { count: 1000 }), 'x\n'.repeat(1000).trim())
  // A longer message than 256 KiB is read in a thread.
  for (const count of [1500, 50_000])
    t.equal(await call(toolset, 'parts', { count }), `${'x\n'.repeat(1000)}[${count - 1000} more parts: not passed on]`)
  t.equal(await call(toolset, 'picture', { size: 7 * 1024 * 1024 }), '[image image/png: not passed on]\nseen')
})

t.test('what a server asks of us is refused', async (t) => {
  const { toolset } = odd(t, 'plain')
  for (const method of ['sampling/createMessage', 'elicitation/create', 'roots/list'])
    t.equal(await call(toolset, 'ask', { method }), 'refused -32601', method)
})

t.test('its scope closes it: no process is left, not one that ignores SIGTERM, nor what it started', async (t) => {
  const { toolset, close, pids, noted } = odd(t, 'stubborn')
  const scopes = createPartScopes(
    systemClock,
    Object.assign(() => {}, { writes: () => false }),
  )
  const scope = scopes.create({})
  const adopted = scope.adopt({ run: toolset, close })
  t.equal(await call(adopted, 'echo'), 'echo {}')
  const started = await until(() => pids().length === 3 && pids())
  for (const pid of started) t.ok(isRunning(pid))
  scope.release()
  for (const pid of started) t.ok(await isGone(pid))
  t.ok(noted().includes('asked'), 'it was asked first')
  await scopes.close()
})

t.test('a close during the start leaves nothing behind', async (t) => {
  const { toolset, close, pids } = odd(t, 'mute')
  const opening = toolset(never).catch(({ message }: Error) => message)
  const [pid = 0] = await until(() => pids().length > 0 && pids())
  await close()
  t.match(await opening, /^toolset notes: the server did not start/)
  t.ok(await isGone(pid))
  await t.rejects(toolset(never), { message: 'toolset notes: the server is closed' })
})

/** A real server over Streamable HTTP, with sessions. `forget` makes it know none of them any more. */
const service = async (t: Test, enableJsonResponse: boolean, port = 0) => {
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  const seen: string[] = []
  const server = createServer(async (request, response) => {
    const id = String(request.headers['mcp-session-id'] ?? '')
    seen.push(`${request.method} ${request.headers.authorization}`)
    const known = sessions.get(id)
    if (known) return known.handleRequest(request, response)
    if (id !== '') return json(response, 404, { jsonrpc: '2.0', id: null, error: { code: -32001, message: 'Session not found' } })
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse,
      onsessioninitialized: (made) => void sessions.set(made, transport),
      onsessionclosed: (gone) => void sessions.delete(gone),
    })
    await toolServer().connect(transport as Transport)
    await transport.handleRequest(request, response)
  })
  await new Promise<void>((ready) => server.listen(port, '127.0.0.1', ready))
  const kill = (): void => {
    server.closeAllConnections()
    server.close()
  }
  t.teardown(kill)
  return { server, kill, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, sessions, seen }
}

for (const isJson of [true, false])
  t.test(`a real server over HTTP, answering with ${isJson ? 'JSON' : 'events'}: calls, a lost session, and a close`, async (t) => {
    const { url, sessions, seen } = await service(t, isJson)
    const { toolset, close } = compile(t, { url, headers: { Authorization: `Bearer ${canary}` }, allow: ['add', 'fail'] })
    const tools = await toolset(never)
    t.same(
      tools.map(({ name }) => name),
      ['notes_add', 'notes_fail'],
    )
    const add = (a: number) => named(tools, 'add').call({ a, b: 1 }, { run, signal: never })
    t.same(await Promise.all([add(1), add(2), add(3)]), ['2', '3', '4'])
    await t.rejects(named(tools, 'fail').call({}, { run, signal: never }), /^no such note/)
    t.equal(sessions.size, 1)
    sessions.clear()
    t.same(await Promise.all([add(4), add(5)]), ['5', '6'], 'a call in a session that is lost is made in a new one')
    sessions.clear()
    t.equal((await toolset(never)).length, 2, 'so is a listing')
    t.same(new Set(seen), new Set([`POST Bearer ${canary}`]), 'no stream is kept open')
    await close()
    t.equal(seen.at(-1), `DELETE Bearer ${canary}`)
    t.equal(sessions.size, 0)
  })

t.test('a service that is odd gives a sentence, which quotes neither address nor headers', async (t) => {
  const elsewhere = await sink(t, (response) => json(response, 200, {}))
  const event = (message: object): string => `event: message\r\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\r\n\r\n`
  const cases: readonly [what: string, answer: (response: ServerResponse, id: unknown) => void, why: string | RegExp][] = [
    ['401', (response) => json(response, 401, { canary }), 'the server does not let us in (HTTP 401): check "headers" of the toolset'],
    ['403', (response) => json(response, 403, {}), 'the server does not let us in (HTTP 403): check "headers" of the toolset'],
    [
      'a redirect',
      (response) => response.writeHead(307, { location: elsewhere.origin }).end(),
      'the server redirects (HTTP 307), which is not followed: check "url" of the toolset',
    ],
    ['500', (response) => json(response, 500, { canary }), 'the server answered HTTP 500'],
    ['404', (response) => json(response, 404, {}), 'the server answered HTTP 404'],
    ['a page', (response) => response.end('<html>'), 'the server gave an answer that cannot be read'],
    ['nothing', (response) => response.writeHead(202).end(), 'the server broke off before it answered'],
    ['another answer', (response) => json(response, 200, { id: 77, result: {} }), 'the server broke off before it answered'],
    [
      'a broken stream',
      (response) => response.setHeader('content-type', 'text/event-stream').end(': hello\n\ndata: {}\n\n'),
      'the server broke off before it answered',
    ],
    ['a cut connection', (response) => response.socket?.destroy(), /^the server cannot be reached \([A-Z_]+\)$/],
    ['no end', (response) => response.end('x'.repeat(9 * 1024 * 1024)), 'the server gave an answer that is too long'],
    [
      'an event without end',
      (response) => response.setHeader('content-type', 'text/event-stream').end(`data: ${'x'.repeat(5 * 1024 * 1024)}\n`.repeat(2)),
      'the server gave an answer that is too long',
    ],
    [
      'another protocol',
      (response, id) => response.setHeader('content-type', 'text/event-stream').end(event({ id, result: { tools: [] } })),
      'the server does not speak as an MCP server does',
    ],
    [
      'a refusal',
      (response, id) =>
        response.setHeader('content-type', 'text/event-stream').end(event({ id, error: { code: -1, message: `no ${canary}` } })),
      'the server refused: no ***',
    ],
  ]
  for (const [what, answer, why] of cases) {
    const { origin } = await sink(t, (response, { body }) => answer(response, JSON.parse(body).id))
    const { toolset } = compile(t, { url: `${origin}/${canary}`, headers: { 'X-Api-Key': canary }, allow: ['a'] })
    const message = await toolset(never).then(String, (error: Error) => error.message)
    t.match(message.replace('toolset notes: ', ''), why, what)
    t.notMatch(message, canary)
  }
  t.same(elsewhere.seen, [])
  const { toolset } = compile(t, { url: await closedOrigin(), allow: ['a'] })
  await t.rejects(toolset(never), { message: 'toolset notes: the server cannot be reached (ECONNREFUSED)' })
})

t.test('a service that goes on talking is not listened to; the call and the log say why, once', async (t) => {
  const event = (message: unknown): string => `data: ${JSON.stringify(message)}\n\n`
  const unasked = 'the server sent more than 10000 lines or messages within 10 s that answer no call'
  const cases: readonly [what: string, type: string, body: string, why: string][] = [
    ['comments', 'text/event-stream', ': \n'.repeat(10_001), unasked],
    ['blank lines', 'text/event-stream', '\n'.repeat(10_001), unasked],
    ['lines of one event', 'text/event-stream', 'data: \n'.repeat(10_001), unasked],
    ['notices', 'text/event-stream', event({ method: 'n' }).repeat(10_001), unasked],
    ['a batch', 'text/event-stream', event(Array(10_001).fill({})), unasked],
    ['a batch as JSON', 'application/json', JSON.stringify(Array(10_001).fill({})), unasked],
    ['bytes', 'text/event-stream', `: ${'x'.repeat(7 * 1024 * 1024)}\n`.repeat(3), unasked.replace('10000 lines or messages', '16 MiB')],
  ]
  for (const [what, type, body, why] of cases) {
    const { origin } = await sink(t, (response) => response.setHeader('content-type', type).end(body))
    const { toolset, lines } = compile(t, { url: origin, allow: ['a'] }, { clock: fakeClock() })
    await t.rejects(toolset(never), { message: `toolset notes: ${why}` }, what)
    await t.rejects(toolset(never), { message: `toolset notes: ${why}` })
    t.same(lines, [['warn', { toolset: 'notes', reason: why }, 'an MCP server sends more than the gateway reads, so its calls fail']], what)
  }
})

for (const [what, most, isAnswered] of [
  ['16 requests of a service are refused at once', 16, false],
  ['100 requests of a service are refused within 10 s', 100, true],
] as const)
  t.test(`no more than ${what}: each refusal is a request too`, async (t) => {
    const refusals: JsonObject[] = []
    const { origin } = await sink(t, async (response, { body }) => {
      const message: JsonObject = JSON.parse(body)
      if (message.method !== 'initialize') {
        refusals.push(message)
        if (isAnswered) response.writeHead(202).end()
        return
      }
      response.setHeader('content-type', 'text/event-stream')
      const request = `data: ${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'roots/list' })}\n\n`
      await until(() => {
        response.write(request.repeat(20))
        return refusals.length >= most
      })
      response.end(`${request.repeat(500)}data: ${JSON.stringify({ jsonrpc: '2.0', id: message.id, result: {} })}\n\n`)
    })
    const { toolset } = compile(t, { url: origin, allow: ['a'] }, { clock: fakeClock() })
    await t.rejects(toolset(never), { message: 'toolset notes: the server does not speak as an MCP server does' })
    t.equal(refusals.length, most)
  })

t.test('a service that closes its stream within a call goes on in the next stream, and is called once', async (t) => {
  const opening: { readonly [method: string]: object } = {
    initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'n', version: '1' } },
    'tools/list': { tools: [{ name: 'a', inputSchema: { type: 'object' } }] },
  }
  const asked: string[] = []
  const answers: readonly (readonly [first: string, next: (response: ServerResponse, id: number) => void, said: string | RegExp])[] = [
    ['id: 1\nretry: 0\ndata:\n\n', (response, id) => response.end(said(id)), 'said'],
    ['id: 1\nretry: 0\ndata: {"method":"n"}\n\n', (response) => response.writeHead(405).end(), /the server broke off before it answered$/],
    ['data: {"method":"n"}\n\n', (response, id) => response.end(said(id)), /the server broke off before it answered$/],
  ]
  const said = (id: number) =>
    `id: 2\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'said' }] } })}\n\n`
  for (const [i, [first, next, expected]] of answers.entries())
    for (const isCut of [false, true]) {
      let called: number | undefined
      const { origin } = await sink(t, (response, { method, body, headers }) => {
        const message = method === 'POST' ? JSON.parse(body) : undefined
        asked.push(`${method} ${message?.method ?? headers['last-event-id']}`)
        const result = opening[message?.method]
        if (result) return json(response, 200, { jsonrpc: '2.0', id: message.id, result })
        if (message && message.method !== 'tools/call') return void response.writeHead(202).end()
        response.setHeader('content-type', 'text/event-stream')
        if (!message) return next(response, called ?? 0)
        called = message.id
        response.write(first, () => (isCut ? response.socket?.destroy() : response.end()))
      })
      const { toolset } = compile(t, { url: origin, allow: ['a'] })
      const what = `${i}${isCut ? ', cut' : ''}`
      const answer = await call(toolset, 'a').catch((error: Error) => error.message)
      t.match(answer, isCut && i === 2 ? /the server cannot be reached/ : expected, what)
      t.equal(asked.splice(0).filter((each) => each === 'POST tools/call').length, 1, `${what}: the call is not made twice`)
      t.equal((await toolset(never)).length, 1, `${what}: the next use finds the server`)
    }
})

t.test('a service that is killed in a call: the call fails, and the next one finds the service that took its place', async (t) => {
  const serve = async (port = 0) => {
    const { url, server, kill } = await service(t, true, port)
    return { url, port: (server.address() as AddressInfo).port, kill }
  }
  const first = await serve()
  const { toolset } = compile(t, { url: first.url, allow: ['add', 'hang'] })
  t.equal(await call(toolset, 'add', { a: 1, b: 1 }), '2')
  const hanging = call(toolset, 'hang')
  await until(() => hangs.count === 1)
  first.kill()
  await t.rejects(hanging, { message: /^toolset notes: the server cannot be reached \([A-Z_]+\)$/ })
  await t.rejects(call(toolset, 'add'), { message: /^toolset notes: the server cannot be reached \(ECONNREFUSED\)$/ })
  await serve(first.port)
  t.equal(await call(toolset, 'add', { a: 2, b: 1 }), '3', 'with a session of its own')
})

t.test('a service that never answers keeps nobody longer than its time', async (t) => {
  const clock = fakeClock()
  const { origin, seen } = await sink(t, () => {})
  const { toolset, close } = compile(t, { url: origin, allow: ['a'], start_timeout_seconds: 3 }, { clock })
  const waiting = toolset(never).catch(({ message }: Error) => message)
  await until(() => seen.length === 1)
  clock.advance(3000)
  t.equal(await waiting, 'toolset notes: the server did not start within 3 s')
  await close()
})

t.test('the server of the example finds and reads notes, and nothing else', async (t) => {
  const { toolsets } = parse(readFileSync('examples/mcp-toolset.yaml', 'utf8'))
  const folder = newFolder(t, { 'disk.md': 'The disk was full.\n', 'net.md': 'A cable.\n', 'secret.txt': 'The disk is mine.' })
  const command = [...toolsets.notes.command.slice(0, -1), folder]
  const { toolset, lines } = compile(t, { ...toolsets.notes, command })
  t.same(
    (await toolset(never)).map(({ name }) => name),
    ['notes_find_note', 'notes_read_note'],
  )
  t.equal(await call(toolset, 'find_note', { text: 'disk' }), 'disk.md')
  t.equal(await call(toolset, 'read_note', { name: 'disk.md' }), 'The disk was full.\n')
  await t.rejects(call(toolset, 'read_note', { name: '../secret.txt' }), { message: 'there is no note ../secret.txt' })
  t.same(lines, [])
})
