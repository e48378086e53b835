/** Measures what accepting and finishing runs costs in the store on PostgreSQL beside the embedded one: processor time for each run. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../src/core/clock.ts'
import { openPostgres } from '../src/store/postgres/postgres-store.ts'
import { openSqlite } from '../src/store/sqlite/sqlite-store.ts'
import { startPostgresServer, withoutOwnPostgres } from '../test/fakes/postgres-server.ts'
import { acceptRuns, costOf, finishRuns } from './replicas/store-work.ts'

const rounds = 3

if (withoutOwnPostgres) {
  console.log(withoutOwnPostgres)
} else {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-stores-'))
  const server = await startPostgresServer(true)
  const measure = async (title: string, count: number, work: () => Promise<void>): Promise<void> => {
    const { nodeUs, serverUs, perSecond } = await costOf(server, count, work)
    console.log(`${title.padEnd(34)} node ${nodeUs.toFixed(1)} µs  server ${serverUs.toFixed(1)} µs  ${Math.round(perSecond)}/s`)
  }
  const stores = {
    sqlite: await openSqlite({ folder, durability: 'fsync', clock: systemClock }),
    postgres: await openPostgres({ url: () => server.url, schema: server.newSchema(), durability: 'fsync', clock: systemClock }),
  }
  for (let round = 0; round < rounds; round++) {
    for (const [name, store] of Object.entries(stores)) {
      for (const callers of [256, 32, 8]) {
        await acceptRuns([store], 2_000, callers)
        await measure(`${name}: accept, ${callers} callers`, 10_000, () => acceptRuns([store], 10_000, callers))
      }
      await measure(`${name}: take and finish`, 10_000, () => finishRuns(store, 10_000))
    }
  }
  for (const store of Object.values(stores)) await store.close()
  await server.stop()
  rmSync(folder, { recursive: true })
}
