/**
 * Holds a load generator back while too much work waits. Then the generator is as fast as work is done, and not as fast as work is
 * accepted.
 */

import { setTimeout as wait } from 'node:timers/promises'
import { statusOf } from './control.ts'

const [fullBacklog, lowBacklog] = [5_000, 1_000]
const lookMs = 50

export type Brake = {
  /** Resolves when the generator may go on; `undefined` where it may go on at once. */
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
  // When the gateway is gone, the generator's open connections show it.
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
