/** The screen "Live": each request as it ends, and what becomes of its run. */

import { signal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import type { LiveLine } from '../../live-feed.ts'
import { ask } from '../ask.ts'
import { asNoAnswer, EventLine } from '../parts.tsx'
import { shown } from '../words.ts'
import { emptyList, type LiveList, maxRows, paused, waitingCount, withLine, withRecorded } from './live-model.ts'
import { followLive } from './live-stream.ts'

const list = signal<LiveList>(emptyList)
/** The time before the page asks again for a stream that has ended, in milliseconds. */
const againMs = 2_000
/** The least time between two readings of the journal, in milliseconds. With heavy traffic, lines are lost all the time. */
const readingMs = 1_000

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Follows the traffic until `signal` aborts. */
const follow = async (signal: AbortSignal): Promise<void> => {
  const read = createReading(signal)
  const take = (lines: readonly LiveLine[]): void => {
    list.value = lines.reduce(withLine, list.value)
    if (lines.some(({ type }) => type === 'init' || type === 'lost')) read()
  }
  read()
  while (!signal.aborted) {
    try {
      await followLive(take, signal)
    } catch (error) {
      if (!signal.aborted) take([{ type: 'off', why: asNoAnswer(error).message }])
    }
    await pause(againMs)
  }
}

/**
 * Returns a function that reads the newest recorded events: those from before the page was opened, and those of lost lines. A call during a
 * reading leads to one more reading afterwards.
 */
const createReading = (signal: AbortSignal): (() => void) => {
  let isReading = false
  let isStale = false
  const read = async (): Promise<void> => {
    isReading = true
    while (isStale && !signal.aborted) {
      isStale = false
      // Where the journal cannot be read, the next lost line leads to the next try. The screen "Events" says why the journal cannot be
      // read.
      await ask('events', { limit: maxRows }, signal).then(
        ({ events }) => {
          list.value = withRecorded(list.value, events)
        },
        () => {},
      )
      await pause(readingMs)
    }
    isReading = false
  }
  return () => {
    isStale = true
    if (!isReading) void read()
  }
}

/**
 * Follows the traffic while the screen is open and the page is visible, because a forgotten page must cost nothing. Returns the function
 * that stops following.
 */
const followWhileVisible = (): (() => void) => {
  let aborter: AbortController | undefined
  const change = (): void => {
    aborter?.abort()
    aborter = document.visibilityState === 'visible' ? new AbortController() : undefined
    if (aborter) void follow(aborter.signal)
  }
  change()
  document.addEventListener('visibilitychange', change)
  return () => {
    document.removeEventListener('visibilitychange', change)
    aborter?.abort()
  }
}

export const LiveScreen = (): JSX.Element => {
  useEffect(followWhileVisible, [])
  const { rows, waiting, off, lost } = list.value
  const setPaused = (isPaused: boolean): void => {
    list.value = paused(list.value, isPaused)
  }
  return (
    <section aria-labelledby="title">
      <header class="bar">
        <h1 id="title">Live</h1>
        <p role="status">
          {waiting ? `Paused, ${waitingCount(waiting)} new` : off === null ? 'Watching' : `Not watching: ${shown(off)}`}
          {lost > 0 && ` · ${lost} lines came too fast and were read from the journal`}
        </p>
        <button type="button" aria-pressed={waiting !== null} onClick={() => setPaused(waiting === null)}>
          {waiting ? 'Go on' : 'Pause'}
        </button>
      </header>
      {/* A moving list would take the lines away from a user who reads further down, so scrolling pauses the list. */}
      <ol
        class="events"
        tabIndex={0}
        aria-label="requests, newest first"
        onScroll={(event) => event.currentTarget.scrollTop > 0 && setPaused(true)}
      >
        {rows.map((row) => (
          <EventLine key={row.key} event={row} />
        ))}
      </ol>
      {rows.length === 0 && <p class="quiet">No request yet. Send one: headgate webhook test &lt;route&gt;</p>}
    </section>
  )
}
