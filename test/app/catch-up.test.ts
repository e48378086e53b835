/** Catch-up through a real gateway: the sender's log is read, and what did not come is sent again, once. */

import { writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { stringify } from 'yaml'
import type { RequestEnded } from '../../src/core/facts/fact.ts'
import { refuse } from '../../src/core/outcome.ts'
import { Scope } from '../../src/core/scope.ts'
import { CatchUpTriggers } from '../../src/features/catch-up/triggers.ts'
import type { CatchUpState } from '../../src/generated/control.ts'
import { fakeCli, runAt } from '../fakes/cli.ts'
import { fakeClock } from '../fakes/clock.ts'
import { secret, startGateway, type TestGateway } from '../fakes/gateway.ts'
import { hasGh } from '../fakes/platforms/github.ts'
import { circleciHook, startCircleci } from '../fakes/sender-logs/circleci.ts'
import { type FakeGithub, startGithub } from '../fakes/sender-logs/github.ts'
import { startGitlab } from '../fakes/sender-logs/gitlab.ts'
import { startStripe } from '../fakes/sender-logs/stripe.ts'
import { tell } from '../fakes/tell.ts'
import { until } from '../fakes/wait.ts'

const token = 'ghp_canary_catch_up'
const catchUp = (github: FakeGithub, more: object = {}) => ({
  from: 'github',
  repo: 'octo-org/octo-repo',
  hook: 7,
  token,
  api_base: github.base,
  per_minute: 60_000,
  ...more,
})
const routeOf = (github: FakeGithub, more: object = {}, settings: object = {}) => ({
  repo: { verify: 'github', prompt: 'push {n}', filters: [{ field: 'n', exists: true }], catch_up: catchUp(github, settings), ...more },
})

const listen = async (t: Test, github: FakeGithub, options: Parameters<typeof startGateway>[1] = {}): Promise<TestGateway> => {
  const gateway = await startGateway(t, { routes: routeOf(github), ...options })
  github.receiver = `${gateway.url}/webhooks/repo`
  return gateway
}

/** The state of the only route, once its catch-up has ended. */
const ended = (gateway: TestGateway): Promise<CatchUpState> =>
  until(async () => {
    const { routes } = await gateway.operations.catchUps()
    const [state] = routes
    return state?.ended_at === undefined ? undefined : state
  })

/** Begins a catch-up by hand, and gives its end. */
const catchUpNow = async (gateway: TestGateway, question: object = {}): Promise<CatchUpState> => {
  await ended(gateway)
  await gateway.operations.catchUp(question)
  return ended(gateway)
}

const accepted = ({ lines }: TestGateway): readonly unknown[] =>
  lines.filter(({ msg }) => msg === 'accepted').map(({ delivery_id: id }) => id)

t.test('what did not come while nobody listened is sent again after the start, the oldest first, and once', async (t) => {
  const github = await startGithub(t, { secret, pageSize: 3 })
  const missed: string[] = []
  for (let n = 0; n < 7; n++) missed.push(await github.event({ n }))
  const throttled = await github.event({ n: 7 }, { status_code: 0, throttled_at: new Date().toISOString() })
  await github.event({ n: 8 }, { status_code: 202 })
  const gateway = await listen(t, github)
  t.match(await ended(gateway), { state: 'done', listed: 9, missing: 8, asked: 8, refused: 0 })
  await github.settled()
  t.strictSame(accepted(gateway).toSorted(), [...missed, throttled].toSorted())
  const first = github.deliveries.find(({ guid, redelivery }) => guid === missed[0] && !redelivery)
  t.equal(
    github.asked.find((each) => each.startsWith('POST')),
    `POST /repos/octo-org/octo-repo/hooks/7/deliveries/${first?.id}/attempts`,
  )
  const log = gateway.lines.find(({ msg }) => msg === 'caught up')
  t.match(log, { route: 'repo', from: 'github', listed: 9, asked: 8 })

  t.match(await catchUpNow(gateway), { state: 'done', missing: 0, asked: 0 }, 'and nothing is asked for a second time')
  await github.event({ n: 9 }, { status_code: 500 })
  t.match(await catchUpNow(gateway, { dry_run: true }), { dry_run: true, missing: 1, asked: 0, events: [{ result: 'missing' }] })
  t.notMatch(JSON.stringify(gateway.lines), token, 'no line has the token')
})

t.test('the first catch-up of a route looks back no further than its hours', async (t) => {
  const github = await startGithub(t, { secret })
  await github.event({ n: 1 }, { delivered_at: new Date(Date.now() - 3 * 3_600_000).toISOString() })
  const recent = await github.event({ n: 2 }, { delivered_at: new Date(Date.now() - 3_600_000).toISOString() })
  const gateway = await listen(t, github, { routes: routeOf(github, {}, { hours: 2 }) })
  t.match(await ended(gateway), { state: 'done', asked: 1 })
  await github.settled()
  t.strictSame(accepted(gateway), [recent])
})

t.test('what is here is not asked for, whatever the sender believes', async (t) => {
  const github = await startGithub(t, { secret })
  const gateway = await listen(t, github)
  await ended(gateway)
  const guid = await github.event({ n: 1 })
  github.deliveries.splice(0, 1, { ...(github.deliveries[0] as FakeGithub['deliveries'][0]), status_code: 502 })
  t.match(await catchUpNow(gateway), { listed: 1, missing: 0, asked: 0 })
  t.strictSame(accepted(gateway), [guid])
})

t.test('limits are waited for, and a broken connection is tried again', async (t) => {
  const github = await startGithub(t, { secret })
  const both = [await github.event({ n: 1 }), await github.event({ n: 2 })]
  github.next.push('limited')
  const clock = fakeClock(Date.now())
  const gateway = await listen(t, github, { clock })
  const walk = setInterval(() => clock.advance(1_000), 5)
  t.teardown(() => clearInterval(walk))
  t.match(await ended(gateway), { state: 'done', asked: 2 })
  await github.settled()
  t.strictSame(accepted(gateway).toSorted(), both.toSorted())
  await github.event({ n: 3 }, { status_code: 500 })
  github.next.push('broken')
  t.match(await catchUpNow(gateway), { state: 'done', asked: 1 })
})

t.test('a delivery that is gone is told, and stops nothing; a token without the right ends it with the right that it lacks', async (t) => {
  const github = await startGithub(t, { secret })
  const gateway = await listen(t, github)
  await ended(gateway)
  for (const n of [1, 2]) await github.event({ n }, { status_code: 500 })
  github.next.push('gone')
  t.match(await catchUpNow(gateway), {
    state: 'done',
    missing: 2,
    asked: 1,
    refused: 1,
    events: [{ result: 'refused' }, { result: 'asked' }],
  })
  github.next.push('forbidden')
  t.match(await catchUpNow(gateway), { state: 'failed', why: /^HTTP 403/, help: /repository webhooks: write/ })
  t.match(gateway.lines.at(-1), { level: 'warn', msg: 'catch-up ended early' })
})

t.test('what the route refuses each time is given up after five repeats', async (t) => {
  const github = await startGithub(t, { secret: 'another secret' })
  const gateway = await listen(t, github)
  await ended(gateway)
  await github.event({ n: 1 })
  for (let i = 0; i < 5; i++) {
    t.match(await catchUpNow(gateway), { asked: 1 })
    await github.settled()
  }
  t.match(await catchUpNow(gateway), { missing: 0, asked: 0, given_up: 1 })
})

t.test('without a token of its own the real gh is asked', { skip: hasGh() ? false : 'gh is not installed' }, async (t) => {
  const github = await startGithub(t, { secret, socket: true })
  const missed = await github.event({ n: 1 })
  await github.event({ n: 2 }, { status_code: 200 })
  const folder = github.base
  const env = { PATH: process.env.PATH ?? '', HOME: folder, GH_CONFIG_DIR: `${folder}/config`, GH_TOKEN: token }
  const routes = routeOf(github, {}, { token: undefined, api_base: undefined })
  const gateway = await listen(t, github, { routes, env })
  t.match(await ended(gateway), { state: 'done', listed: 2, asked: 1 })
  await github.settled()
  t.strictSame(accepted(gateway), [missed])
})

t.test('the command follows a catch-up to its end, and names no route that has none', async (t) => {
  const github = await startGithub(t, { secret })
  const gateway = await listen(t, github)
  await ended(gateway)
  await github.event({ n: 1 }, { status_code: 500 })
  const dry = await runAt(gateway.dir, ['events', 'catch-up', 'repo', '--since', '1h', '--dry-run'])
  t.match(dry, { code: 0, out: /^repo: 1 in the log of github since .*, 1 missing\n {2}missing / })
  t.match(await runAt(gateway.dir, ['events', 'catch-up']), { code: 0, out: /1 missing, 1 asked for\n {2}asked / })
  for (const since of ['999999d', '1970-01-01'])
    t.match(await runAt(gateway.dir, ['events', 'catch-up', '--since', since, '--dry-run']), {
      code: 0,
      out: /since 1970-01-01T00:00:00.000Z/,
    })
  for (const since of ['2999-01-01', 'yesterday', '-1h', '1e9s', ''])
    t.match(await runAt(gateway.dir, ['events', 'catch-up', '--since', since]), { code: 2, err: /^error: --since: / }, since)
  t.match(await runAt(gateway.dir, ['events', 'catch-up', 'rep']), {
    code: 5,
    err: /serves no route "rep" with catch_up\n.*did you mean "repo"/,
  })
})

t.test('doctor names the routes that could catch up, and what a token may not', async (t) => {
  const github = await startGithub(t, { secret })
  const routes = { ...routeOf(github, { deliver: 'log' }), other: { verify: 'github', prompt: 'p' } }
  const cli = fakeCli(t, { 'config.yaml': stringify({ platforms: { webhook: { enabled: true, extra: { secret, routes } } } }) })
  github.next.push('forbidden')
  const { out } = await cli.run('doctor', '--online')
  t.match(out, /these routes could have catch_up \(docs\/catch-up\.md\): other/)
  t.match(out, /catch-up of repo.*HTTP 403/)
  t.match(out, /repository webhooks: write/)
  t.match((await cli.run('doctor', '--online')).out, /catch-up of repo.*can be read/)
})

t.test('GitLab sends again under the same key, at the pace that it allows', async (t) => {
  const gitlab = await startGitlab(t, secret)
  const keys: string[] = []
  for (let n = 0; n < 8; n++) keys.push(await gitlab.event({ object_kind: 'push', n }, n === 3 ? '503' : 'internal error'))
  for (let n = 0; n < 20; n++) await gitlab.event({ object_kind: 'push', n }, '202')
  const settings = { from: 'gitlab', project: 'group/name', hook: 7, token: 'glpat-canary', api_base: gitlab.base, per_minute: 60_000 }
  const gateway = await startGateway(t, { routes: { repo: { verify: 'gitlab', prompt: '{n}', catch_up: settings } } })
  gitlab.receiver = `${gateway.url}/webhooks/repo`
  t.match(await ended(gateway), { state: 'done', listed: 28, missing: 8, asked: 8 })
  t.strictSame(accepted(gateway), keys, 'the oldest first')
  t.match(await catchUpNow(gateway), { missing: 0, asked: 0 })
})

t.test('CircleCI is asked what did not come, each hour until a person has had it sent again', async (t) => {
  const circleci = await startCircleci(t, secret)
  const missed = [await circleci.event({ n: 1 }), await circleci.event({ n: 2 }), await circleci.event({ n: 3 }, { current_outcome: null })]
  await circleci.event({ n: 4 }, { current_outcome: 'succeeded' })
  await circleci.event({ type: 'ping' }, { event_type: 'ping' })
  circleci.next.push('limited')
  const settings = { from: 'circleci', hook: circleciHook, token: 'CCIPAT_canary', api_base: circleci.base, hours: 336 }
  const clock = fakeClock(Date.now())
  const gateway = await startGateway(t, { routes: { repo: { verify: 'circleci', prompt: '{n}', catch_up: settings } }, clock })
  circleci.receiver = `${gateway.url}/webhooks/repo`
  const walk = setInterval(() => clock.advance(1_000), 5)
  t.teardown(() => clearInterval(walk))
  const first = await ended(gateway)
  t.match(first, {
    state: 'failed',
    listed: 5,
    missing: 3,
    asked: 0,
    why: '3 events did not come, and the sender sends again by hand only',
  })
  t.match(first, { help: /Project Settings/, events: missed.map((id) => ({ delivery_id: id, result: 'missing' })) })
  t.match(
    gateway.lines.find(({ msg }) => msg === 'catch-up ended early'),
    { reason: /^3 events did not come/ },
  )
  for (const id of missed) await circleci.resend(id)
  t.strictSame(accepted(gateway), missed, 'what a person sends again has the same id')
  await until(() => gateway.lines.some(({ msg }) => msg === 'caught up'))
  t.match(await ended(gateway), { state: 'done', missing: 0 })
  circleci.next.push('odd')
  t.match(await catchUpNow(gateway), { state: 'failed', why: 'the answer does not say which page is the next, or that there is none' })
  const [newest] = circleci.deliveries
  if (newest) circleci.deliveries.unshift({ ...newest, attributes: { ...newest.attributes, current_outcome: 'lost' } })
  t.match(await catchUpNow(gateway), { state: 'failed', why: /^1 entries of the log cannot be read/ })
  t.ok(
    circleci.asked.every((each) => each === 'GET /api/v3/webhook/deliveries'),
    'no call is made that the description does not name',
  )
})

t.test('Stripe sends nothing again: its events are pulled, marked, and filtered as if they had come', async (t) => {
  const stripe = await startStripe(t)
  const created = Math.floor(Date.now() / 1_000) - 60
  const event = (id: string, type: string, n: number) => ({ id, type, created: created + n, data: { object: { n } } })
  stripe.events.push(event('evt_3', 'charge.failed', 3), event('evt_2', 'charge.failed', -1), event('evt_1', 'charge.failed', 1))
  stripe.events.push(event('evt_0', 'invoice.paid', 0))
  const route = {
    verify: 'stripe',
    events: ['charge.failed'],
    filters: [{ field: 'data.object.n', not_equals: -1 }],
    prompt: '{data.object.n}',
    catch_up: { from: 'stripe', token: 'rk_canary', api_base: stripe.base, per_minute: 60_000 },
  }
  const gateway = await startGateway(t, { routes: { repo: route } })
  t.match(await ended(gateway), { state: 'done', listed: 3, missing: 3, asked: 3, events: [{ result: 'pulled' }] })
  t.strictSame(accepted(gateway), ['evt_1', 'evt_3'])
  t.match(
    gateway.lines.filter(({ msg }) => msg === 'accepted'),
    [{ remote: 'pulled' }, { remote: 'pulled' }],
  )
  t.match(await catchUpNow(gateway), { missing: 1, events: [{ delivery_id: 'evt_2' }] }, 'an ignored event leaves its id free')
  t.equal(accepted(gateway).length, 2)
})

t.test('a pulled event is split like one that came, and its items are told', async (t) => {
  const stripe = await startStripe(t)
  const lines = [{ id: 'a' }, { id: 'b' }]
  stripe.events.push({ id: 'evt_1', type: 'invoice.paid', created: Math.floor(Date.now() / 1_000) - 60, data: { lines } })
  const catch_up = { from: 'stripe', token: 'rk_canary', api_base: stripe.base, per_minute: 60_000 }
  const gateway = await startGateway(t, { routes: { repo: { verify: 'stripe', split: 'data.lines', prompt: '{id}', catch_up } } })
  t.match(await ended(gateway), { state: 'done', asked: 1 })
  t.strictSame(accepted(gateway), ['evt_1#0', 'evt_1#1'])
})

/** Lets a route catch up with a log that answers as no log does, on a clock that runs. */
const listenOdd = async (t: Test, answer: RequestListener, settings: object = {}): Promise<TestGateway> => {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const clock = fakeClock(Date.now())
  const walk = setInterval(() => clock.advance(30_000), 1)
  t.teardown(() => clearInterval(walk))
  const from = { from: 'github', repo: 'octo-org/octo-repo', hook: 7, token, api_base: base, ...settings }
  return startGateway(t, { routes: { repo: { prompt: 'p', catch_up: from } }, clock })
}

const json = (response: ServerResponse, status: number, body: unknown, headers: object = {}): void =>
  void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
/** A delivery that failed, as GitHub lists it. */
const failedDelivery = (n: number) => ({
  id: n,
  guid: `guid-${n}`,
  delivered_at: new Date().toISOString(),
  redelivery: false,
  status_code: 500,
  event: 'push',
})

t.test('a log that answers as no log does ends the catch-up with a reason, and the next looks back as far', async (t) => {
  let pages = 0
  const onward = ({ headers: { host } }: IncomingMessage, n: number) => ({ link: `<http://${host}/x?cursor=c${n}>; rel="next"` })
  const gitlab = { from: 'gitlab', project: 'group/name', token: 'glpat-canary' }
  const cases: readonly (readonly [string, RequestListener, RegExp, object?])[] = [
    ['a page of 9 MiB', (_, response) => json(response, 200, ['x'.repeat(9 * 1024 * 1024)]), /more than 8388608 bytes$/],
    ['a page of HTML', (_, response) => void response.end('<html>Sign in</html>'), /^HTTP 200, and no JSON$/],
    ['no list', (_, response) => json(response, 200, {}), /^the answer has no list of deliveries$/],
    ['no body', (_, response) => void response.writeHead(204).end(), /^the answer has no list of deliveries$/],
    ['other items', (_, response) => json(response, 200, [{ id: 1 }, 2, null]), /^3 entries of the log cannot be read/],
    ['a redirect', ({ url }, response) => json(response, 302, {}, { location: `/moved${url}` }), /^HTTP 302$/],
    ['pages in circles', (request, response) => json(response, 200, [], onward(request, 1)), /^the pages of the log have no end/],
    ['pages without end', (request, response) => json(response, 200, [], onward(request, pages++)), /^the pages of the log have no end/],
    [
      'no cursor',
      (_, response) => json(response, 200, [], { link: '<http://x/>; rel="next"' }),
      /^the address of the next page has no cursor$/,
    ],
    ['its token in its words', ({ headers }, response) => json(response, 403, { message: `no: ${headers.authorization}` }), /^HTTP 403/],
    ['as GitLab', ({ headers }, response) => json(response, 403, { message: `no: ${headers['private-token']}` }), /^HTTP 403/, gitlab],
    ['a wait without end', (_, response) => json(response, 429, {}, { 'retry-after': '99999999' }), /^HTTP 429/],
  ]
  for (const [name, answer, why, settings] of cases) {
    const paths: string[] = []
    const gateway = await listenOdd(t, (request, response) => [paths.push(request.url ?? ''), answer(request, response)], settings)
    const state = await until(async () => {
      const { routes } = await gateway.operations.catchUps()
      return routes.find(({ ended_at: endedAt }) => endedAt !== undefined)
    }, 60_000)
    t.match(state, { state: 'failed', why }, name)
    t.ok(
      paths.every((path) => !path.startsWith('/moved')),
      'no redirect is followed',
    )
    t.notMatch(JSON.stringify([gateway.lines, state]), /canary/, `${name}: no token`)
    await gateway.stop()
  }
})

t.test('what can be read of a log is asked for, and what cannot is told', async (t) => {
  const asked: (string | undefined)[] = []
  const gateway = await listenOdd(t, ({ method, url }, response) => {
    asked.push(method === 'POST' ? url : undefined)
    json(response, method === 'POST' ? 202 : 200, [failedDelivery(1), { id: 2 }])
  })
  t.match(await ended(gateway), {
    state: 'failed',
    asked: 1,
    why: '1 entries of the log cannot be read; other events of the log were seen to',
  })
  t.match(asked.filter(Boolean), ['/repos/octo-org/octo-repo/hooks/7/deliveries/1/attempts'])
})

t.test('a wait that the sender asks for is shown, and a stop ends it, as it ends a question without an answer', async (t) => {
  let isSilent = false
  const gateway = await listenOdd(t, ({ method }, response) => {
    if (isSilent) return
    if (method === 'POST') json(response, 429, { message: 'slow down' }, { 'retry-after': '3600' })
    else json(response, 200, [failedDelivery(1)])
  })
  const waiting = await until(async () =>
    (await gateway.operations.catchUps()).routes.find(({ waits_until: until }) => until !== undefined),
  )
  t.match(waiting, { state: 'asking', missing: 1, asked: 0, waits_for: 'HTTP 429: slow down' })
  t.match(
    (await runAt(gateway.dir, ['gateway', 'status'])).out,
    /^catch-up {6}repo, 0 of 1 asked for, waits until .* \(HTTP 429: slow down\)$/m,
  )
  isSilent = true
  await until(async () => (await gateway.operations.catchUps()).routes.every(({ waits_until: until }) => until === undefined))
  const began = Date.now()
  await gateway.stop(2_000)
  t.ok(Date.now() - began < 2_000, 'a stop waits for no answer of the sender')
  t.match(
    gateway.lines.find(({ msg }) => msg === 'catch-up ended early'),
    { reason: 'the gateway stops' },
  )
})

t.test('a sender that asks to wait holds up no other sender', async (t) => {
  const gitlab = await startGitlab(t, secret)
  const key = await gitlab.event({ object_kind: 'push' }, '503')
  const github = await startGithub(t, { secret })
  for (let i = 0; i < 20; i++) github.next.push('limited')
  const settings = { from: 'gitlab', project: 'group/name', hook: 7, token: 'glpat-canary', api_base: gitlab.base }
  const routes = { ...routeOf(github), there: { verify: 'gitlab', prompt: 'p', catch_up: settings } }
  const gateway = await startGateway(t, { routes })
  gitlab.receiver = `${gateway.url}/webhooks/there`
  await until(() => accepted(gateway).includes(key))
  t.match((await gateway.operations.catchUps()).routes, [{ route: 'repo', state: 'reading' }, { route: 'there' }])
})

t.test('what was asked for and failed to come again is asked for once more', async (t) => {
  const github = await startGithub(t, { secret })
  const guid = await github.event({ n: 1 })
  const clock = fakeClock(Date.now())
  const gateway = await startGateway(t, { routes: routeOf(github), clock })
  t.match(await ended(gateway), { state: 'done', asked: 1 })
  await github.settled()
  t.match(github.deliveries, [{ guid, redelivery: true, status_code: 502 }, { guid }], 'it met nobody')
  github.receiver = `${gateway.url}/webhooks/repo`
  for (let minute = 0; minute < 5; minute++) clock.advance(60_000)
  await until(() => accepted(gateway).includes(guid))
  await github.settled()
  const asked = github.asked.length
  for (let minute = 0; minute < 10; minute++) clock.advance(60_000)
  await until(() => github.asked.length > asked)
  t.match(await ended(gateway), { state: 'done', missing: 0 }, 'and looked for, until nothing is missing')
  for (let minute = 0; minute < 60; minute++) clock.advance(60_000)
  t.equal(github.asked.length, asked + 1)
})

t.test('who asks while a catch-up is under way follows it, and is told that it is another', async (t) => {
  let release = (): void => {}
  const released = new Promise<void>((then) => {
    release = then
  })
  let reads = 0
  const gateway = await listenOdd(t, async (_, response) => {
    if (++reads > 1) await released
    json(response, 200, [])
  })
  await ended(gateway)
  const real = runAt(gateway.dir, ['events', 'catch-up'])
  await until(() => reads === 2)
  let shown = ''
  const stderr = (text: string): void => {
    shown += text
  }
  const terminal = { input: process.stdin, output: process.stdout }
  const dry = runAt(gateway.dir, ['events', 'catch-up', 'repo', '--dry-run'], { terminal, stderr })
  await until(() => shown.includes('repo: '))
  release()
  const [first, second] = await Promise.all([real, dry])
  t.match(first, { code: 0, out: /^repo: .* asked for\n$/ })
  t.match(second, { code: 0, out: /^repo: .* asked for\n {2}this catch-up was under way already/ })
})

t.test('a time of a last catch-up that is still to come, by a wrong clock, hides nothing', async (t) => {
  const github = await startGithub(t, { secret })
  const clock = fakeClock(Date.now() + 86_400_000)
  const gateway = await listen(t, github, { clock })
  await ended(gateway)
  clock.standStill(-86_400_000)
  await github.event({ n: 1 }, { status_code: 500 })
  t.match(await catchUpNow(gateway), { state: 'done', asked: 1 })
})

t.test('a subscription catches up after the start, when it is made, and when its settings change', async (t) => {
  const github = await startGithub(t, { secret })
  const first = await github.event({ n: 1 })
  const entry = (more: object) => ({ sub: { verify: 'github', prompt: 'push {n}', secret, ...more } })
  const clock = fakeClock(Date.now())
  const gateway = await startGateway(t, { routes: {}, clock })
  const walk = setInterval(() => clock.advance(1_000), 2)
  t.teardown(() => clearInterval(walk))
  github.receiver = `${gateway.url}/webhooks/sub`
  const subscribe = (more: object): void => writeFileSync(join(gateway.dir, 'webhook_subscriptions.json'), JSON.stringify(entry(more)))
  subscribe({ catch_up: catchUp(github) })
  t.match(await ended(gateway), { route: 'sub', state: 'done', asked: 1 }, 'no route had catch_up at the start')
  const second = await github.event({ n: 2 }, { status_code: 500 })
  subscribe({ catch_up: catchUp(github, { hours: 71 }) })
  await until(() => accepted(gateway).length === 2)
  t.strictSame(accepted(gateway), [first, second])
  await gateway.stop()
  const third = await github.event({ n: 3 }, { status_code: 500 })
  const again = await startGateway(t, { routes: {}, dir: gateway.dir })
  github.receiver = `${again.url}/webhooks/sub`
  await until(() => accepted(again).includes(third))
})

t.test('a paused route is not caught up with: the sender would count each refusal', async (t) => {
  const github = await startGithub(t, { secret })
  const files = { 'paused_routes.json': JSON.stringify({ repo: { paused_at: '2026-01-01T00:00:00Z' } }) }
  const gateway = await listen(t, github, { files })
  await github.event({ n: 1 }, { status_code: 503 })
  await gateway.operations.catchUp({ route: 'repo' })
  t.match(await ended(gateway), { state: 'failed', missing: 1, asked: 0, why: 'the route is paused', help: /webhook resume/ })
  t.strictSame(
    github.asked.filter((each) => each.startsWith('POST')),
    [],
  )
})

t.test('an App and an organisation have their own logs; the App signs', async (t) => {
  const { generateKeyPairSync } = await import('node:crypto')
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const key = privateKey.export({ type: 'pkcs1', format: 'pem' })
  const github = await startGithub(t, { secret })
  const app = { repo: undefined, hook: undefined, token: undefined, app_id: 1, app_key: key }
  for (const settings of [{ repo: undefined, org: 'octo-org' }, app]) {
    const gateway = await listen(t, github, { routes: routeOf(github, {}, settings) })
    await ended(gateway)
    const guid = await github.event({ n: 1 }, { status_code: 500 })
    t.match(await catchUpNow(gateway), { asked: 1 })
    await github.settled()
    t.strictSame(accepted(gateway).includes(guid), true)
    await gateway.stop()
  }
  t.match(github.asked, ['GET /orgs/octo-org/hooks/7/deliveries'])
  t.ok(github.asked.includes('GET /app/hook/deliveries'))
})

t.test('a 503 lets its route catch up once it is quiet and ready, and a failure is tried again later and later', (t) => {
  const clock = fakeClock()
  const begun: number[] = []
  let isReady = true
  let isPaused = false
  const catchUps = {
    routes: () => new Map(),
    isRunning: () => false,
    begin: () => {
      begun.push(clock.monotonic())
      return []
    },
  }
  const triggers = new CatchUpTriggers({
    catchUps,
    clock,
    isReady: () => isReady,
    isPaused: () => isPaused,
    canCatchUp: (name) => name === 'repo',
  })
  const scope = new Scope()
  triggers.start(scope)
  const [headers, remote, ms] = [{}, () => '127.0.0.1', () => 1]
  const refusal = (name: string): RequestEnded => ({
    kind: 'request_ended',
    ended: { outcome: refuse('overloaded'), stage: 'dispatch' },
    route: { name, profile: 'default' },
    headers,
    remote,
    ms,
  })
  tell(triggers, refusal('other'))
  clock.advance(120_000)
  t.strictSame(begun, [])
  tell(triggers, refusal('repo'))
  clock.advance(30_000)
  tell(triggers, refusal('repo'))
  clock.advance(55_000)
  t.strictSame(begun, [], 'a minute after the last 503')
  isReady = false
  clock.advance(60_000)
  t.strictSame(begun, [], 'not before the gateway takes events')
  isReady = true
  clock.advance(5_000)
  t.equal(begun.length, 1)
  const counts = { from: 'github', since: 0, listed: 0, asked: 0, awaited: 0, refused: 0, givenUp: 0 }
  const end = (why?: string): void =>
    tell(triggers, { kind: 'catch_up_ended', at: 0, profile: 'default', route: 'repo', ...counts, why, isElsewhere: false })
  end('HTTP 500')
  clock.advance(65_000)
  t.equal(begun.length, 2, 'after a minute')
  end('HTTP 500')
  clock.advance(65_000)
  t.equal(begun.length, 2, 'after two')
  clock.advance(60_000)
  t.equal(begun.length, 3)
  end()
  clock.advance(7_200_000)
  t.equal(begun.length, 3, 'and never after a success')
  isPaused = true
  tell(triggers, refusal('repo'))
  clock.advance(7_200_000)
  t.equal(begun.length, 3, 'not while the route is paused')
  isPaused = false
  clock.advance(5_000)
  t.equal(begun.length, 4)
  scope.close()
  t.end()
})
