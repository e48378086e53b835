/** The rules of jobs that events start, one title for each (rules: Jobs 1 to 7). */

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Outcome } from '../../src/core/outcome.ts'
import type { Event } from '../../src/core/request.ts'
import type { Route } from '../../src/generated/config.ts'
import type { Job } from '../../src/parts/effects.ts'
import { cronJob } from '../../src/parts/endings/cron-job.ts'
import type { StageKit } from '../../src/parts/stages/stage.ts'
import { openMemory } from '../../src/store/memory/memory-store.ts'
import { adopt } from '../fakes/adopt.ts'
import { fakeClock } from '../fakes/clock.ts'
import { type Answer, type GatewayOptions, startGateway, type TestGateway } from '../fakes/gateway.ts'
import { json, sink } from '../fakes/sink.ts'
import { until } from '../fakes/wait.ts'

/** Keeps its prompt; one whose context says hold waits for the file `go`. */
const agent = `
cd "$(dirname "$0")"
prompt=$(cat)
printf '%s\\0' "$prompt" >> asked
case $prompt in *hold*) while [ ! -e go ]; do sleep .02; done ;; esac
echo "reply to $HEADGATE_DELIVERY_ID"
`

type WithJobs = TestGateway & {
  event(text: string, id: string, route?: string): Promise<Answer>
  /** The prompts of the runs that began. */
  asked(): string[]
  /** Lets what holds come to its end. */
  go(): void
}

/** Not while a test runs. */
const schedule = '2999-01-01T00:00:00'

const start = async (t: Test, jobs: object, routes: GatewayOptions['routes'], more: object = {}): Promise<WithJobs> => {
  // Registered before the directory is made, so that tap stops the gateway before it removes the directory.
  t.teardown(() => {})
  const runner = { runner: 'command', command: ['bash', join(t.testdirName, 'agent.sh')], untrusted: 'off' }
  const config = { storage: { kind: 'memory' }, agent: runner, jobs, ...more }
  const gateway = await startGateway(t, { routes: { ...routes }, config, files: { 'agent.sh': agent } })
  const file = join(gateway.dir, 'asked')
  return {
    ...gateway,
    event: (text, id, route = 'r') => gateway.post(route, { body: { text }, headers: { 'X-Request-ID': id, 'X-GitHub-Event': 'push' } }),
    asked: () => (existsSync(file) ? readFileSync(file, 'utf8').split('\0').slice(0, -1) : []),
    go: () => writeFileSync(join(gateway.dir, 'go'), ''),
  }
}

t.test('the expanded prompt is context of one run; the stored prompt stays, and the output goes where the job says', async (t) => {
  const receiver = await sink(t, (response) => json(response, 200, {}))
  const to = (path: string, more = {}) => ({ deliver: 'http', deliver_extra: { url: `${receiver.origin}${path}`, ...more } })
  const signed = { secret: 'whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQ=', headers: { 'X-Team': 'night' } }
  const jobs = { nightly: { schedule, prompt: 'Summarise.', ...to('/job', signed) } }
  const gateway = await start(t, jobs, { r: { cron_job: 'nightly', prompt: 'Because of {text}.', ...to('/route') } })
  const answer = await gateway.event('one', 'id-1')
  t.equal(answer.status, 202)
  t.same(answer.json, { status: 'accepted', route: 'r', cron_job: 'nightly', event: 'push', delivery_id: 'id-1' })
  t.match(answer.headers.get('x-headgate-event-id'), /\S/)
  await until(() => receiver.seen.length === 1)
  const ofJob = { 'x-team': 'night', 'webhook-signature': /^v1,/ }
  t.match(receiver.seen[0], { url: '/job', body: /reply to id-1/, headers: ofJob })
  // It is sent a moment before the run counts as done.
  let next = await gateway.event('two', 'id-2')
  for (let tries = 0; next.json.reason === 'job_running' && tries < 100; tries++) next = await gateway.event('two', 'id-2')
  t.equal(next.json.status, 'accepted')
  await until(() => receiver.seen.length === 2)
  const [first = '', second = ''] = gateway.asked()
  t.match(first, /^Summarise\.\n\n[\s\S]*Because of one\.$/)
  t.match(second, /^Summarise\.\n\n[\s\S]*Because of two\.$/)
  t.notMatch(second, /one/)
  t.same(
    receiver.seen.map(({ url }) => url),
    ['/job', '/job'],
  )
})

t.test('without a prompt on the route the whole payload is the context; a job without a prompt has the context alone', async (t) => {
  const jobs = { full: { schedule, prompt: 'Do.' }, bare: { schedule } }
  const gateway = await start(t, jobs, { r: { cron_job: 'full' }, bare: { cron_job: 'bare', prompt: '{text}' } })
  await gateway.event('one', '1')
  await until(() => gateway.asked().length === 1)
  t.match(gateway.asked()[0], /^Do\.\n\n[\s\S]*\{\n {2}"text": "one"\n\}$/)
  await gateway.event('two', '2', 'bare')
  await until(() => gateway.asked().length === 2)
  t.match(gateway.asked()[1], /two$/)
})

t.test('events pass the same checks first: signature, events, filters, script, rate limit, duplicates', async (t) => {
  const route = { cron_job: 'j', prompt: '{text}', events: ['push'], filters: [{ not: { field: 'text', equals: 'no' } }], script: 's.sh' }
  const files = { 'agent.sh': agent, scripts: { 's.sh': 'grep -v silent || true\n' } }
  const runner = { runner: 'command', command: ['bash', join(t.testdirName, 'agent.sh')] }
  const config = { storage: { kind: 'memory' }, agent: runner, jobs: { j: { schedule } } }
  const gateway = await startGateway(t, { routes: { r: route }, config, files, extra: { rate_limit: 5 } })
  const event = (text: string, id: string, type = 'push', sign = true) =>
    gateway.post('r', { body: { text }, sign, headers: { 'X-Request-ID': id, 'X-GitHub-Event': type } })
  t.equal((await event('one', '1', 'push', false)).status, 401)
  t.match((await event('one', '1', 'issues')).json, { status: 'ignored', reason: 'event' })
  t.match((await event('no', '1')).json, { status: 'ignored', reason: 'filter' })
  t.match((await event('silent', '1')).json, { status: 'ignored', reason: 'script' })
  t.match((await event('hold', '1')).json, { status: 'accepted' })
  t.match((await event('hold', '1')).json, { status: 'duplicate', route: 'r', delivery_id: '1' }, 'though its job is running')
  t.equal((await event('hold', '1')).status, 429)
  writeFileSync(join(gateway.dir, 'go'), '')
  t.match(await gateway.line(({ msg }) => msg === 'delivered'), { text: 'reply to 1' })
})

t.test('a job that is running is not started twice: ignored, and the id is not consumed', async (t) => {
  const gateway = await start(t, { j: { schedule } }, { r: { cron_job: 'j', prompt: '{text}' }, s: { cron_job: 'j', prompt: '{text}' } })
  t.equal((await gateway.event('hold', 'first')).status, 202)
  for (const route of ['r', 's']) {
    const answer = await gateway.event('next', 'second', route)
    t.equal(answer.status, 200)
    t.same(answer.json, { status: 'ignored', reason: 'job_running', route, delivery_id: 'second' })
  }
  gateway.go()
  await gateway.line(({ msg, delivery_id }) => msg === 'delivered' && delivery_id === 'first')
  let answer = await gateway.event('next', 'second')
  for (let tries = 0; answer.json.reason === 'job_running' && tries < 100; tries++) answer = await gateway.event('next', 'second')
  t.equal(answer.json.status, 'accepted')
  await until(() => gateway.asked().length === 2)
})

t.test('of many posts at once one starts the job', async (t) => {
  const routes = Object.fromEntries(['a', 'b'].map((name) => [name, { cron_job: 'j', prompt: '{text}' }]))
  const gateway = await start(t, { j: { schedule } }, routes)
  const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => gateway.event('hold', `id-${i}`, i % 2 === 0 ? 'a' : 'b')))
  t.same(answers.map(({ status }) => status).sort(), [...Array(19).fill(200), 202])
  t.equal(answers.filter(({ json }) => json.reason === 'job_running').length, 19)
  await until(() => gateway.asked().length === 1)
  gateway.go()
  await gateway.line(({ msg }) => msg === 'delivered')
  t.equal(gateway.asked().length, 1)
})

t.test('with cron_job_running: queue it runs once more for each event, one after the other', async (t) => {
  const gateway = await start(t, { j: { schedule } }, { r: { cron_job: 'j', cron_job_running: 'queue', prompt: '{text}' } })
  for (const [i, text] of ['hold', 'two', 'three'].entries()) t.equal((await gateway.event(text, `id-${i}`)).json.status, 'accepted')
  t.equal((await gateway.event('two', 'id-1')).json.status, 'duplicate')
  await until(() => gateway.asked().length === 1)
  gateway.go()
  await until(() => gateway.asked().length === 3)
  t.same(
    gateway.asked().map((prompt) => prompt.split('\n').at(-1)),
    ['hold', 'two', 'three'],
  )
})

t.test('a paused or disabled job is not started: the event is logged and dropped', async (t) => {
  const jobs = { p: { schedule, paused: true }, d: { schedule, enabled: false } }
  const gateway = await start(t, jobs, { p: { cron_job: 'p' }, d: { cron_job: 'd' } })
  for (const [route, reason] of [
    ['p', 'job_paused'],
    ['d', 'job_disabled'],
  ] as const) {
    const answer = await gateway.event('one', 'id', route)
    t.equal(answer.status, 200)
    t.same(answer.json, { status: 'ignored', reason, route, delivery_id: 'id' })
    const line = gateway.lines.find((each) => each.route === route && each.level === 'info' && each.delivery_id === 'id')
    t.match(line?.reason, /paused|disabled/)
  }
  t.same(gateway.asked(), [])
})

t.test('deliver, deliver_extra and skills of the route are ignored', async (t) => {
  const ignored = { deliver: 'http', deliver_extra: { url: 'not an address', secret: 'x' }, skills: ['a'] }
  const gateway = await start(t, { j: { schedule, prompt: 'Do.' } }, { r: { cron_job: 'j', ...ignored } })
  await gateway.event('one', '1')
  t.match(await gateway.line(({ msg }) => msg === 'delivered'), { text: 'reply to 1' })
})

t.test('a full queue is a 503, and the id is not consumed', async (t) => {
  const routes = { plain: { prompt: '{text}' }, r: { cron_job: 'j', prompt: '{text}' } }
  const gateway = await start(t, { j: { schedule } }, routes, { gateway: { max_queued_runs: 1 } })
  t.equal((await gateway.event('hold', 'x', 'plain')).status, 202)
  const full = await gateway.event('one', 'id')
  t.equal(full.status, 503)
  t.match(full.headers.get('retry-after'), /^\d+$/)
  gateway.go()
  let answer = full
  await gateway.line(({ msg }) => msg === 'delivered')
  for (let tries = 0; answer.status === 503 && tries < 100; tries++) answer = await gateway.event('one', 'id')
  t.equal(answer.json.status, 'accepted')
  await until(() => gateway.asked().length === 2)
})

const job = (id: string, more: Partial<Job> = {}): Job => ({
  id,
  name: id,
  profile: 'default',
  state: 'active',
  prompt: 'Do.',
  delivery: { target: 'log', extra: {} },
  ...more,
})

/** The ending alone, over jobs that change; what it reported and logged. */
const alone = (jobs: Job[], route: Route = { cron_job: 'nightly', prompt: '{text}' }) => {
  const told: string[] = []
  const logged: string[] = []
  const clock = fakeClock()
  const store = openMemory({ clock })
  const find = (profile: string, reference: string): Job[] => jobs.filter((one) => one.profile === profile && one.name === reference)
  const effects = {
    clock,
    store,
    hasRoom: () => true,
    wake: () => {},
    jobs: { find, isRefused: () => false },
    log: (level: string) => logged.push(level),
  }
  const report = (code: string, path: readonly unknown[], message: string, help: string) =>
    told.push(`${code} ${path.join('.')}: ${message} (${help})`)
  const kit = { name: 'r', profile: 'default', report, recompileAtReload: () => {}, effects } as unknown as StageKit
  const ending = adopt(cronJob.compile(route, kit))
  const event = (deliveryId: string): Event => ({
    eventId: `event-${deliveryId}`,
    route: 'r',
    profile: 'default',
    headers: {},
    text: '{"text":"x"}',
    payload: { text: 'x' },
    eventType: 'push',
    eventAlias: undefined,
    pathAndQuery: '/webhooks/r',
    deliveryId,
    at: 5,
  })
  return { told, logged, store, end: async (id: string): Promise<Outcome> => ending(event(id)) }
}

t.test('the reference is looked at when the route is loaded', async (t) => {
  t.same(alone([job('nightly')]).told, [])
  t.match(alone([]).told, [/^WH217 cron_job: .*"nightly".*headgate cron list/])
  t.match(alone([job('nightly', { profile: 'other' })]).told, [/^WH217/], "another profile's job is none")
  t.match(alone([job('a', { name: 'nightly' }), job('b', { name: 'nightly' })]).told, [/^WH218 cron_job: .*a, b.*by its id/])
  for (const state of ['paused', 'disabled'] as const)
    t.match(alone([job('nightly', { state })]).told, [new RegExp(`^WH219 cron_job: .*"nightly" is ${state}`)])
})

t.test('and again for each event, as things are then', async (t) => {
  const jobs = [job('nightly')]
  const { end, store, logged } = alone(jobs)
  jobs[0] = job('nightly', { state: 'paused' })
  t.match(await end('1'), { kind: 'ignored', reason: 'job_paused', route: 'r', deliveryId: '1' })
  jobs.length = 0
  t.match(await end('1'), { kind: 'ignored', reason: 'job_missing', route: 'r', deliveryId: '1' })
  jobs.push(job('a', { name: 'nightly' }), job('b', { name: 'nightly' }))
  const several = await end('1')
  t.match(several, { kind: 'ignored', reason: 'job_missing' })
  t.match(several.kind === 'ignored' && several.detail?.(), /2 scheduled jobs.*a, b/)
  t.same(logged, ['info', 'warn', 'warn'])
  jobs.pop()
  t.match(await end('1'), { kind: 'accepted', cronJob: 'a', deliveryId: '1' }, 'the id was never consumed; the answer names the id')
  const [lease] = await store.take(1, 1_000)
  t.match(lease?.run, { eventId: 'event-1', route: 'r', event: 'push', job: 'a', acceptedAt: 5, prompt: /^Do\.\n[\s\S]*\nx$/ })
})

t.test('a store that fails is a 503', async (t) => {
  const { end, store } = alone([job('nightly')])
  await store.close()
  t.match(await end('1'), { kind: 'refused', code: 'unavailable', retryAfterSeconds: Number })
})
