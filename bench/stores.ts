/** Measures what accepting and finishing runs costs in the store on PostgreSQL beside the embedded one: processor time for each run. */

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../src/core/clock.ts'
import type { NewRun, Store } from '../src/store/ports.ts'
import { openPostgres } from '../src/store/postgres/postgres-store.ts'
import { openSqlite } from '../src/store/sqlite/sqlite-store.ts'
import { startPostgresServer, withoutOwnPostgres } from '../test/fakes/postgres-server.ts'

const rounds = 3
const hourMs = 3_600_000
const tickMs = 10
const runOf = (id: string): NewRun => ({
  eventId: `evt-${id}`,
  profile: 'default',
  route: 'reviews',
  event: 'pull_request',
  deliveryId: id,
  prompt: 'x'.repeat(400),
  delivery: { target: 'log', extra: { repo: 'acme/widgets' } },
  acceptedAt: 1_700_000_000_000,
})

/** The processor time of all processes of PostgreSQL on this machine, in milliseconds: the server's sessions are among them. */
const serverMs = (): number =>
  readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .reduce((sum, pid) => sum + postgresMs(pid), 0)

const postgresMs = (pid: string): number => {
  try {
    if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('postgres')) return 0
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) * tickMs
  } catch {
    // The process ended meanwhile.
    return 0
  }
}

let accepted = 0

/** One call in twenty repeats an id. */
const acceptRuns = async (store: Store, count: number, callers: number): Promise<void> => {
  const end = accepted + count
  const call = async (): Promise<void> => {
    while (accepted < end) {
      const n = accepted++
      const id = `delivery-${n % 20 === 0 ? Math.max(0, n - 50) : n}`
      await store.accept(runOf(id), { key: id, holdMs: hourMs })
    }
  }
  await Promise.all(Array.from({ length: callers }, call))
}

const finishRuns = async (store: Store, count: number): Promise<void> => {
  for (let done = 0; done < count; ) {
    const leases = await store.take(32, hourMs)
    await Promise.all(leases.map((lease) => store.finish(lease, { kind: 'done' })))
    done += leases.length
  }
}

const measure = async (title: string, count: number, work: () => Promise<void>): Promise<void> => {
  const [own, server, since] = [process.cpuUsage(), serverMs(), performance.now()]
  await work()
  const { user, system } = process.cpuUsage(own)
  const perSecond = Math.round((count / (performance.now() - since)) * 1000)
  const figures = [`node ${((user + system) / count).toFixed(1)} µs`, `server ${(((serverMs() - server) * 1000) / count).toFixed(1)} µs`]
  console.log(`${title.padEnd(34)} ${figures.join('  ')}  ${perSecond}/s`)
}

if (withoutOwnPostgres) {
  console.log(withoutOwnPostgres)
} else {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-stores-'))
  const server = await startPostgresServer(true)
  const stores = {
    sqlite: await openSqlite({ folder, durability: 'fsync', clock: systemClock }),
    postgres: await openPostgres({ url: () => server.url, schema: server.newSchema(), durability: 'fsync', clock: systemClock }),
  }
  for (let round = 0; round < rounds; round++) {
    for (const [name, store] of Object.entries(stores)) {
      for (const callers of [256, 32, 8]) {
        await acceptRuns(store, 2_000, callers)
        await measure(`${name}: accept, ${callers} callers`, 10_000, () => acceptRuns(store, 10_000, callers))
      }
      await measure(`${name}: take and finish`, 10_000, () => finishRuns(store, 10_000))
    }
  }
  for (const store of Object.values(stores)) await store.close()
  await server.stop()
  rmSync(folder, { recursive: true })
}
