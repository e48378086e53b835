/** Holds a generator while too much waits: it then is as fast as the work is done, not as fast as it is accepted. */

import { setTimeout as wait } from 'node:timers/promises'
import { statusOf } from './control.ts'

const [fullBacklog, lowBacklog] = [5_000, 1_000]
const lookMs = 50

export type Brake = {
  /** Resolves when it may go on; `undefined`: at once. */
  readonly hold: () => Promise<void> | undefined
  stop(): void
}

export const createBrake = (dir: string): Brake => {
  let closed: Promise<void> | undefined
  let stopped = false
  const release = async (): Promise<void> => {
    while ((await statusOf(dir)).backlog > lowBacklog) await wait(lookMs)
  }
  const watch = async (): Promise<void> => {
    for (; !stopped; await wait(lookMs)) {
      if ((await statusOf(dir)).backlog < fullBacklog) continue
      closed = release()
      await closed
      closed = undefined
    }
  }
  // A gateway that is gone shows at the connections that are held.
  void watch().catch(() => {
    closed = undefined
  })
  return {
    hold: () => closed,
    stop() {
      stopped = true
    },
  }
}
