/** Work for a store without a gateway, and the cost of the work: runs are accepted, taken and finished. */

import type { NewRun } from '../../src/core/new-run.ts'
import type { Store } from '../../src/store/ports.ts'
import type { OwnServer } from '../../test/fakes/postgres-server.ts'
import { cpuWithEndedUs } from '../cpu.ts'

const hourMs = 3_600_000
const takenAtOnce = 32

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

let accepted = 0

/** Each caller accepts one run after another. The callers use the stores in turn. One call in twenty repeats a delivery id. */
export const acceptRuns = async (stores: readonly Store[], count: number, callers: number): Promise<void> => {
  const end = accepted + count
  const call = async (_: unknown, caller: number): Promise<void> => {
    const store = stores[caller % stores.length] as Store
    while (accepted < end) {
      const n = accepted++
      const id = `delivery-${n % 20 === 0 ? Math.max(0, n - 50) : n}`
      await store.accept(runOf(id), { key: id, holdMs: hourMs })
    }
  }
  await Promise.all(Array.from({ length: callers }, call))
}

export const finishRuns = async (store: Store, count: number): Promise<void> => {
  for (let done = 0; done < count; ) {
    const leases = await store.take(takenAtOnce, hourMs)
    if (leases.length === 0) throw new Error(`there is nothing left to take after ${done} of ${count}`)
    await Promise.all(leases.map((lease) => store.finish(lease, { kind: 'done' })))
    done += leases.length
  }
}

/** The processor time of all processes of the server, also of those that have ended, in microseconds. */
export const serverUs = (server: OwnServer): number =>
  server.pids().reduce((sum, pid) => {
    try {
      return sum + cpuWithEndedUs(pid)
    } catch {
      // The process has ended meanwhile.
      return sum
    }
  }, 0)

/** `nodeUs` and `serverUs`: the processor time of this process and of the server for each run, in microseconds. */
export type Cost = { readonly nodeUs: number; readonly serverUs: number; readonly perSecond: number }

export const costOf = async (server: OwnServer, count: number, work: () => Promise<void>): Promise<Cost> => {
  const [own, before, since] = [process.cpuUsage(), serverUs(server), performance.now()]
  await work()
  const { user, system } = process.cpuUsage(own)
  return {
    nodeUs: (user + system) / count,
    serverUs: (serverUs(server) - before) / count,
    perSecond: (count / (performance.now() - since)) * 1000,
  }
}
