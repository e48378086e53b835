import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { fakeClock } from '../fakes/clock.ts'
import { newFolder } from '../fakes/folder.ts'
import { type GatewayOptions, type Line, secret, startGateway, type TestGateway } from '../fakes/gateway.ts'
import { json, sink } from '../fakes/sink.ts'
import { until } from '../fakes/wait.ts'

/** Counts itself in `asked`, waits for `go` when it is told to, then does what the prompt says. */
const agent = `
cd "$(dirname "$0")"
prompt=$(cat)
echo "$HEADGATE_DELIVERY_ID" >> asked
case $prompt in
  fail*) echo "no luck, canary" >&2; exit 3 ;;
  once*) [ -e failed ] || { touch failed; exit 1; } ;;
  wait*) while [ ! -e go ]; do sleep .02; done ;;
esac
echo "$prompt by $HEADGATE_ROUTE $HEADGATE_EVENT $HEADGATE_PROFILE"
`

type WithAgent = TestGateway & {
  /** How often the agent was started. */
  asked(): number
  /** Lets the agents that wait come to their end. */
  go(): void
  send(prompt: string, id: string, route?: string): ReturnType<TestGateway['post']>
}

const start = async (t: Test, options: GatewayOptions = {}): Promise<WithAgent> => {
  const config = { agent: { runner: 'command', command: ['bash', join(options.dir ?? t.testdirName, 'agent.sh')] }, ...options.config }
  const gateway = await startGateway(t, { routes: { r: { prompt: '{prompt}' } }, files: { 'agent.sh': agent }, ...options, config })
  return {
    ...gateway,
    asked: () => (existsSync(join(gateway.dir, 'asked')) ? readFileSync(join(gateway.dir, 'asked'), 'utf8').trim().split('\n').length : 0),
    go: () => writeFileSync(join(gateway.dir, 'go'), ''),
    send: (prompt, id, route = 'r') => gateway.post(route, { body: { prompt }, headers: { 'X-Request-ID': id, 'X-GitHub-Event': 'push' } }),
  }
}

const saying =
  (msg: string, id: string) =>
  (line: Line): boolean =>
    line.msg === msg && line.delivery_id === id

t.test('the agent: the prompt on its standard input, who it is for in its environment, its reply goes to the target', async (t) => {
  const gateway = await start(t)
  t.equal((await gateway.send('hello $(id)', 'one two')).status, 202)
  t.equal((await gateway.line(saying('delivered', 'one two'))).text, 'hello $(id) by r push default')
  t.equal(readFileSync(join(gateway.dir, 'asked'), 'utf8'), 'one two\n')
})

t.test('a failing agent is tried again, each time later, and ends as dead; the log says so', async (t) => {
  const clock = fakeClock()
  const retry = { max_attempts: 3, backoff: 100 }
  const gateway = await start(t, { clock, routes: { r: { prompt: '{prompt}', retry } } })
  const later = (attempt: number) => (line: Line) => line.msg === 'run failed, it will be tried again' && line.attempt === attempt
  t.equal((await gateway.send('fail', 'f')).status, 202)
  for (const attempt of [1, 2]) {
    t.match((await gateway.line(later(attempt))).reason, /agent: .*exit code 3: no luck/)
    t.equal(gateway.asked(), attempt, 'it waits for its time')
    await until(() => {
      clock.advance(20_000)
      return gateway.asked() > attempt
    })
  }
  const dead = await gateway.line(saying('run is dead', 'f'))
  t.match(dead, { level: 'error', route: 'r', attempt: 3, reason: /exit code 3/ })
  clock.advance(1_000_000)
  t.equal((await gateway.send('hello', 'after')).status, 202)
  await gateway.line(saying('delivered', 'after'))
  t.equal(gateway.asked(), 4, 'dead is dead')
  t.equal((await gateway.send('fail', 'f')).json.status, 'duplicate', 'and its id stays taken')
})

t.test('a delivery id is kept for an hour', async (t) => {
  const clock = fakeClock()
  const gateway = await start(t, { clock, config: { agent: { runner: 'echo' } } })
  const status = async (): Promise<number> => (await gateway.send('hello', 'hour')).status
  t.equal(await status(), 202)
  clock.advance(3_599_000)
  t.equal(await status(), 200)
  clock.advance(2_000)
  t.equal(await status(), 202)
})

t.test('an agent that fails once is asked once more, and its second reply is delivered', async (t) => {
  const gateway = await start(t, { routes: { r: { prompt: '{prompt}', retry: { backoff: 0 } } } })
  await gateway.send('once', 'o')
  t.match((await gateway.line(saying('delivered', 'o'))).text, /^once by r/)
  t.equal(gateway.asked(), 2)
})

t.test('an agent that takes too long is stopped with all that it started', async (t) => {
  const gateway = await start(t, { routes: { r: { prompt: '{prompt}', agent: { timeout_seconds: 0.3 }, retry: { max_attempts: 1 } } } })
  await gateway.send('wait', 'w')
  t.match((await gateway.line(saying('run is dead', 'w'))).reason, /took too long/)
})

t.test('Deliveries', async (t) => {
  const status: { [path: string]: number[] } = { '/flaky': [500, 503, 200], '/gone': [410], '/down': [500, 500, 500] }
  const receiver = await sink(t, (response, { url }) => json(response, status[url]?.shift() ?? 200, {}))
  const to = (path: string): object => ({
    prompt: '{prompt}',
    deliver: 'http',
    deliver_extra: { url: `${receiver.origin}${path}` },
    retry: { max_attempts: 3, backoff: 0 },
  })
  const gateway = await start(t, { routes: { flaky: to('/flaky'), gone: to('/gone'), down: to('/down'), quiet: to('/quiet') } })
  const seen = (path: string) => receiver.seen.filter(({ url }) => url === path)

  t.test('a failed delivery is repeated under the same id, without a second agent run', async (t) => {
    await gateway.send('hello', 'd', 'flaky')
    await until(() => seen('/flaky').length === 3)
    t.equal(new Set(seen('/flaky').map(({ body, headers }) => `${headers['webhook-id']} ${body}`)).size, 1)
    t.match(seen('/flaky')[0]?.body, /hello by flaky/)
    t.equal(gateway.asked(), 1)
  })

  t.test('a 4xx is dead at once', async (t) => {
    await gateway.send('hello', 'g', 'gone')
    t.match(await gateway.line(saying('run is dead', 'g')), { attempt: 1, reason: /HTTP 410/ })
    t.equal(seen('/gone').length, 1)
  })

  t.test('out of attempts is dead, with one agent run', async (t) => {
    const before = gateway.asked()
    await gateway.send('hello', 'x', 'down')
    t.match(await gateway.line(saying('run is dead', 'x')), { attempt: 3, reason: /HTTP 500/ })
    t.equal(seen('/down').length, 3)
    t.equal(gateway.asked(), before + 1)
  })

  t.test('words of silence, alone or as the first or last line, send nothing', async (t) => {
    const echo = await startGateway(t, { routes: { quiet: to('/quiet') }, config: { gateway: { max_concurrent_runs: 1 } } })
    const silent = ['[SILENT]', 'SILENT', 'NO_REPLY', 'NO REPLY', ' [SILENT]\n', '[SILENT]\nbecause', 'thought\nNO_REPLY', '   ']
    const loud = ['SILENTLY', 'not [SILENT]', 'a\n[SILENT]\nb', 'silent']
    for (const prompt of [...silent, ...loud]) t.equal((await echo.post('quiet', { body: { prompt } })).status, 202)
    await until(() => seen('/quiet').length >= loud.length)
    t.same(
      seen('/quiet').map(({ body }) => JSON.parse(body).text),
      loud,
      'one after the other, so none of the silent ones was sent',
    )
  })
})

t.test('no agent is asked whose reply has nowhere to go: its run is dead at once, with the reason', async (t) => {
  const receiver = await sink(t, (response) => json(response, 200, {}))
  const plugin = `export const target = {
    name: 'acme-chat', repeatable: true,
    undeliverable: ({ room }) => (room === 'none' ? 'there is no such room' : undefined),
    async send() { return { ok: true } },
  }`
  const to = (deliver: unknown, deliver_extra: object = {}, more: object = {}): object => ({
    prompt: '{prompt}',
    deliver,
    deliver_extra,
    ...more,
  })
  const pull = { repo: '{repo}', pr_number: '{pulls.0.number}' }
  const lost: { readonly [route: string]: readonly [route: object, why: RegExp] } = {
    fork: [
      to('github_comment', pull),
      /^delivery to github_comment: pr_number is not a positive whole number: "\{pulls\.0\.number\}"; the agent was not asked$/,
    ],
    chat: [to('telegram', { chat_id: '{chat.id}' }), /telegram: a placeholder that the payload does not fill/],
    homeless: [to('telegram'), /telegram: no chat_id, and platforms\.telegram has no home_channel/],
    url: [to('http', { url: `${receiver.origin}/{missing}` }), /http: url has a placeholder/],
    mail: [to('email', { chat_id: '{who}' }), /email: chat_id is no e-mail address/],
    priority: [to('ntfy', { chat_id: 'x', priority: '{prompt}' }), /ntfy: priority is not a number from 1 to 5/],
    off: [to('slack', { chat_id: 'C012345' }), /slack: not connected/],
    plugin: [to('acme-chat', { room: 'none' }), /acme-chat: there is no such room/],
    several: [to(['github_comment', 'telegram'], pull), /github_comment: repo is not owner\/name.*; delivery to telegram: /],
  }
  const taken = {
    one: to([{ target: 'github_comment', deliver_extra: pull }, 'log'], {}, { deliver_mode: 'first_success' }),
    waits: to('telegram', {}, { respond: { wait_seconds: 5 } }),
    reported: to('telegram', {}, { callback: { url: `${receiver.origin}/end` } }),
  }
  const gateway = await start(t, {
    config: {
      plugins: ['./acme.mjs'],
      platforms: {
        telegram: { token: '123456:AAfaketokenfaketokenfaketoken000000' },
        email: { address: 'us@example.org', smtp_host: '127.0.0.1' },
        ntfy: { server_url: receiver.origin },
        webhook: {
          enabled: true,
          extra: {
            secret,
            port: 0,
            routes: { ...Object.fromEntries(Object.entries(lost).map(([name, [route]]) => [name, route])), ...taken },
          },
        },
      },
    },
    files: { 'agent.sh': agent, 'acme.mjs': plugin },
  })
  for (const [route, [, why]] of Object.entries(lost)) {
    const body = { prompt: 'x', ...(route === 'several' ? {} : { repo: 'acme/web' }) }
    t.equal((await gateway.post(route, { body, headers: { 'X-Request-ID': route } })).status, 202)
    t.match(await gateway.line(saying('run is dead', route)), { attempt: 1, reason: why }, route)
  }
  t.equal(gateway.asked(), 0)
  t.equal(receiver.seen.length, 0)
  for (const route of Object.keys(taken)) await gateway.send('y', `t-${route}`, route)
  await until(() => gateway.asked() === 3)
})

t.test('a full queue answers 503 with Retry-After, and the id is not consumed', async (t) => {
  const config = { gateway: { max_queued_runs: 1 }, agent: { runner: 'command', command: ['bash', join(t.testdirName, 'agent.sh')] } }
  const gateway = await start(t, { config })
  t.equal((await gateway.send('wait', 'first')).status, 202)
  const full = await gateway.send('hello', 'second')
  t.equal(full.status, 503)
  t.same(full.json, { error: 'Queue is full' })
  t.match(full.headers.get('retry-after'), /^[1-9]\d*$/)
  gateway.go()
  await gateway.line(saying('delivered', 'first'))
  let answer = await gateway.send('hello', 'second')
  // The line is written a moment before the run counts as done.
  for (let tries = 0; answer.status === 503 && tries < 100; tries++) answer = await gateway.send('hello', 'second')
  t.equal(answer.status, 202)
  await gateway.line(saying('delivered', 'second'))
})

t.test('stopping: posts get 503 with Retry-After, what runs may finish', async (t) => {
  const gateway = await start(t)
  await gateway.send('wait', 'runs')
  await until(() => gateway.asked() === 1)
  const stopped = gateway.stop(10_000)
  const late = await gateway.send('hello', 'late')
  t.equal(late.status, 503)
  t.same(late.json, { error: 'Server is stopping' })
  t.match(late.headers.get('retry-after'), /^[1-9]\d*$/)
  t.equal((await gateway.post('', { path: '/health', method: 'GET' })).status, 200)
  gateway.go()
  await stopped
  t.ok(gateway.lines.some(saying('delivered', 'runs')))
  await t.rejects(gateway.send('hello', 'x'), 'nobody listens any more')
})

t.test('Restart, with the store on disk', async (t) => {
  const dir = t.testdirName
  const routes = { r: { prompt: '{prompt}', retry: { max_attempts: 1 } } }
  const config = {
    platforms: { webhook: { enabled: true, extra: { port: 0, secret, routes } } },
    agent: { runner: 'command', command: ['bash', join(dir, 'agent.sh')] },
    gateway: { max_concurrent_runs: 1 },
  }
  newFolder(t, { 'agent.sh': agent, 'config.yaml': JSON.stringify(config) })
  const first = await start(t, { dir })
  await first.send('hello', 'done')
  await first.line(saying('delivered', 'done'))
  t.equal((await first.send('wait', 'broken off')).status, 202)
  t.equal((await first.send('hello', 'waits')).status, 202)
  await until(() => first.asked() === 2)
  // Past the drain time the run is broken off, the other never began.
  await first.stop(100)
  t.notOk(first.lines.some(saying('delivered', 'broken off')))
  first.go()

  const second = await start(t, { dir })
  await second.line(saying('delivered', 'broken off'))
  await second.line(saying('delivered', 'waits'))
  t.equal(second.asked(), 4, 'once more for the one that was broken off, though it has one attempt only')
  for (const id of ['done', 'broken off', 'waits']) t.equal((await second.send('hello', id)).json.status, 'duplicate', id)
  t.equal(second.lines.filter(saying('run is dead', 'broken off')).length, 0)
})
