/** A wall clock that jumps by an hour, either way, changes no window, lease, claim or limit: only signatures and schedules follow it. */

import { setImmediate as turn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { Clock } from '../../src/core/clock.ts'
import { fakeClock } from '../fakes/clock.ts'
import { startGateway } from '../fakes/gateway.ts'
import { until } from '../fakes/wait.ts'

const hour = 3_600_000

/** A clock whose wall can be set apart from what has passed. */
const jumpingClock = () => {
  const clock = fakeClock()
  let offset = 0
  const jumping: Clock = { now: () => clock.now() + offset, monotonic: clock.monotonic, after: clock.after }
  const jump = (ms: number): void => {
    offset += ms
  }
  return { clock: jumping, advance: clock.advance, jump }
}

const start = async (t: Test, routes: object, more: object = {}) => {
  const { clock, advance, jump } = jumpingClock()
  const gateway = await startGateway(t, { clock, level: 'info', routes: routes as { [name: string]: object }, ...more })
  const delivered = (): string[] => gateway.lines.filter(({ msg }) => msg === 'delivered').map(({ text }) => String(text))
  /** Lets time pass in steps, each followed by what it set off. */
  const pass = async (seconds: number): Promise<void> => {
    for (let i = 0; i < seconds; i++) {
      advance(1_000)
      for (let turns = 0; turns < 4; turns++) await turn()
    }
  }
  return { gateway, jump, pass, delivered, monotonic: clock.monotonic }
}

for (const [title, by] of [
  ['forward', hour],
  ['back', -hour],
] as const) {
  t.test(`an hour ${title}: a group waits for its window, no less and no more`, async (t) => {
    const { gateway, jump, pass, delivered } = await start(t, { r: { prompt: '{n}', coalesce: { key: 'k', window_seconds: 20 } } })
    t.equal((await gateway.post('r', { body: { k: 1, n: 1 } })).json.status, 'coalesced')
    jump(by)
    await pass(10)
    t.equal((await gateway.post('r', { body: { k: 1, n: 2 } })).json.status, 'coalesced')
    await pass(19)
    t.same(delivered(), [])
    await pass(1)
    await until(() => delivered().length === 1)
    t.match(delivered()[0], /^2\n.*1 earlier event/s)
  })

  t.test(`an hour ${title}: the route's minute goes on`, async (t) => {
    const { gateway, jump, pass } = await start(t, { r: { prompt: 'p' } }, { extra: { rate_limit: 2 } })
    for (const status of [202, 202, 429]) t.equal((await gateway.post('r')).status, status)
    jump(by)
    await pass(30)
    const full = await gateway.post('r')
    t.equal(full.status, 429)
    t.ok(Number(full.headers.get('retry-after')) <= 30)
    await pass(30)
    t.equal((await gateway.post('r')).status, 202)
  })

  t.test(`an hour ${title}: a delivery id is known for its hour`, async (t) => {
    const { gateway, jump, pass } = await start(t, { r: { prompt: 'p' } }, { extra: { rate_limit: 100_000 } })
    const again = async (): Promise<unknown> => (await gateway.post('r', { headers: { 'X-Request-ID': 'one' } })).json.status
    t.equal(await again(), 'accepted')
    jump(by)
    t.equal(await again(), 'duplicate')
    await pass(3_599)
    t.equal(await again(), 'duplicate')
    await pass(2)
    t.equal(await again(), 'accepted')
  })

  t.test(`an hour ${title}: a run is tried again after its back-off, and no running one is taken for lost`, async (t) => {
    const { gateway, jump, pass } = await start(
      t,
      { r: { prompt: 'p', retry: { max_attempts: 2, backoff: 10 } } },
      { config: { storage: { kind: 'memory' }, agent: { runner: 'command', command: ['sh', '-c', 'exit 3'] } } },
    )
    await gateway.post('r')
    await gateway.line(({ msg }) => msg.includes('will be tried again'))
    jump(by)
    t.notOk(gateway.lines.some(({ msg }) => msg === 'run is dead'))
    await pass(11)
    t.match(await gateway.line(({ msg }) => msg === 'run is dead'), { attempt: 2 })
    t.notOk(gateway.lines.some(({ msg }) => msg.includes('taken over')))
  })
}
