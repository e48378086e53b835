/** The parts that several screens share: words with their colour, failures, notices, events in lists, and the state of a question. */

import type { ComponentChildren, JSX } from 'preact'
import { useCallback, useEffect, useState } from 'preact/hooks'
import type { EventJson } from '../../operate/events/event-status.ts'
import { NoAnswer } from './ask.ts'
import { milliseconds, outcome, shown, time, tone } from './words.ts'

/** The state of a question: its latest answer, and why the latest try has none. Both are absent until the first try has ended. */
export type Asked<T> = {
  readonly answer?: T
  readonly failure?: NoAnswer
  /** Whether the present question has no result yet. An `answer` is then that of an earlier question. */
  readonly isAsking: boolean
  readonly again: () => void
}

type AskedBefore<T> = { readonly key: string; readonly about: string; readonly answer?: T; readonly failure?: NoAnswer }

/** Asks the question when `key` changes, and when `again` is called. The latest answer stays until the next answer comes. */
export const useAsked = <T,>(key: string, question: (signal: AbortSignal) => Promise<T>): Asked<T> => {
  const [known, setKnown] = useState<AskedBefore<T>>({ key: '', about: '' })
  const [round, setRound] = useState(0)
  const about = `${round} ${key}`
  // biome-ignore lint/correctness/useExhaustiveDependencies: `about` stands for what the question asks
  useEffect(() => {
    const aborter = new AbortController()
    question(aborter.signal).then(
      (answer) => aborter.signal.aborted || setKnown({ key, about, answer }),
      // The answer to another question must not stand below the failure of this question.
      (error) =>
        aborter.signal.aborted || setKnown((before) => ({ ...(before.key === key ? before : {}), key, about, failure: asNoAnswer(error) })),
    )
    return () => aborter.abort()
  }, [about])
  const again = useCallback(() => setRound((before) => before + 1), [])
  const { answer, failure } = known
  return {
    ...(answer === undefined ? {} : { answer }),
    ...(failure === undefined ? {} : { failure }),
    isAsking: known.about !== about,
    again,
  }
}

export const asNoAnswer = (error: unknown): NoAnswer => (error instanceof NoAnswer ? error : new NoAnswer(0, String(error)))

/** The head of a screen: its title, and a button that reads its content again. */
export const ScreenHead = ({ title, again }: { readonly title: string; readonly again: () => void }): JSX.Element => (
  <header class="bar">
    <h1 id="title">{title}</h1>
    <button type="button" onClick={again}>
      Read again
    </button>
  </header>
)

/** What a stage made of the payload; nothing where it left the payload as it was. */
export const Change = ({
  change,
}: {
  readonly change?: { readonly before: string; readonly after: string } | undefined
}): JSX.Element | null =>
  change ? (
    <dl class="facts">
      <dt>before</dt>
      <dd>{shown(change.before, 2_000)}</dd>
      <dt>after</dt>
      <dd>{shown(change.after, 2_000)}</dd>
    </dl>
  ) : null

export const Word = ({ word, children }: { readonly word: string; readonly children?: ComponentChildren }): JSX.Element => (
  <span class={`word ${tone(word)}`}>{children ?? shown(word).replaceAll('_', ' ')}</span>
)

/** Shows that a question has no answer. A list that could not be read must never look like an empty list. */
export const Failure = ({ failure, again }: { readonly failure: NoAnswer; readonly again?: () => void }): JSX.Element => (
  <div class="failure" role="alert">
    <p>{shown(failure.message)}</p>
    {failure.hint && <p class="quiet">{shown(failure.hint)}</p>}
    {again && (
      <button type="button" onClick={again}>
        Try again
      </button>
    )}
  </div>
)

export const Notices = ({ notices }: { readonly notices: readonly string[] }): JSX.Element | null =>
  notices.length > 0 ? (
    <ul class="notices">
      {notices.map((notice) => (
        <li key={notice}>{shown(notice)}</li>
      ))}
    </ul>
  ) : null

type ListedEvent = Pick<EventJson, 'at' | 'route' | 'event_type' | 'outcome' | 'stage' | 'reason' | 'state' | 'error' | 'duration_ms'> & {
  readonly id: string | null
}

export const EventLine = ({ event }: { readonly event: ListedEvent }): JSX.Element => {
  const { id, at, route, event_type, outcome: ended, state, reason, error, duration_ms } = event
  const cells = (
    <>
      <time dateTime={at}>{time(at)}</time>
      <span class="route">{shown(route)}</span>
      <span class="type">{shown(event_type)}</span>
      <Word word={ended}>{outcome(event)}</Word>
      <span class="state">{state === 'final' ? '' : <Word word={state} />}</span>
      <span class="reason">{shown(error ?? reason)}</span>
      <span class="ms">{milliseconds(duration_ms)}</span>
    </>
  )
  return (
    <li class="event">
      {id === null ? (
        <span class="cells">{cells}</span>
      ) : (
        <a class="cells" href={`/events/${encodeURIComponent(id)}`}>
          {cells}
        </a>
      )}
    </li>
  )
}
