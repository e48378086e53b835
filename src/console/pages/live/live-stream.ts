/**
 * The live traffic in all pages of this browser, over one stream: a browser opens only six connections to a host. The page that holds the
 * lock reads the stream, and hands what it reads to the other pages.
 */

import type { LiveLine } from '../../live-feed.ts'
import { live } from '../ask.ts'

/** The name of the lock and of the channel between the pages. The browser keeps both apart for each port. */
const name = 'headgate live'
/** What a page asks that comes later: whether there is live traffic at present. */
const stateQuestion = 'state?'

type Message = typeof stateQuestion | readonly LiveLine[]

/**
 * Gives the lines to `take`, as long as this page or another one reads the stream. Resolves when the stream that this page reads has ended.
 * Rejects with a `NoAnswer`, the reason of `signal`, or the error of a broken stream.
 */
export const followLive = async (take: (lines: readonly LiveLine[]) => void, signal: AbortSignal): Promise<void> => {
  const channel = new BroadcastChannel(name)
  /** Whether there is live traffic, as the stream last said; known to the page that reads the stream. */
  let state: readonly LiveLine[] = []
  const give = (lines: readonly LiveLine[]): void => {
    state = lines
      .filter(({ type }) => type === 'init' || type === 'off')
      .slice(-1)
      .concat(state)
      .slice(0, 1)
    take(lines)
    channel.postMessage(lines)
  }
  const read = async (): Promise<void> => {
    for await (const lines of live(signal)) give(lines)
  }
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data !== stateQuestion) take(data)
    else if (state.length > 0) channel.postMessage(state)
  }
  channel.postMessage(stateQuestion)
  try {
    // Only pages of this machine and pages over TLS have locks. Each page reads its own stream elsewhere.
    await (navigator.locks ? navigator.locks.request(name, { signal }, read) : read())
  } finally {
    channel.close()
  }
}
