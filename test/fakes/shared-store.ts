/** A store on another machine that several processes share. It has a clock of its own, and answers no process at once. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../../src/core/clock.ts'
import { StoreFault } from '../../src/core/fault.ts'
import { unsettledMs } from '../../src/store/bounds.ts'
import { openMemory } from '../../src/store/memory/memory-store.ts'
import type { OpenStore, StoreOptions, StorePart } from '../../src/store/store-part.ts'

/** How often a process looks for work that other processes brought. */
export const pollEveryMs = 60_000

/** Makes a server with this clock. Each `open` makes a connection to the server. A connection knows only the time of its own process. */
export const sharedStore = (clock: Clock): StorePart => {
  const server = openMemory({ clock, unsettledMs })
  const claimers: Claimers = new Map()
  return {
    name: 'shared',
    title: 'A stand-in for a database server',
    ownership: 'shared',
    isLasting: true,
    open: async (options) => connect(server, claimers, options.clock, await server.backlog()),
  }
}

/** For each key, the process that claimed the key last. */
type Claimers = Map<string, symbol>

/** `backlog`: what the server said of the backlog last. */
const connect = (server: OpenStore, claimers: Claimers, clock: Clock, backlog: number): OpenStore => {
  const self = Symbol('process')
  let closed = false
  let heard = backlog
  const open = new Set<Promise<unknown>>()

  const ask = async <T>(call: () => Promise<T>): Promise<T> => {
    await nextTurn()
    const answer = await call()
    heard = await server.backlog()
    return answer
  }
  /** Calls arrive in their order. Calls that were made before the closing are still answered. */
  const remote =
    <A extends readonly unknown[], T>(call: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      if (closed) throw new StoreFault('the store is closed')
      const answer = ask(() => call(...args))
      open.add(answer)
      return answer.finally(() => open.delete(answer))
    }

  const ours: Partial<OpenStore> = {
    claim: remote(async (claim) => {
      const claimed = await server.claim(claim)
      if (claimed === 'claimed') claimers.set(claim.key, self)
      return claimed
    }),
    settle: remote(async (claim, kept) => (claimers.get(claim.key) === self ? server.settle(claim, kept) : undefined)),
    // Other processes may bring work at any time.
    dueInMs: remote(async () => Math.min(pollEveryMs, (await server.dueInMs()) ?? pollEveryMs)),
    hasRoom: (max) => heard < max,
    recovered: () => new Promise((resolve) => void clock.after(500, resolve)),
    async close() {
      closed = true
      await Promise.allSettled(open)
    },
  }
  // All other methods are those of the server, and take the time of the network.
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(server)) as (keyof OpenStore)[]
  const methods = names.flatMap((name) => {
    const method = server[name]
    return typeof method === 'function' ? [[name, remote((method as () => Promise<unknown>).bind(server))]] : []
  })
  return { ...Object.fromEntries(methods), ...ours }
}

/** Returns the options of a store in a folder. */
export const openedIn = (folder: string, clock: Clock): StoreOptions => ({
  folder,
  durability: 'commit',
  clock,
  url: () => '',
  schema: 'unused',
})
