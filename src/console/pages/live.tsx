/** The screen "Live": what arrives, as it arrives. */

import { signal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { ask, live } from './ask.ts'
import { emptyList, type LiveList, paused, withLine, withRecorded } from './live-model.ts'
import { asNoAnswer, EventLine } from './parts.tsx'
import { shown } from './words.ts'

const list = signal<LiveList>(emptyList)
const shownAtFirst = 100
/** The time before the page asks again for a stream that has ended, in milliseconds. */
const againMs = 2_000

/** Follows the traffic while the screen is open. What was recorded before, and what was lost, is read from the journal. */
const follow = async (signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    try {
      for await (const next of live(signal)) {
        list.value = withLine(list.value, next)
        if (next.type === 'init' || next.type === 'lost') await readRecorded(signal)
      }
    } catch (error) {
      if (!signal.aborted) list.value = { ...list.value, off: asNoAnswer(error).message }
    }
    await new Promise((resolve) => setTimeout(resolve, againMs))
  }
}

const readRecorded = async (signal: AbortSignal): Promise<void> => {
  const { events } = await ask('events', { limit: shownAtFirst }, signal)
  list.value = withRecorded(list.value, events)
}

export const LiveScreen = (): JSX.Element => {
  useEffect(() => {
    const aborter = new AbortController()
    readRecorded(aborter.signal).catch(() => {})
    void follow(aborter.signal)
    return () => aborter.abort()
  }, [])
  const { rows, waiting, off, lost } = list.value
  const setPaused = (isPaused: boolean): void => {
    list.value = paused(list.value, isPaused)
  }
  return (
    <section aria-labelledby="title">
      <header class="bar">
        <h1 id="title">Live</h1>
        <p role="status">
          {waiting ? `Paused, ${waiting.length} new` : off === null ? 'Watching' : `Not watching: ${shown(off)}`}
          {lost > 0 && ` · ${lost} lines came too fast and were read from the journal`}
        </p>
        <button type="button" aria-pressed={waiting !== null} onClick={() => setPaused(waiting === null)}>
          {waiting ? 'Go on' : 'Pause'}
        </button>
      </header>
      {/* A list that moves while somebody reads further down would take the line away from under the eyes. */}
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
