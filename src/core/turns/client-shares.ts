/** Bounds the tasks that wait, and the bytes that they hold: of all clients, and of one client more closely. */

export type ShareLimits = {
  readonly maxTasks: number
  readonly maxTasksOfOne: number
  readonly maxBytes: number
  readonly maxBytesOfOne: number
}

export interface ClientShares {
  /** Whether one more task of this client, which holds `bytes` bytes, has room. Ask before `hold`, which refuses nothing. */
  hasRoom(client: string, bytes: number): boolean
  /** Counts a task. Returns the function that ends the counting, which is called once. */
  hold(client: string, bytes: number): () => void
}

type Held = { count: number; bytes: number }

export const createClientShares = ({ maxTasks, maxTasksOfOne, maxBytes, maxBytesOfOne }: ShareLimits): ClientShares => {
  const all: Held = { count: 0, bytes: 0 }
  const byClient = new Map<string, Held>()
  return {
    hasRoom(client, bytes) {
      const own = byClient.get(client) ?? { count: 0, bytes: 0 }
      const isOneTooMany = all.count >= maxTasks || own.count >= maxTasksOfOne
      return !isOneTooMany && all.bytes + bytes <= maxBytes && own.bytes + bytes <= maxBytesOfOne
    },
    hold(client, bytes) {
      const own = byClient.get(client) ?? { count: 0, bytes: 0 }
      byClient.set(client, own)
      for (const held of [all, own]) {
        held.count++
        held.bytes += bytes
      }
      return () => {
        for (const held of [all, own]) {
          held.count--
          held.bytes -= bytes
        }
        if (own.count === 0) byClient.delete(client)
      }
    },
  }
}
