/** `deliver_if`: a reply is delivered only while the facts hold that its route asks about once more. */

import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { stringify } from 'yaml'
import { journalFolder } from '../../src/journal/folder.ts'
import { readEvents } from '../../src/journal/reader.ts'
import type { EventView } from '../../src/journal/record.ts'
import { runAt } from '../fakes/cli.ts'
import { newFolder } from '../fakes/folder.ts'
import { type GatewayOptions, startGateway, type TestGateway } from '../fakes/gateway.ts'
import { json, type Seen, sink } from '../fakes/sink.ts'
import { until } from '../fakes/wait.ts'

/** Answers with its prompt, once the file `go` is there. Each call leaves a file. */
const agent = `
cd "$(dirname "$0")"
touch "asked-$HEADGATE_DELIVERY_ID-$$"
while [ ! -e go ]; do sleep .02; done
cat
`

const headOf = (origin: string) => ({
  pr: { http: `${origin}/pulls/{number}`, path: 'head', allow_private: true, cache_minutes: 60 },
})
const sameHead = { field: 'lookup.pr.sha', equals_field: 'pull.head.sha' }
const pull = (number: number, sha = 'one', more: object = {}): object => ({ number, pull: { head: { sha } }, ...more })

type Started = TestGateway & {
  readonly origin: string
  readonly seen: readonly Seen[]
  /** What the server answers from now on: the hash of the head, or a status. */
  readonly say: (answer: string | number) => void
  /** The paths that were asked for. */
  readonly asked: () => readonly string[]
  readonly send: (body: object, id: string, headers?: object) => Promise<{ readonly status: number; readonly json: unknown }>
  readonly go: () => void
  /** How often the agent was asked about the event of a delivery id. */
  readonly calls: (id: string) => number
  readonly texts: () => readonly unknown[]
  readonly ended: (id: string, state: string) => Promise<EventView>
}

const start = async (t: Test, route: (origin: string) => object = () => ({}), more: GatewayOptions = {}): Promise<Started> => {
  let said: string | number = 'one'
  const server = await sink(t, (response, { url = '' }) => {
    if (url.startsWith('/pulls/')) json(response, typeof said === 'number' ? said : 200, { head: { sha: said } })
    else json(response, 200, {})
  })
  const routes = {
    r: { lookup: headOf(server.origin), deliver_if: sameHead, prompt: 'review {number}', ...route(server.origin) },
  }
  const config = { agent: { runner: 'command', command: ['bash', join(more.dir ?? t.testdirName, 'agent.sh')] }, ...more.config }
  const gateway = await startGateway(t, { routes, files: { 'agent.sh': agent }, ...more, config } as GatewayOptions)
  const { dir } = gateway
  return {
    ...gateway,
    origin: server.origin,
    seen: server.seen,
    say: (answer) => {
      said = answer
    },
    asked: () => server.seen.flatMap(({ url = '' }) => (url.startsWith('/pulls/') ? url : [])),
    send: (body, id, headers = {}) => gateway.post('r', { body, headers: { 'X-Request-ID': id, ...headers } }),
    go: () => writeFileSync(join(dir, 'go'), ''),
    calls: (id) => readdirSync(dir).filter((name) => name.startsWith(`asked-${id}-`)).length,
    texts: () => gateway.lines.filter(({ msg }) => msg === 'delivered').map(({ text }) => text),
    async ended(id, state) {
      let view: EventView | undefined
      await until(async () => {
        view = (await readEvents(journalFolder(dir), { limit: 100 })).events.find((each) => each.delivery_id === id)
        return view?.state === state
      })
      return view as EventView
    },
  }
}

t.test('a review of an old head is not posted: the run ends as stale, and its reply stays in the record', async (t) => {
  const gateway = await start(t, (origin) => ({ callback: { url: `${origin}/end` } }))
  t.match(await gateway.send(pull(1), 'a'), { status: 202 })
  t.match(await gateway.send(pull(2), 'b'), { status: 202 })
  await until(() => gateway.calls('a') + gateway.calls('b') === 2)
  t.strictSame([...gateway.asked()].sort(), ['/pulls/1', '/pulls/2'])
  gateway.say('two')
  gateway.go()
  const a = await gateway.ended('a', 'stale')
  const error = 'stale: deliver_if lookup.pr.sha equals_field "pull.head.sha" (got "two")'
  t.match(a, { state: 'stale', error, attempt: 1 })
  await gateway.ended('b', 'stale')
  t.strictSame(gateway.texts(), [])
  t.match(await gateway.line(({ msg }) => msg === 'run is stale'), { level: 'info', reason: error })
  t.equal(gateway.asked().length, 4, 'each is asked once more, whatever answer is kept')
  const { out } = await runAt(gateway.dir, ['events', 'list', '--state', 'stale', '--json'])
  t.equal(JSON.parse(out).data.events.length, 2)
  t.match((await runAt(gateway.dir, ['events', 'show', String(a.event_id)])).out, /stale[\s\S]*review 1/)
  const reports = await until(() => {
    const found = gateway.seen.filter(({ url }) => url === '/end').map(({ body }) => JSON.parse(body))
    return found.length === 2 && found
  })
  t.match(reports, [{ status: 'stale', error, reply: /^review/ }, { status: 'stale' }])
})

t.test('the reply goes out while the condition holds, whatever fields it reads; also after a restart', async (t) => {
  const route = (origin: string) => ({
    lookup: headOf(origin),
    deliver_if: [
      sameHead,
      { field: 'payload.big', equals_field: 'big' },
      { field: 'big', equals: 9007199254740993n },
      { field: 'labels.0.name', equals: 'agent' },
      { field: 'labels', any_item: { field: 'name', equals_field: 'wanted' } },
      { field: '__proto__.x', equals: 1 },
      { field: "dotted.'a.b'", equals: true },
      { not: { field: 'missing.here', exists: true } },
      {
        any: [
          { field: 'event', equals: 'push' },
          { field: 'event', equals: 'pull_request' },
        ],
      },
    ],
  })
  const body =
    '{"number":1,"pull":{"head":{"sha":"one"}},"big":9007199254740993,"labels":[{"name":"agent"},{"name":"x"}],"wanted":"x","__proto__":{"x":1},"dotted":{"a.b":true}}'
  const config = { storage: { kind: 'sqlite' } }
  const first = await start(t, route, { config })
  t.match(await first.send(body as never, 'a', { 'X-GitHub-Event': 'pull_request' }), { status: 202 })
  await until(() => first.calls('a') === 1)
  t.equal(first.asked().length, 1)
  await first.stop(0)
  const second = await start(t, route, { config, dir: first.dir })
  second.go()
  await second.ended('a', 'done')
  t.strictSame(second.texts(), ['review 1'])
  t.strictSame(first.asked(), ['/pulls/1', '/pulls/1'], 'the route asks the same server')
})

t.test('while the question has no answer, the delivery is tried again, and the agent is not; at the end the run is dead', async (t) => {
  const gateway = await start(t, () => ({ retry: { max_attempts: 3, backoff: 0 } }))
  await gateway.send(pull(1), 'a')
  await until(() => gateway.calls('a') === 1)
  gateway.say(500)
  gateway.go()
  const dead = await gateway.ended('a', 'dead')
  t.match(dead, { attempt: 3, error: /^deliver_if: lookup\.pr: .* answered HTTP 500$/ })
  t.equal(gateway.calls('a'), 1)
  t.strictSame(gateway.texts(), [])
  gateway.say('one')
  t.match(await runAt(gateway.dir, ['events', 'retry', String(dead.event_id)]), { code: 0 })
  await gateway.ended('a', 'done')
  t.strictSame(gateway.texts(), ['review 1'])
  t.equal(gateway.calls('a'), 1)
})

t.test('where one target has the reply, the others get it too', async (t) => {
  let status = 500
  const receiver = await sink(t, (response) => json(response, status, {}))
  const gateway = await start(t, () => ({
    deliver: ['log', 'http'],
    deliver_extra: { url: receiver.origin },
    retry: { max_attempts: 20, backoff: 0 },
  }))
  gateway.go()
  await gateway.send(pull(1), 'a')
  await until(() => receiver.seen.length > 0)
  gateway.say('two')
  const asked = gateway.asked().length
  status = 200
  await gateway.ended('a', 'done')
  t.equal(gateway.asked().length, asked)
})

t.test('an event of which a run would keep too much is refused', async (t) => {
  const gateway = await start(t, (origin) => ({
    lookup: headOf(origin),
    deliver_if: [sameHead, { field: 'pull', exists: true }],
  }))
  t.match(await gateway.send({ number: 1, pull: { head: { sha: 'one' }, text: 'x'.repeat(20_000) } }, 'a'), { status: 422 })
  t.match(await gateway.line(({ stage, reason }) => stage === 'deliver_if' && reason !== undefined), {
    reason: 'deliver_if reads values of more than 16384 characters together',
  })
})

t.test('a test of a route says what has changed when the reply is there', async (t) => {
  const of = (name: string, more: object, expect: object) => ({
    name,
    send: { payload: pull(1) },
    mocks: { lookup: { pr: { sha: 'one' } }, ...more },
    expect,
  })
  const changed = { lookup_later: { pr: { sha: 'two' } } }
  const route = {
    secret: 'It is a secret to everybody',
    lookup: headOf('https://git.example'),
    deliver_if: sameHead,
    prompt: '{number}',
    tests: [
      of('the same', {}, { runs: 1, stale: 0, deliveries: 1 }),
      of('another', changed, { runs: 1, stale: 1, deliveries: 0 }),
      of('wrong', changed, { stale: 0 }),
    ],
  }
  const webhook = { enabled: true, extra: { routes: { r: route } } }
  const { code, out } = await runAt(newFolder(t, { 'config.yaml': stringify({ platforms: { webhook } }) }), ['test'])
  t.equal(code, 1)
  t.match(out, /ok +r: the same\n +ok +r: another\n[\s\S]*r: wrong[\s\S]*2 passed, 1 failed/)
})

t.test('a trace says whether the condition holds now, and mistakes are found at the load', async (t) => {
  const dir = newFolder(t, {
    'config.yaml': stringify({
      platforms: {
        webhook: {
          enabled: true,
          extra: { routes: { r: { secret: 's', lookup: headOf('http://127.0.0.1:9'), deliver_if: sameHead, prompt: '{number}' } } },
        },
      },
    }),
  })
  const trace = async (head: string): Promise<string> =>
    (await runAt(dir, ['webhook', 'trace', 'r', '--payload', JSON.stringify(pull(1)), '--lookups', JSON.stringify({ pr: { sha: head } })]))
      .out
  t.match(await trace('one'), /deliver_if holds now/)
  t.match(await trace('two'), /deliver_if does not hold now: deliver_if lookup\.pr\.sha equals_field "pull\.head\.sha" \(got "two"\)/)
  const problems: readonly [route: object, problem: RegExp][] = [
    [{ deliver_if: { jsonata: 'lookup.pr.sha = "one"' } }, /WH246 "deliver_if" takes no jsonata/],
    [{ deliver_if: { field: 'number', equals: 1 } }, /WH246 "deliver_if" reads no lookup/],
    [{ deliver_if: [sameHead, { field: 'headers.x', exists: true }] }, /WH246 "deliver_if" cannot read headers\.x/],
    [{ deliver_if: { any: [sameHead, { field: 'changed_files', exists: true }] } }, /WH246 "deliver_if" cannot read changed_files/],
    [{ deliver_if: { field: 'lookup.pull.sha', equals: 'one' } }, /WH249 the route has no lookup "pull"/],
    [{ deliver_only: true, deliver: 'slack' }, /WH208 "deliver_if" and "deliver_only"/],
  ]
  for (const [route, problem] of problems)
    await t.rejects(
      start(t, () => route),
      { message: problem },
      String(problem),
    )
})
