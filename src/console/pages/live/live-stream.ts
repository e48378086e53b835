/**
 * Gives the live traffic to all pages of this browser over one stream, because a browser opens only six connections to a host. The page
 * that holds the lock reads the stream, and passes the lines on to the other pages.
 */

import type { LiveLine } from '../../live-feed.ts'
import { live } from '../ask.ts'

/** The name of the lock, and of the channel between the pages. The browser keeps the locks and channels of each port apart. */
const name = 'headgate live'
/** The message by which a new page asks the other pages whether the traffic is watched. */
const stateQuestion = 'state?'

type Message = typeof stateQuestion | readonly LiveLine[]

/**
 * Gives the lines to `take`, as long as this page or another page reads the stream. Resolves when the stream that this page reads has
 * ended. Rejects with a `NoAnswer`, the reason of `signal`, or the error of a broken stream.
 */
export const followLive = async (take: (lines: readonly LiveLine[]) => void, signal: AbortSignal): Promise<void> => {
  const channel = new BroadcastChannel(name)
  /** The latest `init` or `off` line of the stream. Empty before the first of these lines, and in a page that does not read the stream. */
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
    // A browser gives locks only to pages of this machine and pages over TLS. Any other page reads a stream of its own.
    await (navigator.locks ? navigator.locks.request(name, { signal }, read) : read())
  } finally {
    channel.close()
  }
}
