/**
 * Both sides of a relay are killed at random under load: no event that a sender has an answer for is lost, none is taken twice, and the
 * order of each route is kept. RELAY_EVENTS says how many events; by default few, for each run of the tests.
 */

import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import Database from 'libsql'
import t from 'tap'
import { stringify } from 'yaml'
import { newFolder } from '../fakes/folder.ts'
import { hexHmac, secret } from '../fakes/gateway.ts'
import { relayKey } from '../fakes/relay.ts'

const events = Number(process.env.RELAY_EVENTS ?? 300)
const killEveryMs = events > 1_000 ? 4_000 : 1_500
const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
/** The senders of `plain` give no ids, so they never send again. */
const routes = ['a', 'b', 'c', 'd', 'e', 'plain']

type Child = ChildProcessByStdio<null, Readable, null>

/** Starts the built command, and resolves when it listens. */
const start = async (dir: string, ...words: string[]): Promise<Child> => {
  const { NODE_OPTIONS: _, ...env } = process.env
  const child = spawn(process.execPath, [main, '--data-dir', dir, ...words], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const line of createInterface({ input: child.stdout })) if (line.includes('listening on')) break
  child.stdout.resume()
  return child
}

const kill = async (child: Child, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> => {
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}

t.setTimeout(events > 1_000 ? 0 : 120_000)

t.test('none lost, none doubled, order kept', { timeout: 0 }, async (t) => {
  const port = 20_000 + (process.pid % 20_000)
  const url = `http://127.0.0.1:${port}/home`
  const gateways = { home: { keys: [relayKey], routes: { '*': { answer: 'kept', max_items: 100_000 } } } }
  const agent = { runner: 'command', command: ['sleep', '600'] }
  const hello = { prompt: 'n {n}', deliver: 'log' }
  const extra = { port: 0, secret, rate_limit: 1_000_000, routes: Object.fromEntries(routes.map((route) => [route, hello])) }
  const dirs = newFolder(t, {
    front: { 'relay.yaml': stringify({ port, gateways }) },
    inner: {
      'config.yaml': stringify({
        platforms: { webhook: { enabled: true, extra } },
        gateway: { max_concurrent_runs: 1, max_queued_runs: 200_000, drain_seconds: 0 },
        agent,
        relay: { url, key: relayKey, listen: false },
      }),
    },
  })
  const sides = {
    front: { child: await start(join(dirs, 'front'), 'relay', 'run'), words: ['relay', 'run'] },
    inner: { child: await start(join(dirs, 'inner'), 'gateway', 'run'), words: ['gateway', 'run'] },
  }
  t.teardown(() => Object.values(sides).forEach(({ child }) => void child.kill('SIGKILL')))
  let isOver = false
  let kills = 0
  const killing = (async () => {
    while (!isOver) {
      await sleep(killEveryMs * (0.5 + Math.random()))
      const name = Math.random() < 0.5 ? 'front' : 'inner'
      const side = sides[name]
      await kill(side.child)
      kills++
      side.child = await start(join(dirs, name), ...side.words)
    }
  })()

  const answered = new Set<string>()
  const send = async (route: string): Promise<void> => {
    const hasIds = route !== 'plain'
    for (let n = 0; n < events / routes.length; n++) {
      const body = JSON.stringify({ n })
      const headers = { 'x-webhook-signature': hexHmac(body), ...(hasIds ? { 'x-request-id': `${route}-${n}` } : {}) }
      for (let again = true; again; ) {
        const status = await fetch(`${url}/webhooks/${route}`, { method: 'POST', body, headers }).then(
          (answer) => answer.status,
          () => 0,
        )
        if (status === 202) answered.add(`${route} ${n}`)
        again = status !== 202 && hasIds
        if (status !== 202) await sleep(20)
      }
    }
  }
  await Promise.all(routes.map(send))
  isOver = true
  await killing
  const status = async (): Promise<{ items: number }> => {
    const answer = await fetch(`${url}/relay/v1/status`, { headers: { authorization: `Bearer ${relayKey}` } })
    return ((await answer.json()) as { gateways: { items: number }[] }).gateways[0] as { items: number }
  }
  while ((await status()).items > 0) await sleep(50)
  await kill(sides.inner.child, 'SIGTERM')
  await kill(sides.front.child, 'SIGTERM')

  const db = new Database(join(dirs, 'inner', 'state', 'headgate.db'))
  const runs = (db.prepare('select run from runs order by id').all() as { run: string }[]).map(({ run }) => JSON.parse(run))
  db.close()
  const taken = new Map(routes.map((route) => [route, [] as number[]]))
  for (const { route, prompt } of runs) taken.get(route)?.push(Number(/n (\d+)/.exec(prompt)?.[1]))
  const all = [...taken].flatMap(([route, numbers]) => numbers.map((n) => `${route} ${n}`))
  t.comment(`${events} events, ${kills} kills, ${answered.size} answered with 202, ${all.length} taken`)
  t.strictSame([...answered].filter((each) => !all.includes(each)).slice(0, 5), [], 'none lost')
  t.equal(new Set(all).size, all.length, 'none doubled')
  for (const [route, numbers] of taken)
    t.strictSame(
      numbers,
      [...numbers].sort((a, b) => a - b),
      `the order of ${route}`,
    )
  t.ok(kills > 0, 'something was killed')
})
