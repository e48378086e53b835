/**
 * The actions on an event: to replay it, also with an edited payload, to retry its dead run or cancel its run, to copy a command that
 * sends it, and to keep it as a sample or test.
 */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { EventJson } from '../../operate/events/event-status.ts'
import type { ConsoleAnswers } from '../answers/answers.ts'
import { ask, may, type NoAnswer } from './ask.ts'
import { Diff } from './diff.tsx'
import { asNoAnswer, Failure, Word } from './parts.tsx'
import { go } from './router.ts'
import { outcome, shown, shownLines } from './words.ts'

/** `request`: the recorded request; absent until it was read, and where the user may not see payloads. `done`: called after a retry. */
type Actions = { readonly event: EventJson; readonly request: ConsoleAnswers['content']['request'] | undefined; readonly done: () => void }
type Replayed = ConsoleAnswers['replay']

export const EventActions = ({ event, request, done }: Actions): JSX.Element | null => {
  const [isReplaying, setReplaying] = useState(false)
  const [command, setCommand] = useState<string>()
  const [failure, setFailure] = useState<NoAnswer>()
  const { event_id: id, state, payload_kept } = event
  const doing = (work: Promise<unknown>): void => {
    setFailure(undefined)
    work.catch((error) => setFailure(asNoAnswer(error)))
  }
  return (
    <div class="actions">
      {may('operate') && payload_kept && (
        <button type="button" aria-expanded={isReplaying} onClick={() => setReplaying(!isReplaying)}>
          Replay…
        </button>
      )}
      {may('operate') && state === 'dead' && (
        <button type="button" onClick={() => doing(ask('retry', { id }).then(done))}>
          Retry the dead run
        </button>
      )}
      {may('operate') && event.outcome === 'delivery_failed' && payload_kept && (
        <button type="button" onClick={() => doing(ask('retry', { id }).then(done))}>
          Send it again
        </button>
      )}
      {may('operate') && (state === 'waiting' || state === 'running') && (
        <button type="button" onClick={() => doing(ask('cancel', { id }).then(done))}>
          Cancel the run
        </button>
      )}
      {may('payloads') && payload_kept && (
        <button type="button" onClick={() => doing(ask('curl', { id }).then((answer) => setCommand(answer.command)))}>
          As curl
        </button>
      )}
      {may('operate') && may('payloads') && payload_kept && <Keep event={event} doing={doing} />}
      {failure && <Failure failure={failure} />}
      {command !== undefined && <pre tabIndex={0}>{shownLines(command)}</pre>}
      {isReplaying && (!may('payloads') || request) && <Replay id={id} body={request?.body ?? null} />}
    </div>
  )
}

type KeepOptions = { readonly event: EventJson; readonly doing: (work: Promise<unknown>) => void }

/** Keeps the request as a test of its route, or as a sample under a name. */
const Keep = ({ event: { event_id: id, route, event_type }, doing }: KeepOptions): JSX.Element => {
  const [isNaming, setNaming] = useState(false)
  const [kept, setKept] = useState<string>()
  const keep = (asked: Promise<{ readonly message: string }>): void => {
    setKept(undefined)
    doing(
      asked.then(({ message }) => {
        setKept(message)
        setNaming(false)
      }),
    )
  }
  const save = (submitted: SubmitEvent): void => {
    submitted.preventDefault()
    keep(ask('asSample', { id, name: String(new FormData(submitted.currentTarget as HTMLFormElement).get('name')).trim() }))
  }
  return (
    <>
      <button type="button" aria-expanded={isNaming} onClick={() => setNaming(!isNaming)}>
        As sample…
      </button>
      {route !== '' && (
        <button type="button" onClick={() => keep(ask('asTest', { id }))}>
          As test of the route
        </button>
      )}
      {isNaming && (
        <form class="filters" onSubmit={save}>
          <label>
            Name of the sample
            <input name="name" required defaultValue={`my/${(event_type ?? 'event').replace(/[^A-Za-z0-9._-]+/g, '-')}`} />
          </label>
          <button type="submit">Save, without secrets and personal data</button>
        </form>
      )}
      {kept !== undefined && <p role="status">{shown(kept, 1_000)}</p>}
    </>
  )
}

/** The payload of a dry run (`text`), and the answer. */
type Tried = { readonly text: string; readonly answer: Replayed }

/**
 * Shows the result of a dry run, and then lets the user replay the event. `body`: the recorded payload as a text, which the user may edit;
 * `null` where the payload is no text, or the user may not see it.
 */
const Replay = ({ id, body }: { readonly id: string; readonly body: string | null }): JSX.Element => {
  const [text, setText] = useState(body ?? '')
  const [tried, setTried] = useState<Tried>()
  const [isAsking, setAsking] = useState(false)
  const [failure, setFailure] = useState<NoAnswer>()
  // The answer to a dry run counts only for the payload of this dry run.
  const would = tried?.text === text ? tried.answer : undefined
  const replay = (isDry: boolean): void => {
    setFailure(undefined)
    setAsking(true)
    const other = body !== null && text !== body ? { body: text } : {}
    ask('replay', { id, dry_run: isDry, ...other })
      .then(
        (answer) => {
          if (!isDry && answer.event_id !== undefined) go(`/events/${encodeURIComponent(answer.event_id)}`)
          else setTried({ text, answer })
        },
        (error) => setFailure(asNoAnswer(error)),
      )
      .finally(() => setAsking(false))
  }
  return (
    <div class="replay">
      {body !== null && (
        <label>
          Payload
          <textarea rows={12} spellcheck={false} value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </label>
      )}
      <p>
        <button type="button" disabled={isAsking} onClick={() => replay(true)}>
          Show what would happen
        </button>
      </p>
      {failure && <Failure failure={failure} />}
      {would && (
        <>
          <Diff hunks={would.diff} label="difference to the recorded payload" />
          <Would would={would} />
          <button type="button" disabled={isAsking} onClick={() => replay(false)}>
            Replay it as a new event
          </button>
        </>
      )}
    </div>
  )
}

const Would = ({ would: { status, reason, starts, note, ...ended } }: { readonly would: Replayed }): JSX.Element => (
  <div role="status">
    <p>
      It would be answered {status}: <Word word={ended.outcome}>{outcome(ended)}</Word> {shown(reason)} {shown(note)}
    </p>
    {starts && (
      <p>
        It would start: {shown(starts.mode)}, to {shown(starts.target)}
      </p>
    )}
    {starts?.prompt != null && <pre tabIndex={0}>{shownLines(starts.prompt)}</pre>}
  </div>
)
