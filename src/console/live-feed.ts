/**
 * Gives the present traffic to all pages that watch. A gateway allows few watchers, so the console watches once for all open pages, and
 * does not watch while no page is open.
 */

import { type Clock, pause } from '../core/clock.ts'
import { messageOf } from '../core/fault.ts'
import { LineQueue } from '../core/turns/line-queue.ts'
import type { GatewayFinder } from '../datadir/running-gateway.ts'
import type { Workspace } from '../datadir/workspace.ts'
import type { TailLine } from '../generated/control.ts'
import { watch } from '../operate/events/watch.ts'

/** `off`: the traffic is not watched at present, for this reason. The feed goes on trying. */
export type LiveLine = Exclude<TailLine, { type: 'end' }> | { readonly type: 'off'; readonly why: string }

export interface LiveFeed {
  /** Returns the lines of the traffic from now on; `undefined` where too many readers read already. */
  open(): LineQueue<LiveLine> | undefined
  close(): void
}

const maxReaders = 16
/** The time between two tries to watch, in milliseconds. */
const againMs = 2_000
/**
 * The most requests and attempts a second whose lines the gateway sends. Nobody can read more lines, and the gateway must not pay for more.
 */
const perSecond = 200

type Feeding = { readonly workspace: Workspace; readonly gateway: GatewayFinder; readonly clock: Clock }

export const createLiveFeed = ({ workspace, gateway, clock }: Feeding): LiveFeed => {
  const readers = new Set<LineQueue<LiveLine>>()
  /** The latest `init` or `off` line, which says whether the traffic is watched; `undefined` before the first of these lines. */
  let state: LiveLine | undefined
  let isFeeding = false
  let stop = (): void => {}
  const give = (line: LiveLine): void => {
    if (line.type === 'init' || line.type === 'off') state = line
    for (const reader of readers) reader.push([line])
  }
  /** Resolves to why the traffic is not watched any more; `undefined` where the last page has left. */
  const feedOnce = async (): Promise<string | undefined> => {
    let hasLeft = false
    try {
      const { lines, close } = await watch(workspace, gateway, { perSecond })
      stop = () => {
        hasLeft = true
        close()
      }
      if (readers.size === 0) stop()
      for await (const line of lines) if (line.type !== 'end') give(line)
      return hasLeft ? undefined : 'the gateway has ended'
    } catch (error) {
      return hasLeft ? undefined : messageOf(error)
    }
  }
  const feed = async (): Promise<void> => {
    isFeeding = true
    let told = ''
    while (readers.size > 0) {
      const reason = await feedOnce()
      if (reason === undefined) {
        // A page that was opened meanwhile, as at a reload of the page, gets no line about a watch that ended for another page.
        state = undefined
        continue
      }
      if (reason !== told) give({ type: 'off', why: reason })
      told = reason
      const left = new AbortController()
      stop = () => left.abort()
      await pause(againMs, clock, left.signal)
    }
    isFeeding = false
  }
  const leave = (reader: LineQueue<LiveLine>): void => {
    readers.delete(reader)
    if (readers.size === 0) stop()
  }
  return {
    open() {
      if (readers.size >= maxReaders) return undefined
      const reader = new LineQueue<LiveLine>({
        // A page that comes later gets a line, too, on whether the traffic is watched.
        first: isFeeding && state ? [state] : [],
        loss: (lines) => ({ type: 'lost', lines }),
        end: () => ({ type: 'off', why: 'the console has ended' }),
        leave,
      })
      readers.add(reader)
      if (!isFeeding) void feed()
      return reader
    },
    close() {
      for (const reader of readers) reader.stop()
    },
  }
}
