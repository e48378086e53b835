/** Polls over crashes and among gateways: a gateway is killed again and again while it polls, and each message runs once. */

import t from 'tap'
import { openPostgresServer, withoutPostgres } from '../fakes/postgres-server.ts'
import { command, dataDir, type ProcessGateway, spawnGateway, startGateway } from '../fakes/process-gateway.ts'
import { pollToken, startPoller } from '../fakes/sender-logs/svix.ts'
import { sharedDirectories } from '../fakes/shared-gateways.ts'
import { until } from '../fakes/wait.ts'

t.setTimeout(200_000)

type Lines = { readonly lines: readonly { readonly msg: string; readonly text?: unknown }[] }
const textsOf = ({ lines }: Lines): string[] => lines.filter(({ msg }) => msg === 'delivered').map(({ text }) => String(text))
const routeAt = (url: string) => ({ paid: { prompt: 'invoice {n}', deliver: 'log', poll: { url, token: pollToken, every_seconds: 1 } } })

t.test('each of 60 messages runs once, although the gateway is killed again and again', { timeout: 120_000 }, async (t) => {
  const poller = await startPoller(t, { pageSize: 7 })
  const dir = dataDir(t, { routes: routeAt(poller.url) })
  const delivered: string[] = []
  for (let kill = 1; kill <= 6; kill++) {
    poller.add(10)
    const gateway = spawnGateway(t, dir)
    const before = poller.consumers.get('headgate') ?? -1
    await gateway.listening
    await until(() => (poller.consumers.get('headgate') ?? -1) > before, 20_000)
    gateway.kill('SIGKILL')
    await gateway.ended
    delivered.push(...textsOf(gateway))
  }
  const last = await startGateway(t, dir)
  await until(() => poller.consumers.get('headgate') === 60, 20_000)
  const all = (): string[] => [...delivered, ...textsOf(last)]
  await until(() => new Set(all()).size === 60, 20_000)
  const { stdout } = command({ dir }, 'events', 'list', '--json', '--limit', '500')
  const accepted = (JSON.parse(stdout) as { data: { events: { outcome: string; delivery_id: string }[] } }).data.events
    .filter(({ outcome }) => outcome === 'accepted')
    .map(({ delivery_id: id }) => id)
  t.equal(new Set(accepted).size, accepted.length, 'no message was accepted twice')
})

t.test('of two gateways on one store one polls, and the other goes on where it ended', { skip: withoutPostgres }, async (t) => {
  const server = await openPostgresServer()
  t.teardown(() => server.stop())
  const poller = await startPoller(t)
  poller.add(5)
  const dirs = sharedDirectories(t, server, 2, { adapter: { routes: routeAt(poller.url) } })
  const [first, second] = await Promise.all(dirs.map((dir) => startGateway(t, dir)))
  if (!first || !second) throw new Error('two gateways')
  await until(() => poller.consumers.get('headgate') === 5, 20_000)
  const pollOf = (gateway: ProcessGateway) => JSON.parse(command(gateway, 'gateway', 'status', '--json').stdout).data.polls[0]
  const [one, two] = [pollOf(first), pollOf(second)]
  t.strictSame([one.taken, two.taken].toSorted(), [0, 5])
  t.strictSame([one.state, two.state].toSorted(), ['elsewhere', 'polling'])
  const [leader, other] = one.taken === 5 ? [first, second] : [second, first]
  leader.kill('SIGTERM')
  await leader.ended
  poller.add(4)
  await until(() => poller.consumers.get('headgate') === 9, 30_000)
  t.match(pollOf(other), { state: 'polling', taken: 4 })
})
