/** Polling endpoints through a real gateway: what waits there is taken once and in order, and acknowledged after it is committed. */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { parse, stringify } from 'yaml'
import { runAt } from '../fakes/cli.ts'
import { fakeClock } from '../fakes/clock.ts'
import { type GatewayOptions, startGateway, type TestGateway } from '../fakes/gateway.ts'
import { type FakePoller, pollToken, startPoller } from '../fakes/sender-logs/svix.ts'
import { until } from '../fakes/wait.ts'
import { Svix } from '../foreign/senders.ts'

const polled = (url: string, more: object = {}) => ({
  paid: { prompt: 'invoice {n}', deliver: 'log', poll: { url, token: pollToken, every_seconds: 1 }, ...more },
})
/** A gateway without any secret of a sender. */
const listen = (t: Test, url: string, more: object = {}, options: GatewayOptions = {}): Promise<TestGateway> =>
  startGateway(t, { routes: polled(url, more), extra: { secret: undefined }, ...options })

const accepted = ({ lines }: TestGateway): readonly unknown[] =>
  lines.filter(({ msg }) => msg === 'accepted').map(({ delivery_id: id }) => id)
const ids = (count: number): readonly string[] => Array.from({ length: count }, (_, i) => `msg_${i + 1}`)
const pollOf = async ({ operations }: TestGateway) => (await operations.status()).polls?.[0]
const position = ({ consumers }: FakePoller): number | undefined => consumers.get('headgate')

t.test('the stand-in answers as the client of Svix reads it', async (t) => {
  const poller = await startPoller(t)
  poller.add(1)
  const client = new Svix(pollToken, { serverUrl: new URL(poller.url).origin }).message.poller
  const { iterator } = await client.consumerPoll('app_1', 'poll_1', 'c')
  const page = await client.consumerPoll('app_1', 'poll_1', 'c', { iterator })
  t.match(page, { data: [{ id: 'msg_1', eventType: 'invoice.paid', payload: { n: 1 }, timestamp: Date }], done: true })
})

for (const kind of ['url', 'numbered'] as const)
  t.test(`${kind}: messages come in order and once, marked, and their address takes no post`, async (t) => {
    const poller = await startPoller(t)
    poller.add(7)
    const given = { 'X-Tenant': 'acme', 'bad name': 'x', 'X-GitHub-Event': 'push', 'x-headgate-origin': 'forged', 'x-number': 5 }
    poller.messages.push({ id: 'msg_8', eventType: 'invoice.paid', payload: { n: 8 }, headers: given })
    poller.messages.push({ id: 'msg_9', eventType: 'invoice.drafted', payload: { n: 9 } })
    const filters = [{ field: 'headers.X-Headgate-Origin', equals: 'pulled' }]
    const gateway = await listen(t, poller[kind], { events: ['invoice.paid'], filters })
    await until(() => position(poller) === 9)
    t.strictSame(accepted(gateway), ids(8))
    t.match(
      gateway.lines.find(({ delivery_id: id }) => id === 'msg_9'),
      { outcome: 'ignored', event_type: 'invoice.drafted' },
    )
    const { url } = (await pollOf(gateway)) ?? {}
    t.equal(url, poller[kind])
    t.match(await pollOf(gateway), { route: 'paid', state: 'polling', taken: 9, refused: 0, given_up: 0 })
    t.match(await runAt(gateway.dir, ['gateway', 'status']), { code: 0, out: /^poll +paid, polling since .* 9 taken, 0 refused/m })
    poller.add(1)
    await until(() => position(poller) === 10)
    t.equal(accepted(gateway).length, 9, 'what comes later is read too')
    t.equal((await gateway.post('paid', { body: {} })).status, 401)
    t.match(await runAt(gateway.dir, ['webhook', 'test', 'paid']), { code: 1, err: /takes no post: its messages are polled/ })
    const [event] = (await runAt(gateway.dir, ['events', 'list', '--json'])).out.split('\n')
    t.match(await runAt(gateway.dir, ['doctor', '--online']), { out: /ok +poll of paid +the polling endpoint can be read/ })
    t.equal(position(poller), 10, 'the doctor moves nothing')
    t.notMatch(`${JSON.stringify(gateway.lines)}${event}`, pollToken)
  })

t.test('after a seek the position of the sender counts, and what comes again is a duplicate', async (t) => {
  const poller = await startPoller(t)
  poller.add(2)
  const gateway = await listen(t, poller.url)
  await until(() => position(poller) === 2)
  poller.consumers.set('headgate', 0)
  poller.refused.add(Buffer.from('2').toString('base64url'))
  await until(async () => (await pollOf(gateway))?.taken === 4)
  poller.refused.clear()
  t.strictSame(accepted(gateway), ids(2))
  t.equal(gateway.lines.filter(({ outcome }) => outcome === 'duplicate').length, 2)
})

t.test('a page that comes again after it was taken is waited for and said, and counts once', async (t) => {
  const clock = fakeClock(Date.now())
  const poller = await startPoller(t, { now: clock.now })
  const stuck = { data: [{ id: 'msg_1', eventType: 'invoice.paid', payload: { n: 1 } }], iterator: 'stays', done: false }
  poller.next.push(...Array.from({ length: 5 }, () => ({ status: 200, body: JSON.stringify(stuck) })))
  const gateway = await listen(t, poller.url, {}, { clock })
  const view = { state: 'failing', reason: 'the polling endpoint gives the same page again', taken: 1 }
  await until(async () => (await pollOf(gateway))?.state === 'failing')
  t.match(await pollOf(gateway), view)
  t.equal(poller.times.length, 2, 'it is not read again at once')
  const walk = setInterval(() => clock.advance(100), 5)
  t.teardown(() => clearInterval(walk))
  await until(() => poller.times.length > 5)
  const pauses = poller.times.map((at, i) => at - (poller.times[i - 1] ?? at)).slice(2, 5)
  for (const [i, least] of [1_000, 2_000, 4_000].entries()) t.ok((pauses[i] ?? 0) >= least, `pause ${i}: ${pauses[i]} ms`)
  t.equal(gateway.lines.filter(({ reason }) => reason === view.reason).length, 1)
  await until(async () => (await pollOf(gateway))?.state === 'polling')
  t.equal((await pollOf(gateway))?.taken, 1)
})

t.test('a failure is said once, waits longer each time, obeys Retry-After, and ends', async (t) => {
  const clock = fakeClock(Date.now())
  const poller = await startPoller(t, { now: clock.now })
  poller.add(1)
  poller.next.push({ status: 500 }, { status: 500 }, { status: 500 }, { status: 429, headers: { 'Retry-After': '30' } })
  const gateway = await listen(t, poller.url, {}, { clock, config: { metrics: { enabled: true, port: 0 } } })
  const metricsUrl = String((await gateway.line(({ msg }) => msg === 'metrics')).url)
  const metrics = async (): Promise<string> => (await fetch(metricsUrl)).text()
  await until(async () => (await pollOf(gateway))?.state === 'failing')
  t.match(await metrics(), /^headgate_poll_failing\{route="paid"\} 1$/m)
  const walk = setInterval(() => clock.advance(100), 5)
  t.teardown(() => clearInterval(walk))
  await until(() => accepted(gateway).length === 1)
  await until(async () => (await pollOf(gateway))?.taken === 1)
  const after = await metrics()
  t.notMatch(after, /^headgate_relay_/m, 'a gateway without a relay does not look like one whose relay is away')
  t.match(after, /^headgate_poll_failing\{route="paid"\} 0$/m)
  t.match(after, /^headgate_poll_messages_total\{route="paid",result="taken"\} 1$/m)
  const pauses = poller.times.map((at, i) => at - (poller.times[i - 1] ?? at)).slice(1, 5)
  for (const [i, least] of [1_000, 2_000, 4_000, 30_000].entries()) t.ok((pauses[i] ?? 0) >= least, `pause ${i}: ${pauses[i]} ms`)
  const said = gateway.lines.filter(({ msg }) => /^polling (?:failed|goes on)/.test(msg))
  t.strictSame(
    said.map(({ level, reason }) => [level, reason]),
    [
      ['warn', 'HTTP 500: as the test says'],
      ['warn', 'HTTP 429: as the test says'],
      ['info', undefined],
    ],
  )
})

t.test('a sender without new messages is asked as often as every_seconds says', async (t) => {
  const clock = fakeClock(Date.now())
  const poller = await startPoller(t, { now: clock.now })
  await listen(t, poller.url, { poll: { url: poller.url, token: pollToken, every_seconds: 600 } }, { clock })
  const walk = setInterval(() => clock.advance(10_000), 5)
  t.teardown(() => clearInterval(walk))
  await until(() => poller.times.length === 4)
  const [, second = 0, third = 0, fourth = 0] = poller.times
  for (const pause of [third - second, fourth - third]) t.ok(pause >= 600_000, `${pause} ms`)
})

t.test('what the gateway cannot take now stays at the sender; what it refuses for good does not hold the rest up', async (t) => {
  const poller = await startPoller(t)
  const gateway = await listen(t, poller.url, {}, { extra: { secret: undefined, max_body_bytes: 2_000 } })
  await until(() => position(poller) === 0)
  t.match(await runAt(gateway.dir, ['webhook', 'pause', 'paid']), { code: 0 })
  await until(async () => (await pollOf(gateway))?.reason === 'the route is paused', 20_000)
  poller.messages.push({ id: 'msg_1', eventType: 'a', payload: 'x'.repeat(3_000) }, { id: 'msg_2', eventType: 'a' }, 'junk')
  poller.messages.push({ id: 'msg_4', eventType: 'a', payload: { n: 4 } })
  t.equal(accepted(gateway).length, 0)
  t.equal(position(poller), 0)
  t.match(await runAt(gateway.dir, ['webhook', 'resume', 'paid']), { code: 0 })
  await until(() => position(poller) === 4, 20_000)
  t.strictSame(accepted(gateway), ['msg_4'])
  t.match(await pollOf(gateway), { taken: 1, refused: 3 })
  t.ok(gateway.lines.some(({ outcome, delivery_id: id }) => outcome === 'too_large' && id === undefined))
  t.match(
    gateway.lines.find(({ msg }) => msg.startsWith('polled messages without')),
    { level: 'warn', count: 2 },
  )
})

t.test('a page that is too long is read in parts, and a reload without the setting ends the poll', async (t) => {
  const poller = await startPoller(t, { pageSize: 50 })
  for (let n = 1; n <= 9; n++) poller.messages.push({ id: `msg_${n}`, eventType: 'a', payload: { n, text: 'x'.repeat(600_000) } })
  const gateway = await listen(t, poller.url)
  await until(() => accepted(gateway).length === 9, 20_000)
  t.strictSame(accepted(gateway), ids(9))
  t.match(await pollOf(gateway), { state: 'polling', refused: 0 })
  const file = join(gateway.dir, 'config.yaml')
  const { poll, ...route } = parse(readFileSync(file, 'utf8')).platforms.webhook.extra.routes.paid
  const extra = { port: 0, routes: { paid: { ...route, secret: 'a secret of nobody at all' } } }
  writeFileSync(file, stringify({ platforms: { webhook: { enabled: true, extra } }, storage: { kind: 'memory' } }))
  await gateway.operations.reload({})
  t.equal(await pollOf(gateway), undefined)
  poller.add(1)
  const asked = poller.asked.length
  await new Promise((then) => setImmediate(then))
  t.equal(poller.asked.length, asked)
})
