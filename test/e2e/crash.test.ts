/** What survives `kill -9`: everything that was answered with 202, once where nothing was broken off. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import t, { type Test } from 'tap'
import { command, dataDir, linesIn, type ProcessGateway, startGateway } from '../fakes/process-gateway.ts'
import { json, sink } from '../fakes/sink.ts'
import { until } from '../fakes/wait.ts'

const concurrentRuns = 4

/** Runs that a stopped gateway left behind: `due` ones and dead ones. */
const leftIn = (dir: string): { due: number; dead: number } => {
  const db = new Database(join(dir, 'state', 'headgate.db'))
  const [row] = db.prepare('select count(due_at) + count(iif(fence = 0, 1, null)) as due, count(error) as dead from runs').all() as {
    due: number
    dead: number
  }[]
  db.close()
  return { due: row?.due ?? -1, dead: row?.dead ?? -1 }
}

const deliveredIn = ({ lines }: Pick<ProcessGateway, 'lines'>): string[] =>
  lines.filter(({ msg }) => msg === 'delivered').map(({ delivery_id }) => String(delivery_id))

/** The delivery ids of the texts that the target `http` posted. */
const deliveredTo = (seen: readonly { readonly url: string; readonly body: string }[], path: string): string[] =>
  seen.filter(({ url }) => url === path).map(({ body }) => String(JSON.parse(body).delivery_id))

const stop = async (t: Test, dir: string, gateway: ProcessGateway, left: { due: number; dead: number }): Promise<void> => {
  gateway.kill('SIGTERM')
  t.match(await gateway.ended, { code: 0, err: '' })
  t.strictSame(leftIn(dir), left)
}

t.test('500 events and eight kills under load: all that was accepted runs, and its id and key are known', async (t) => {
  const kills = 8
  const connections = 8
  const ids = Array.from({ length: 500 }, (_, i) => `event-${i}`)
  const dir = dataDir(t, {
    // Each kill may take an attempt from a run: none shall die of them here.
    routes: { work: { prompt: 'p', retry: { max_attempts: 20 }, duplicates: { key: 'k' } } },
    agent: 'echo "$HEADGATE_DELIVERY_ID" >> "$dir/ran"; echo done',
  })
  const saying = (k: string) => ({ body: JSON.stringify({ k }) })
  const open = [...ids]
  const acknowledged = new Set<string>()
  const delivered: string[] = []
  const wrong: unknown[] = []

  /** One connection's sender: an event without an answer goes back to be sent again. */
  const sender = async (gateway: ProcessGateway, answered: () => void): Promise<void> => {
    for (let id = open.shift(); id !== undefined; id = open.shift()) {
      try {
        const { status, json } = await gateway.post('work', id, saying(id))
        if (status === 202 ? json.status !== 'accepted' : json.status !== 'duplicate') wrong.push({ id, status, json })
        acknowledged.add(id)
        answered()
      } catch {
        open.push(id)
        return
      }
    }
  }
  const resend = async (gateway: ProcessGateway, some: readonly string[]): Promise<void> => {
    for (const id of some.flatMap((known) => [known, `says ${known}`])) {
      const { status, json } = await gateway.post('work', id, saying(id.replace('says ', '')))
      if (status !== 200 || json.status !== 'duplicate') wrong.push({ id, status, json, why: 'acknowledged before' })
    }
  }

  for (let life = 0; life <= kills; life++) {
    const gateway = await startGateway(t, dir)
    await resend(gateway, [...acknowledged].slice(-4))
    const isLast = life === kills
    let killAfter = 5 + Math.floor(Math.random() * 30)
    const answered = (): void => {
      if (!isLast && --killAfter === 0) setTimeout(() => gateway.kill(), Math.random() * 20)
    }
    await Promise.all(Array.from({ length: connections }, () => sender(gateway, answered)))
    if (isLast) {
      await resend(gateway, ids)
      const known = new Set(delivered)
      await until(() => new Set([...known, ...deliveredIn(gateway)]).size === ids.length)
      await stop(t, dir, gateway, { due: 0, dead: 0 })
    } else {
      t.match(await gateway.ended, { signal: 'SIGKILL', err: '' }, `kill ${life + 1}`)
    }
    delivered.push(...deliveredIn(gateway))
  }

  t.strictSame(wrong, [])
  t.equal(acknowledged.size, ids.length)
  const ran = linesIn(dir, 'ran')
  t.strictSame([...new Set(ran)].sort(), [...ids].sort(), 'each ran')
  t.ok(ran.length - ids.length <= kills * concurrentRuns, `${ran.length - ids.length} ran again after a kill`)
  t.strictSame([...new Set(delivered)].sort(), [...ids].sort(), 'each was delivered')
})

t.test('a run that kills the process each time ends as dead, and takes nobody with it', async (t) => {
  const dir = dataDir(t, {
    routes: { poison: { prompt: 'p' }, work: { prompt: 'p' } },
    agent: `if [ "$HEADGATE_ROUTE" = poison ]; then sleep 0.1; kill -9 $PPID; exit; fi
      sleep 0.3; echo "$HEADGATE_DELIVERY_ID"`,
  })
  const ids = Array.from({ length: 8 }, (_, i) => `work-${i}`)
  const first = await startGateway(t, dir)
  const worked = await Promise.all(ids.map((id) => first.post('work', id)))
  t.strictSame(
    [...worked, await first.post('poison', 'p')].map(({ status }) => status),
    Array(9).fill(202),
  )
  t.match(await first.ended, { signal: 'SIGKILL' })
  const delivered = deliveredIn(first)
  for (const attempt of [2, 3]) {
    const gateway = await startGateway(t, dir)
    t.match(await gateway.ended, { signal: 'SIGKILL' }, `attempt ${attempt}`)
    delivered.push(...deliveredIn(gateway))
  }
  const last = await startGateway(t, dir)
  t.match(await last.line(({ msg }) => msg === 'run is dead'), { route: 'poison', delivery_id: 'p', reason: /out of attempts after 3/ })
  await until(() => ids.every((id) => [...delivered, ...deliveredIn(last)].includes(id)))
  t.match((await last.post('poison', 'p')).json, { status: 'duplicate' })
  await stop(t, dir, last, { due: 0, dead: 1 })
})

t.test('a reply is stored before it is delivered: a kill during the delivery does not run the agent again', async (t) => {
  let answers = false
  const receiver = await sink(t, (response) => {
    if (answers) json(response, 200, {})
  })
  const dir = dataDir(t, {
    routes: { work: { prompt: 'p', deliver: 'http', deliver_extra: { url: `${receiver.origin}/in`, secret: 'outgoing' } } },
    agent: 'echo "$HEADGATE_DELIVERY_ID" >> "$dir/ran"; echo "reply $$"',
  })
  const first = await startGateway(t, dir)
  t.equal((await first.post('work', 'a')).status, 202)
  await until(() => receiver.seen.length === 1)
  first.kill()
  await first.ended
  answers = true
  const second = await startGateway(t, dir)
  await until(() => receiver.seen.length === 2)
  await stop(t, dir, second, { due: 0, dead: 0 })
  const [before, after] = receiver.seen
  t.match(JSON.parse(before?.body ?? ''), { delivery_id: 'a', text: /^reply \d+$/ })
  t.equal(after?.body, before?.body)
  t.ok(before?.headers['webhook-id'])
  t.equal(after?.headers['webhook-id'], before?.headers['webhook-id'])
  t.strictSame(linesIn(dir, 'ran'), ['a'])
  t.notMatch(readFileSync(join(dir, 'state', 'headgate.db'), 'latin1'), 'outgoing', 'the secret of the target is not stored')
})

t.test('runs that wait for a target that is down: shown, kept through a kill -9, and sent in their order', async (t) => {
  let status = 503
  const { origin, seen } = await sink(t, (response) => json(response, status, {}))
  const route = { prompt: 'p', deliver: 'http', deliver_extra: { url: `${origin}/x` }, retry: { backoff: 0 } }
  // The failures of the first text in a row count, so its run has attempts enough.
  const lone = { ...route, retry: { backoff: 2, max_attempts: 20 } }
  const dir = dataDir(t, { routes: { work: route, lone }, agent: 'echo "$HEADGATE_DELIVERY_ID"' })
  const ids = Array.from({ length: 40 }, (_, i) => `event-${100 + i}`)
  const first = await startGateway(t, dir)
  t.equal((await first.post('lone', ids[0] as string)).status, 202)
  await until(() => seen.length > 0)
  for (const id of ids.slice(1)) t.equal((await first.post('work', id)).status, 202)
  await first.line(({ msg }) => msg.startsWith('target is down'))
  const list = () => JSON.parse(command({ dir }, 'targets', 'list', '--json').stdout).data.breakers
  // The run whose first failure counted may still be in the wait after that failure.
  await until(async () => list()[0]?.waiting >= ids.length - 1)
  t.match(command({ dir }, 'targets', 'list').stdout, `http ${origin}, `)
  t.match(command({ dir }, 'gateway', 'status').stdout, /^targets down +1: /m)
  t.match(command({ dir }, 'targets', 'reset', 'http', 'https://example.org'), { status: 5 })
  first.kill('SIGKILL')
  await first.ended
  const before = seen.length
  status = 200

  const second = await startGateway(t, dir)
  // The run whose first failure counted waits until the end of the wait that it began before the kill.
  const sent = () => seen.slice(before).map(({ body }) => String(JSON.parse(body).text).trim())
  await until(() => new Set(sent()).size >= ids.length - 1, 30_000)

  status = 503
  const later = Array.from({ length: 25 }, (_, i) => `later-${100 + i}`)
  for (const id of later) t.equal((await second.post('work', id)).status, 202)
  await second.line(({ msg }) => msg.startsWith('target is down'))
  status = 200
  t.match(command({ dir }, 'targets', 'reset', 'http', origin), { status: 0, stdout: `reset    http ${origin}\n` })
  const all = later.slice(1)
  await until(() => all.every((id) => sent().includes(id)), 30_000)
  t.same(
    second.lines.filter(({ msg }) => msg === 'run is dead'),
    [],
  )
})

t.test('cancelled runs, one of them under way: its agent is stopped, nothing is sent, and a kill -9 takes back no cancel', async (t) => {
  const dir = dataDir(t, {
    routes: { work: { prompt: 'p', concurrency: { limit: 1 }, retry: { max_attempts: 20 } } },
    agent:
      'echo "$HEADGATE_DELIVERY_ID" >> "$dir/ran"; [ "$HEADGATE_DELIVERY_ID" = event-4 ] && [ -e "$dir/go" ] || exec sleep 600; echo done',
  })
  const first = await startGateway(t, dir)
  const events: string[] = []
  for (const id of ['event-1', 'event-2', 'event-3', 'event-4'])
    events.push(String((await first.post('work', id)).headers['x-headgate-event-id']))
  const ran = () => (existsSync(join(dir, 'ran')) ? readFileSync(join(dir, 'ran'), 'utf8').trim().split('\n') : [])
  await until(() => ran().includes('event-1'))
  t.match(command({ dir }, 'events', 'cancel', events[0] as string), { status: 0, stdout: /^cancelled .* work\n1 cancelled\n$/ })
  await until(() => ran().includes('event-2'))
  t.match(command({ dir }, 'events', 'show', events[0] as string).stdout, /cancelled by hand/)
  t.match(command({ dir }, 'events', 'cancel', events[0] as string), { status: 1, stdout: /it is cancelled already/ })
  t.match(command({ dir }, 'events', 'cancel', events[1] as string, events[2] as string), { status: 0, stdout: /\n2 cancelled\n$/ })
  first.kill('SIGKILL')
  await first.ended
  writeFileSync(join(dir, 'go'), '')
  const second = await startGateway(t, dir)
  await second.line(({ msg, delivery_id }) => msg === 'delivered' && delivery_id === 'event-4')
  t.strictSame([...new Set(ran())], ['event-1', 'event-2', 'event-4'], 'the agent was never asked about what waited')
  t.strictSame([...deliveredIn(first), ...deliveredIn(second)], ['event-4'])
  const list = JSON.parse(command({ dir }, 'events', 'list', '--state', 'cancelled', '--json').stdout).data.events
  t.strictSame(list.map(({ delivery_id }: { delivery_id: string }) => delivery_id).sort(), ['event-1', 'event-2', 'event-3'])
  t.match(command({ dir }, 'events', 'retry', events[2] as string), { status: 1, stdout: /events replay starts it anew/ })
  await stop(t, dir, second, { due: 0, dead: 0 })
})

t.test('a paused route, before a start and through a kill -9: refused without --hold, with it kept and begun in order', async (t) => {
  const dir = dataDir(t, {
    routes: { work: { prompt: 'p', concurrency: { limit: 1 } }, other: { prompt: 'p' } },
    agent: 'echo "$HEADGATE_DELIVERY_ID" >> "$dir/ran"; echo done',
  })
  const ran = () => (existsSync(join(dir, 'ran')) ? readFileSync(join(dir, 'ran'), 'utf8').trim().split('\n') : [])
  const route = (...args: string[]) => command({ dir }, 'webhook', ...args).stdout
  t.match(route('pause', 'work'), /^paused {3}work: its senders get 503/)
  const first = await startGateway(t, dir)
  const refused = await first.post('work', 'event-1')
  t.match(refused, { status: 503, json: { error: 'Route paused: work' }, headers: { 'retry-after': '60' } })
  t.match(route('pause', 'work', '--hold'), /^paused {3}work: its events are kept/)
  t.match(route('pause', 'work', '--hold'), /^no change/)
  t.match(route('pause', 'other'), /^paused/)
  for (let i = 0; i < 5; i++) t.equal((await first.post('other', `early-${i}`)).status, 503, 'from the first request after the answer on')
  t.match(route('resume', 'other'), /^resumed/)
  const ids = Array.from({ length: 20 }, (_, i) => `event-${100 + i}`)
  for (const id of ids.slice(0, 10)) t.equal((await first.post('work', id)).status, 202)
  t.equal((await first.post('other', 'event-1')).status, 202)
  await first.line(({ msg, delivery_id }) => msg === 'delivered' && delivery_id === 'event-1')
  first.kill('SIGKILL')
  await first.ended
  const second = await startGateway(t, dir)
  for (const id of ids.slice(10)) t.equal((await second.post('work', id)).status, 202)
  await until(() => /^paused +work, since \S+, 1 runs held/m.test(command({ dir }, 'gateway', 'status').stdout))
  t.strictSame(ran(), ['event-1'])
  second.kill('SIGHUP')
  await second.line(({ msg }) => /reloaded|configuration/.test(msg))
  t.match(command({ dir }, 'gateway', 'status').stdout, /^paused +work/m, 'a reload keeps it')
  t.match(route('resume', 'work'), /^resumed {2}work/)
  t.match(route('resume', 'work'), /^no change/)
  await until(() => ran().length === 21)
  t.strictSame(ran().slice(1), ids)
  await until(() => ids.every((id) => deliveredIn(second).includes(id)))
  t.notMatch(command({ dir }, 'gateway', 'status').stdout, /^paused/m)
  await stop(t, dir, second, { due: 0, dead: 0 })
})

t.test('a kill -9 while a sender waits for the reply: the run goes on at the next start, and is delivered once', async (t) => {
  const receiver = await sink(t, (response) => json(response, 200, {}))
  const respond = { wait_seconds: 60, content_type: 'application/json', body: '{"text": "{reply}"}' }
  const deliver = { deliver: 'http', deliver_extra: { url: `${receiver.origin}/reply` }, callback: { url: `${receiver.origin}/end` } }
  const dir = dataDir(t, {
    routes: { work: { prompt: 'p', respond, ...deliver } },
    agent: 'echo "$HEADGATE_DELIVERY_ID" >> "$dir/ran"; while [ ! -e "$dir/go" ]; do sleep .02; done; echo "the reply"',
  })
  const first = await startGateway(t, dir)
  const asked = first.post('work', 'event-1').then(
    () => 'answered',
    () => 'broken off',
  )
  await until(() => linesIn(dir, 'ran').length === 1)
  first.kill('SIGKILL')
  t.equal(await asked, 'broken off')
  await first.ended
  const second = await startGateway(t, dir)
  t.match(await second.post('work', 'event-1'), { status: 200, json: { status: 'duplicate' } }, 'the sender that repeats it')
  const other = second.post('work', 'event-2')
  await until(() => linesIn(dir, 'ran').includes('event-2'))
  writeFileSync(join(dir, 'go'), '')
  t.match(await other, { status: 200, json: { text: 'the reply' } })
  await until(() => ['event-1', 'event-2'].every((id) => deliveredTo(receiver.seen, '/end').includes(id)))
  await stop(t, dir, second, { due: 0, dead: 0 })
  for (const path of ['/reply', '/end']) t.strictSame(deliveredTo(receiver.seen, path).sort(), ['event-1', 'event-2'], path)
})
