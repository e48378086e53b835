/** Shared entries in the database: a call replaces entries only when the call names their present revision. */

import t, { type Test } from 'tap'
import { systemClock } from '../../src/core/clock.ts'
import { openPostgres } from '../../src/store/postgres/postgres-store.ts'
import type { Shared } from '../../src/store/shared.ts'
import { openPostgresServer, withoutPostgres } from '../fakes/postgres-server.ts'

t.test('entries on a PostgreSQL server', { skip: withoutPostgres }, async (t) => {
  const server = await openPostgresServer()
  t.teardown(() => server.stop())
  const openTwo = async (t: Test): Promise<[Shared, Shared]> => {
    const schema = server.newSchema()
    const open = async (): Promise<Shared> => {
      const store = await openPostgres({ url: () => server.url, schema, durability: 'commit', clock: systemClock })
      t.teardown(() => store.close())
      if (!store.shared) throw new Error('nothing is shared')
      return store.shared
    }
    return [await open(), await open()]
  }

  await t.test('each name has its own, and they are read as they were written', async (t) => {
    const [first, second] = await openTwo(t)
    t.equal((await first.entryRevisions()).size, 0)
    t.equal(await first.readEntries('subscriptions'), undefined)
    const odd = { revision: 'r1', text: '{"a":{"prompt":"\\u0000 \\ud800 {,}\\" é\n"}}' }
    t.equal(await first.replaceEntries('subscriptions', undefined, odd), true)
    t.equal(await first.replaceEntries('jobs/x', undefined, { revision: 'r2', text: '{}' }), true)
    t.same(await second.readEntries('subscriptions'), odd)
    t.same([...(await second.entryRevisions())].sort(), [
      ['jobs/x', 'r2'],
      ['subscriptions', 'r1'],
    ])
  })

  await t.test('who does not know the present entries changes nothing; a repeated call does', async (t) => {
    const [first, second] = await openTwo(t)
    const text = '{}'
    t.equal(await first.replaceEntries('s', undefined, { revision: 'r1', text }), true)
    t.equal(await second.replaceEntries('s', undefined, { revision: 'r2', text }), false)
    t.equal(await second.replaceEntries('s', 'r0', { revision: 'r2', text }), false)
    t.equal(await second.replaceEntries('s', 'r1', { revision: 'r2', text }), true)
    t.equal(await second.replaceEntries('s', 'r1', { revision: 'r2', text }), true, 'as after an answer that was lost')
    t.equal(await first.replaceEntries('s', 'r1', { revision: 'r3', text }), false)
    t.same(await first.readEntries('s'), { revision: 'r2', text })
  })

  await t.test('of many at once one wins', async (t) => {
    const both = await openTwo(t)
    const race = (before: string | undefined, round: string) =>
      Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          (both[i % 2] as Shared).replaceEntries('s', before, { revision: `${round}-${i}`, text: `{"${i}":{}}` }),
        ),
      )
    const first = await race(undefined, 'a')
    t.equal(first.filter(Boolean).length, 1)
    const second = await race(`a-${first.indexOf(true)}`, 'b')
    t.equal(second.filter(Boolean).length, 1)
    t.equal((await both[0].readEntries('s'))?.revision, `b-${second.indexOf(true)}`)
  })
})
