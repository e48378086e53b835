/** `concurrency` on a route: how many runs of it, or of one key of it, are active at once, and in which order the others follow. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { type Answer, type GatewayOptions, startGateway, type TestGateway } from '../fakes/gateway.ts'
import { until } from '../fakes/wait.ts'

/** Notes its begin and its end; between them it waits for a file of its name, unless its name begins with quick. */
const agent = `
cd "$(dirname "$0")"
read -r text
echo "+$text" >> order
case $text in
  quick*) ;;
  fail*) [ -e "$text" ] || { touch "$text"; echo "!$text" >> order; exit 1; } ;;
  *) while [ ! -e "$text" ]; do sleep .02; done ;;
esac
echo "-$text" >> order
echo "$text"
`

type Lanes = TestGateway & {
  event(text: string, more?: object, route?: string): Promise<Answer>
  /** Ends the run of this name. */
  end(text: string): void
  /** What began (+) and ended (-), as soon as it is as much. */
  order(count: number): Promise<string[]>
}

const start = async (t: Test, concurrency: object, routes: object = {}, options: GatewayOptions = {}): Promise<Lanes> => {
  // Registered before the directory is made, so that tap stops the gateway before it removes the directory.
  t.teardown(() => {})
  const runner = { runner: 'command', command: ['bash', join(options.dir ?? t.testdirName, 'agent.sh')] }
  const all = { r: { prompt: '{text}', retry: { backoff: 0 }, concurrency }, plain: { prompt: '{text}' }, ...routes }
  const config = { agent: runner, storage: { kind: 'memory' }, ...options.config }
  const gateway = await startGateway(t, { files: { 'agent.sh': agent }, ...options, routes: all, config })
  const file = join(gateway.dir, 'order')
  const order = (): string[] => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [])
  return {
    ...gateway,
    event: (text, more = {}, route = 'r') => gateway.post(route, { body: { text, ...more }, headers: { 'X-Request-ID': text } }),
    end: (text) => writeFileSync(join(gateway.dir, text), ''),
    async order(count) {
      await until(() => order().length >= count)
      return order()
    },
  }
}

t.test('limit: 1 runs one after the other, in the order of acceptance; other routes go on', async (t) => {
  const { event, order, end } = await start(t, { limit: 1 })
  for (const text of ['a', 'quick-b', 'c', 'quick-d']) t.match((await event(text)).json, { status: 'accepted', delivery_id: text })
  await order(1)
  await event('quick-plain', {}, 'plain')
  t.same(await order(3), ['+a', '+quick-plain', '-quick-plain'], 'what could have begun before it did not')
  end('a')
  t.same((await order(7)).slice(3), ['-a', '+quick-b', '-quick-b', '+c'])
  end('c')
  t.same((await order(10)).slice(7), ['-c', '+quick-d', '-quick-d'])
})

t.test('limit: 2 lets two run at once', async (t) => {
  const { event, order, end } = await start(t, { limit: 2 })
  for (const text of ['a', 'b', 'c', 'd']) await event(text)
  t.same((await order(2)).sort(), ['+a', '+b'])
  await event('quick-plain', {}, 'plain')
  t.equal((await order(4)).length, 4)
  end('b')
  t.same((await order(6)).slice(4), ['-b', '+c'])
  for (const text of ['a', 'c', 'd']) end(text)
  t.equal((await order(10)).filter((line) => line.startsWith('-')).length, 5)
})

t.test('with a key each value has a limit of its own; events without the key share one', async (t) => {
  const { event, order, end } = await start(t, { limit: 1, key: '{repo.name}' })
  for (const [text, repo] of [
    ['x1', { name: 'x' }],
    ['quick-x2', { name: 'x' }],
    ['y1', { name: 'y' }],
    ['none1', {}],
    ['quick-none2', 'text'],
    ['quick-slash', { name: 'x/' }],
  ] as const)
    t.equal((await event(text, { repo })).status, 202)
  t.same((await order(5)).sort(), ['+none1', '+quick-slash', '+x1', '+y1', '-quick-slash'])
  end('x1')
  t.same((await order(8)).slice(5), ['-x1', '+quick-x2', '-quick-x2'])
  end('none1')
  t.same((await order(11)).slice(8), ['-none1', '+quick-none2', '-quick-none2'])
  end('y1')
  await order(12)
})

t.test('of a key with several values each combination is a lane of its own', async (t) => {
  const { event, order, end } = await start(t, { limit: 1, key: '{org}-{user}' })
  await event('a', { org: 'acme', user: 'ops-bob' })
  await event('quick-b', { org: 'acme-ops', user: 'bob' })
  t.same((await order(3)).sort(), ['+a', '+quick-b', '-quick-b'])
  end('a')
  await order(4)
})

t.test('the key is a field name too; the same value on another route is another lane', async (t) => {
  const concurrency = { limit: 1, key: 'repo' }
  const { event, order, end } = await start(t, concurrency, { s: { prompt: '{text}', concurrency } })
  await event('a', { repo: 'x' })
  await event('b', { repo: 'x' }, 's')
  await event('quick-c', { repo: 'x' })
  t.same((await order(2)).sort(), ['+a', '+b'])
  end('a')
  t.same((await order(5)).slice(2), ['-a', '+quick-c', '-quick-c'])
  end('b')
  await order(6)
})

t.test('a run that is tried again keeps its place', async (t) => {
  const { event, order, end } = await start(t, { limit: 1 })
  for (const text of ['a', 'fail-b', 'quick-c']) await event(text)
  end('a')
  t.same(await order(8), ['+a', '-a', '+fail-b', '!fail-b', '+fail-b', '-fail-b', '+quick-c', '-quick-c'])
})

t.test('duplicates are none of the lane', async (t) => {
  const { event, order, end } = await start(t, { limit: 1 })
  for (const text of ['a', 'quick-b']) await event(text)
  for (const text of ['a', 'quick-b']) t.equal((await event(text)).json.status, 'duplicate')
  end('a')
  t.same(await order(4), ['+a', '-a', '+quick-b', '-quick-b'])
  await event('quick-c')
  t.same((await order(6)).slice(4), ['+quick-c', '-quick-c'])
})

t.test('past max_queued_runs an event gets 503 with Retry-After, and its id is not consumed', async (t) => {
  const { event, order, end } = await start(t, { limit: 1 }, {}, { config: { gateway: { max_queued_runs: 2 } } })
  for (const text of ['a', 'b']) t.equal((await event(text)).status, 202)
  const full = await event('quick-c')
  t.equal(full.status, 503)
  t.same(full.json, { error: 'Queue is full' })
  t.match(full.headers.get('retry-after'), /^[1-9]\d*$/)
  end('a')
  await order(3)
  t.equal((await event('quick-c')).json.status, 'accepted')
  end('b')
  t.same((await order(6)).slice(2), ['+b', '-b', '+quick-c', '-quick-c'])
})

t.test('after a restart the order holds, with the store on disk', async (t) => {
  const config = { storage: { kind: 'sqlite' } }
  const first = await start(t, { limit: 1 }, {}, { config })
  for (const text of ['a', 'quick-b', 'quick-c']) await first.event(text)
  await first.order(1)
  await first.stop(50)
  first.end('a')
  const second = await start(t, { limit: 1 }, {}, { config, dir: first.dir })
  t.same(await second.order(7), ['+a', '+a', '-a', '+quick-b', '-quick-b', '+quick-c', '-quick-c'])
})

t.test('a key that cannot be read is said at load', async (t) => {
  await t.rejects(start(t, { limit: 1, key: '{= ( }' }), /WH503/)
  await t.rejects(start(t, { limit: 1, key: '{ repo }' }), /WH503/)
})

t.test('priority: of the runs of all routes that wait, those of a route with high priority begin first, and low ones last', async (t) => {
  const routes = { low: { prompt: '{text}', priority: 'low' }, high: { prompt: '{text}', priority: 'high' } }
  const { event, order, end } = await start(t, { limit: 9 }, routes, { config: { gateway: { max_concurrent_runs: 1 } } })
  await event('first')
  await order(1)
  for (const route of ['low', 'r', 'high']) await event(`quick-${route}`, {}, route)
  end('first')
  const begun = (await order(8)).filter((line) => line.startsWith('+')).map((line) => line.split('-')[1])
  t.same(begun.slice(1), ['high', 'r', 'low'])
})
