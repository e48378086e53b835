/**
 * Two built gateways on one real database. The gateways share rate limits, the key for marks, and delivery ids. While the database is away,
 * the gateways refuse events with 503.
 */

import { createHmac } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { gatewayAt } from '../../src/http/control/client.ts'
import { newFolder } from '../fakes/folder.ts'
import { type OwnServer, startPostgresServer, withoutOwnPostgres } from '../fakes/postgres-server.ts'
import { isGone, isRunning } from '../fakes/process.ts'
import { linesIn, type ProcessGateway, startGateway } from '../fakes/process-gateway.ts'
import { relayKey, startRelay } from '../fakes/relay.ts'
import { ok, putForward, sharedDirectories } from '../fakes/shared-gateways.ts'
import { sink } from '../fakes/sink.ts'
import { until } from '../fakes/wait.ts'

const secret = 'It is a secret to everybody'

/** Posts an event until the gateway does not answer 503 any more. Each gateway finds out for itself that the server is back. */
const served = (gateway: ProcessGateway, id: string) =>
  until(async () => {
    const answer = await gateway.post('r', id)
    return answer.status === 503 ? undefined : answer
  })

t.test('gateways on one database', { skip: withoutOwnPostgres }, async (t) => {
  const server: OwnServer = await startPostgresServer(true)
  t.teardown(() => server.stop())
  const open = (t: Test, count: number, routes: object, more: object = {}): Promise<readonly ProcessGateway[]> => {
    const adapter = { secret, routes, ...more }
    const settings = { adapter, agent: { runner: 'command', command: ['cat'] }, durability: 'fsync' } as const
    return Promise.all(sharedDirectories(t, server, count, settings).map((dir) => startGateway(t, dir)))
  }

  await t.test('a route has one rate limit, and marks have one key', async (t) => {
    const gateways = await open(
      t,
      2,
      { r: { prompt: 'hi', events: ['push'] }, asked: { prompt: 'hi', verify: 'okta' } },
      { rate_limit: 100 },
    )
    const [a, b] = gateways.map(({ dir }) => readFileSync(join(dir, 'state/comment-key'), 'utf8'))
    t.match(a, /^[0-9a-f]{64}\n$/)
    t.equal(a, b)
    const answers = await Promise.all(Array.from({ length: 200 }, (_, i) => (gateways[i % 2] as ProcessGateway).post('r', `id-${i}`)))
    const statuses = answers.map(({ status }) => status)
    const taken = statuses.filter((status) => status === 202).length
    t.ok(taken > 90 && taken <= 105, `${taken} of a limit of 100`)
    t.equal(statuses.filter((status) => status === 429).length, 200 - taken)
    t.match(answers.find(({ status }) => status === 429)?.headers['retry-after'], /^[1-9]\d?$/)
    const question = { Authorization: secret, 'X-Okta-Verification-Challenge': 'word' }
    for (const gateway of gateways) {
      const answer = await fetch(`${await gateway.listening}/webhooks/asked`, { headers: question })
      t.same([answer.status, await answer.text()], [200, '{"verification":"word"}'], 'a question waits for the first part of the window')
    }
  })

  await t.test('three gateways share the rate_limit of a route, for each value of its key', async (t) => {
    const limited = { prompt: '{repo}', deliver: 'log', rate_limit: { per_minute: 8, key: 'repo' } }
    const routes = {
      few: limited,
      many: { ...limited, rate_limit: { per_minute: 100 } },
      waits: { ...limited, rate_limit: { per_minute: 5, key: 'repo', when_over: 'queue' } },
    }
    const gateways = await open(t, 3, routes)
    const postAll = async (route: string, repo: string, count: number): Promise<readonly number[]> => {
      const answers = await Promise.all(
        Array.from({ length: count }, (_, i) =>
          (gateways[i % 3] as ProcessGateway).post(route, `${route}-${repo}-${i}`, { body: JSON.stringify({ repo }) }),
        ),
      )
      for (const { status, headers } of answers) if (status === 429) t.match(headers['retry-after'], /^[1-9]\d?$/)
      return [202, 429].map((wanted) => answers.filter(({ status }) => status === wanted).length)
    }
    t.strictSame(await postAll('few', 'x', 30), [8, 22], 'shares of one event: exactly the limit')
    t.strictSame(await postAll('few', 'y', 4), [4, 0], 'another value has a minute of its own')
    const [taken = 0, refused = 0] = await postAll('many', 'x', 150)
    t.ok(taken > 85 && taken <= 100 && taken + refused === 150, `${taken} of a limit of 100`)
    t.strictSame(await postAll('waits', 'x', 15), [15, 0], 'all are accepted')
    const begun = (): number =>
      gateways.flatMap(({ lines }) => lines).filter(({ msg, route }) => msg === 'delivered' && route === 'waits').length
    await until(() => begun() === 5)
    // Three looks of each gateway for due runs.
    await new Promise((later) => setTimeout(later, 3_000))
    t.equal(begun(), 5, 'the other runs wait for the next minute')
    t.strictSame(await postAll('waits', 'y', 3), [3, 0])
    await until(() => begun() === 8)
  })

  await t.test('while the database is away, nothing is said to be accepted', async (t) => {
    const gateways = await open(t, 2, { r: { prompt: 'hi', events: ['push'] }, other: { prompt: 'hi', events: ['release'] } })
    const [one, two] = gateways as [ProcessGateway, ProcessGateway]
    t.equal((await one.post('r', 'before')).status, 202)
    await server.kill()
    for (const gateway of gateways) {
      const since = Date.now()
      const [lost, ignored] = await Promise.all([gateway.post('r', 'meanwhile'), gateway.post('other', 'filtered')])
      t.match(lost, { status: 503, headers: { 'retry-after': /^\d+$/ } })
      t.ok(Date.now() - since < 5_000, `${Date.now() - since} ms`)
      t.match(ignored, { status: 200, json: { status: 'ignored' } }, 'what is filtered needs no store')
    }
    await server.start()
    t.equal((await served(two, 'meanwhile')).status, 202, 'its id is free')
    t.match((await served(one, 'meanwhile')).json, { status: 'duplicate' })
    t.match((await two.post('r', 'before')).json, { status: 'duplicate' })
  })

  await t.test('a direct delivery that was made while the database went away is not made again', async (t) => {
    let release = (): void => {}
    const receiver = await sink(t, (response) => {
      release = () => void response.end()
    })
    const route = { prompt: 'hello', deliver_only: true, deliver: 'http', deliver_extra: { url: `${receiver.origin}/` } }
    const [one, two] = (await open(t, 2, { r: route })) as [ProcessGateway, ProcessGateway]
    const first = one.post('r', 'a')
    await until(() => receiver.seen.length > 0)
    await server.kill()
    release()
    t.match(await first, { status: 200, json: { status: 'delivered' } })
    await server.start()
    // The sender may have missed the answer, and may repeat the event at another gateway.
    t.match(await served(two, 'a'), { status: 200, json: { status: 'duplicate' } })
    t.equal(receiver.seen.length, 1)
  })

  await t.test('gateway run --once ends after an event of its own, and waits for no work of another gateway', async (t) => {
    const receiver = await sink(t, () => {})
    const adapter = {
      secret,
      routes: { r: { prompt: 'hi', deliver: 'http', deliver_extra: { url: `${receiver.origin}/` } }, own: { events: ['release'] } },
    }
    const [a, b] = sharedDirectories(t, server, 2, { adapter, agent: { runner: 'command', command: ['cat'] }, durability: 'fsync' }) as [
      string,
      string,
    ]
    const [once, other] = await Promise.all([startGateway(t, a, { args: ['--once'] }), startGateway(t, b)])
    const tail = await (await gatewayAt({ dataDir: a, self: 'headgate' }).need()).tail({ route: 'r' })
    t.equal((await other.post('r', 'of another')).status, 202)
    const seen = async (): Promise<void> => {
      for await (const line of tail) if (line.type === 'outcome') return
    }
    await seen()
    await until(() => receiver.seen.length > 0)
    t.match(await once.post('own', 'its own'), { status: 200, json: { status: 'ignored' } }, 'it has not ended')
    t.match(await once.ended, { code: 0, signal: null, err: '' })
    t.equal(receiver.seen.length, 1, 'the other delivery goes on')
  })

  await t.test('a direct delivery whose gateway died in it is made by the repeat', async (t) => {
    let isSilent = true
    const receiver = await sink(t, (response) => {
      if (!isSilent) response.end()
    })
    const route = { prompt: 'hello', deliver_only: true, deliver: 'http', deliver_extra: { url: `${receiver.origin}/` } }
    const [one, two] = (await open(t, 2, { r: route })) as [ProcessGateway, ProcessGateway]
    const first = one.post('r', 'a').catch(() => undefined)
    await until(() => receiver.seen.length > 0)
    one.kill()
    await first
    isSilent = false
    t.match(await two.post('r', 'a'), { status: 503, headers: { 'retry-after': /^\d+$/ } }, 'nobody knows yet how the first ended')
    // The claim of the first sending ends after thirty seconds.
    await putForward(t, two.dir, 31)
    t.match(await two.post('r', 'a'), { status: 200, json: { status: 'delivered' } })
    t.equal(receiver.seen.length, 2)
  })

  await t.test('a callback is posted once for each run, although its gateway is killed before the post', async (t) => {
    let isSilent = true
    const receiver = await sink(t, (response) => {
      if (!isSilent) response.writeHead(200).end()
    })
    const key = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
    const callback = { url: `${receiver.origin}/end`, secret: key }
    const routes = { r: { prompt: 'p', callback, retry: { max_attempts: 5, backoff: 0.01 } } }
    const [one, two] = (await open(t, 2, routes)) as [ProcessGateway, ProcessGateway]
    const ids = Array.from({ length: 6 }, (_, i) => `event-${i}`)
    for (const id of ids) t.equal((await one.post('r', id)).status, 202)
    // The runs have ended, their reports are committed, and no post has an answer.
    await until(() => receiver.seen.length > 0)
    await until(
      () => [one, two].flatMap(({ lines }) => lines).filter(({ msg, deliver }) => msg === 'delivered' && deliver !== 'http').length === 6,
    )
    one.kill('SIGKILL')
    await one.ended
    const silent = receiver.seen.length
    isSilent = false
    await putForward(t, two.dir, 120)
    const ended = () => receiver.seen.slice(silent).map(({ body }) => JSON.parse(body).delivery_id)
    await until(() => ids.every((id) => ended().includes(id)))
    t.strictSame(ended().sort(), ids, 'each once after the kill')
    for (const { headers, body } of receiver.seen) {
      const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
      const mac = createHmac('sha256', Buffer.from(key.slice('whsec_'.length), 'base64'))
        .update(signed)
        .digest('base64')
      t.equal(headers['webhook-signature'], `v1,${mac}`)
    }
    const named = new Map(receiver.seen.map(({ headers, body }) => [headers['webhook-id'], JSON.parse(body).delivery_id]))
    t.strictSame([...named.values()].sort(), ids, 'a repeat of a post has the id of the first')
  })

  await t.test('a run is cancelled at one gateway while the other works on it', async (t) => {
    const receiver = await sink(t, (response) => response.end())
    const dir = newFolder(t)
    const script = `echo "$HEADGATE_DELIVERY_ID" >> ${dir}/began; while [ ! -e ${dir}/go ]; do sleep .05; done; echo reply`
    const settings = {
      adapter: { secret, routes: { r: { prompt: 'p', deliver: 'http', deliver_extra: { url: `${receiver.origin}/` } } } },
      agent: { runner: 'command', command: ['sh', '-c', script] },
      gateway: { max_concurrent_runs: 1 },
    }
    const dirs = sharedDirectories(t, server, 2, settings)
    const one = await startGateway(t, dirs[0] as string)
    const worked = await one.post('r', 'worked')
    await until(() => existsSync(join(dir, 'began')))
    const waits = await one.post('r', 'waits')
    const two = await startGateway(t, dirs[1] as string)
    // The second gateway takes what the first has no room for.
    await until(() => readFileSync(join(dir, 'began'), 'utf8').includes('waits'))
    const third = await one.post('r', 'third')
    for (const { headers } of [third, worked, waits])
      t.match(ok(t, two.dir, 'events', 'cancel', String(headers['x-headgate-event-id'])), /cancelled/)
    // The first gateway learns of the cancel when it renews its lease.
    await one.line(({ msg }) => msg.startsWith('the agent of a run was stopped: the run is cancelled'))
    const ended = () =>
      [one, two].flatMap(({ lines }) => lines).flatMap(({ msg, delivery_id }) => (msg === 'run is cancelled' ? [delivery_id] : []))
    await until(() => ended().length >= 3)
    writeFileSync(join(dir, 'go'), '')
    t.equal((await two.post('r', 'next')).status, 202)
    await until(() => receiver.seen.length > 0)
    t.equal(receiver.seen.length, 1, 'nothing of the cancelled runs was sent')
    t.strictSame(ended().sort(), ['third', 'waits', 'worked'], 'each end is recorded once')
    t.strictSame(readFileSync(join(dir, 'began'), 'utf8').trim().split('\n'), ['worked', 'waits', 'next'])
  })

  await t.test('a gateway that takes a run again, because the clock of the database was put forward, stops its first agent', async (t) => {
    const receiver = await sink(t, (response) => response.end())
    const dir = newFolder(t)
    const script = `echo $$ >> ${dir}/began; while [ ! -e ${dir}/go ]; do sleep .05; done; echo reply`
    const [home = ''] = sharedDirectories(t, server, 1, {
      adapter: { secret, routes: { r: { prompt: 'p', deliver: 'http', deliver_extra: { url: `${receiver.origin}/` } } } },
      agent: { runner: 'command', command: ['sh', '-c', script] },
    })
    const gateway = await startGateway(t, home)
    t.equal((await gateway.post('r', 'a')).status, 202)
    const [first] = await until(() => linesIn(dir, 'began').length === 1 && linesIn(dir, 'began'))
    await putForward(t, home, 120)
    const [, second] = await until(() => linesIn(dir, 'began').length === 2 && linesIn(dir, 'began'))
    t.ok(await isGone(Number(first)))
    t.ok(isRunning(Number(second)), 'the second goes on')
    writeFileSync(join(dir, 'go'), '')
    await until(() => /^backlog +0$/m.test(ok(t, home, 'gateway', 'status')))
    t.equal(receiver.seen.length, 1)
  })

  await t.test('a route is paused and resumed at one gateway for both', async (t) => {
    const gateways = await open(t, 2, { r: { prompt: 'p' } })
    const [one, two] = gateways as [ProcessGateway, ProcessGateway]
    ok(t, one.dir, 'webhook', 'pause', 'r')
    for (const gateway of gateways) await until(async () => (await gateway.post('r', `paused-${gateway.pid}`)).status === 503)
    ok(t, two.dir, 'webhook', 'pause', 'r', '--hold')
    for (const gateway of gateways) await gateway.line(({ msg }) => msg === 'the runs of a route are held')
    const ids = Array.from({ length: 8 }, (_, i) => `held-${i}`)
    for (const [i, id] of ids.entries()) t.equal((await (gateways[i % 2] as ProcessGateway).post('r', id)).status, 202)
    const delivered = () =>
      gateways.flatMap(({ lines }) => lines).filter(({ msg, delivery_id }) => msg === 'delivered' && ids.includes(String(delivery_id)))
    await until(() => /^paused +r, .*held/m.test(ok(t, one.dir, 'gateway', 'status')))
    t.strictSame(delivered(), [])
    ok(t, one.dir, 'webhook', 'resume', 'r')
    await until(() => delivered().length === ids.length)
    t.strictSame(
      delivered()
        .map(({ delivery_id }) => delivery_id)
        .sort(),
      ids,
      'each once',
    )
  })

  await t.test('a sender waits at one gateway for the reply to a run that the other works on', async (t) => {
    const respond = { wait_seconds: 60, content_type: 'application/json', body: '{"text": "{reply}"}' }
    // The agent of the first event waits for the file, so its gateway has no room for the second.
    const script =
      'if [ "$HEADGATE_DELIVERY_ID" = first ]; then while [ ! -e "$HEADGATE_GO" ]; do sleep .02; done; fi; echo "to $HEADGATE_DELIVERY_ID"'
    const go = join(newFolder(t), 'go')
    const settings = {
      adapter: { secret, routes: { r: { prompt: 'p', respond } } },
      agent: { runner: 'command', command: ['sh', '-c', script.replace('$HEADGATE_GO', go)] },
      gateway: { max_concurrent_runs: 1 },
    }
    const dirs = sharedDirectories(t, server, 2, settings)
    const [one, two] = (await Promise.all(dirs.map((dir) => startGateway(t, dir)))) as [ProcessGateway, ProcessGateway]
    const busy = one.post('r', 'first')
    const operations = await gatewayAt({ dataDir: one.dir, self: 'headgate' }).need()
    await until(async () => (await operations.status()).waiting_requests === 1)
    const answers = await Promise.all([one.post('r', 'second'), one.post('r', 'third')])
    t.strictSame(
      answers.map(({ json }) => json),
      [{ text: 'to second' }, { text: 'to third' }],
    )
    const worked = [one, two].map(({ lines }) => lines.filter(({ msg }) => msg === 'delivered').length)
    t.strictSame(worked, [0, 2], 'the other has worked on them')
    writeFileSync(go, '')
    t.match(await busy, { status: 200, json: { text: 'to first' } })
  })

  await t.test('gateways without ports share what a relay keeps, also when one of them is killed', async (t) => {
    const { url, front } = await startRelay(t)
    const names = ['r1', 'r2', 'r3', 'r4']
    const settings = {
      adapter: { secret, routes: Object.fromEntries(names.map((name) => [name, { prompt: '{n}', deliver: 'log' }])) },
      agent: { runner: 'command', command: ['cat'] },
      relay: { url: `${url}/home`, key: relayKey, listen: false },
    }
    const gateways = await Promise.all(sharedDirectories(t, server, 2, settings).map((dir) => startGateway(t, dir)))
    const [one, two] = gateways as [ProcessGateway, ProcessGateway]
    for (const { line } of gateways) await line(({ msg }) => msg === 'connected to the relay')
    const post = async (n: number): Promise<string> => {
      const body = JSON.stringify({ n })
      const headers = { 'X-Webhook-Signature': createHmac('sha256', secret).update(body).digest('hex'), 'X-Request-ID': `n-${n}` }
      const answer = await fetch(`${url}/home/webhooks/${names[n % names.length]}`, { method: 'POST', body, headers })
      return `${answer.status} ${JSON.parse(await answer.text()).status}`
    }
    const all = (from: number, to: number) => Promise.all(Array.from({ length: to - from }, (_, i) => post(from + i)))
    t.strictSame(new Set(await all(0, 100)), new Set(['202 accepted']))
    await until(() => gateways.every(({ lines }) => lines.some(({ msg }) => msg === 'delivered')))
    await until(() => front.status().gateways[0]?.items === 0)
    one.kill('SIGKILL')
    await one.ended
    t.strictSame(new Set(await all(100, 200)), new Set(['202 accepted']))
    await until(() => front.status().gateways[0]?.items === 0)
    t.strictSame(new Set(await all(0, 200)), new Set(['200 duplicate']), 'each was taken once')
    await until(() => two.lines.filter(({ msg }) => msg === 'delivered').length >= 100)
  })
})
