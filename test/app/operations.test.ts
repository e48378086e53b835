/** What the operations make of a store elsewhere: a clock that differs, and no answer. */

import t from 'tap'
import type { RequestEnded } from '../../src/core/facts/fact.ts'
import { createFacts } from '../../src/core/facts/facts.ts'
import { refuse } from '../../src/core/outcome.ts'
import { createOperations } from '../../src/gateway/operations/operations.ts'
import { RedactionCounts } from '../../src/serve/redaction-counts.ts'
import { requestLines } from '../../src/serve/traffic.ts'
import { aheadOf, fakeClock } from '../fakes/clock.ts'
import { openedIn, sharedStore } from '../fakes/shared-store.ts'

const hourMs = 3_600_000

t.test('a store elsewhere: times are told by the clock of this machine, and a status is given without it', async (t) => {
  const clock = fakeClock()
  const store = await sharedStore(aheadOf(clock, hourMs)).open(openedIn(t.testdirName, clock))
  const served = { config: { digests: new Map() }, served: () => [1, 2, 3], jobs: { all: () => [] } }
  const operations = createOperations({
    store,
    clock,
    facts: createFacts(),
    url: 'http://127.0.0.1:1',
    stopping: () => false,
    notReady: () => undefined,
    shared: { replies: { count: 3 }, redactions: new RedactionCounts(), fetchedLists: { views: () => [] } },
    certificates: () => ({}),
    features: { operations: {}, status: () => ({ targets_down: 2 }) },
    relay: { view: () => undefined },
    reloader: { current: () => served, reloadedAt: () => null, failed: () => null, needsRestart: () => [] },
  } as unknown as Parameters<typeof createOperations>[0])

  const delivery = { target: 'log', extra: {} }
  const run = { eventId: 'e', profile: 'p', route: 'r', event: 'push', deliveryId: 'd', prompt: '', delivery, acceptedAt: 0 }
  await store.accept(run, { key: 'd', holdMs: hourMs })
  for (const lease of await store.take(1, hourMs)) await store.finish(lease, { kind: 'again', afterMs: 5_000, error: 'busy' })
  const standing = { eventId: 'e', state: 'waiting', attempt: 1, error: 'busy' }
  t.strictSame(await operations.standings({ ids: ['e', 'nobody'] }), { standings: [{ ...standing, dueAt: clock.now() + 5_000 }] })
  clock.advance(6_000)
  t.strictSame(
    await operations.standings({ ids: ['e'] }),
    { standings: [{ ...standing, dueAt: clock.now() - 1_000 }] },
    'it waits for a worker',
  )

  t.match(await operations.status(), {
    routes: 3,
    backlog: 1,
    targets_down: 2,
    waiting_requests: 3,
    started_at: '2023-11-14T22:13:20.000Z',
  })
  await store.close()
  t.match(await operations.status(), { routes: 3, backlog: null })
})

t.test('a secret across the cut of a long reason is not shown to watchers by half', (t) => {
  const secret = 'sk-0123456789abcdef'
  const outcome = refuse('delivery_failed', { detail: `${'x'.repeat(1_015)}${secret}` })
  const ended = { outcome, stage: 'delivery' }
  const fact: RequestEnded = { kind: 'request_ended', ended, route: undefined, headers: {}, remote: () => '127.0.0.1', ms: () => 1 }
  const lines = requestLines(fact, 0, (text) => text.replaceAll(secret, '***'))
  t.match(lines[1], { type: 'outcome', reason: /x\*\*\*$/ })
  t.notMatch(JSON.stringify(lines), 'sk-0')
  t.end()
})
