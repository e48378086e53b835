/** The bulk jobs on the pages: the plan of a job, the confirmation with number and effect, and the progress of the job. */

import { signal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { ConsoleQuestions } from '../../generated/console.ts'
import type { BulkJob } from '../bulk/bulk.ts'
import type { BulkPlan } from '../bulk/plans.ts'
import { ask, may, type NoAnswer } from './ask.ts'
import { asNoAnswer, EventLine, Failure, useAsked } from './parts.tsx'
import { shown, time } from './words.ts'

type Action = BulkPlan['action']

/** The bulk jobs of the console, from the server's last answer. */
const jobs = signal<readonly BulkJob[]>([])
/** The time between two questions for the bulk jobs while a job runs, in milliseconds. */
const lookMs = 1_000

const look = async (): Promise<void> => {
  jobs.value = (await ask('bulkJobs', {})).jobs
}

const words: { readonly [action in Action]: { readonly does: string; readonly did: string; readonly effect: string } } = {
  replay: {
    does: 'Replay',
    did: 'replayed',
    effect: 'Each goes through the routes as they are now, as a new event: agents run and texts are sent.',
  },
  retry: { does: 'Retry', did: 'retried', effect: 'Each dead run starts again with its stored work, and its attempts count from 1.' },
}

const eventsOf = (count: number): string => `${count.toLocaleString()} ${count === 1 ? 'event' : 'events'}`

type Chosen = { readonly action: Action; readonly criteria: Omit<ConsoleQuestions['bulkPlan'], 'action'>; readonly close: () => void }

/** Shows the plan for the events that fit the criteria, and starts it after a confirmation. */
export const BulkPanel = ({ action, criteria, close }: Chosen): JSX.Element => {
  const { answer: plan, failure, again } = useAsked(`${action} ${JSON.stringify(criteria)}`, () => ask('bulkPlan', { ...criteria, action }))
  const [notStarted, setNotStarted] = useState<NoAnswer>()
  const start = (id: string): void => {
    ask('bulkStart', { plan: id }).then(
      () => {
        close()
        void look()
      },
      (error) => setNotStarted(asNoAnswer(error)),
    )
  }
  return (
    <section class="panel" aria-label={`${words[action].does} many events`}>
      {failure && <Failure failure={failure} again={again} />}
      {notStarted && <Failure failure={notStarted} again={again} />}
      {plan ? <Plan plan={plan} start={() => start(plan.id)} /> : !failure && <p class="quiet">Counting…</p>}
      <button type="button" onClick={close}>
        Close
      </button>
    </section>
  )
}

const Plan = ({ plan, start }: { readonly plan: BulkPlan; readonly start: () => void }): JSX.Element => {
  const { action, count, bySource, first, leftOut, isCut } = plan
  const { does, effect } = words[action]
  return (
    <>
      <p>
        {bySource.map(({ source, count: of }) => `${of.toLocaleString()} of ${shown(source)}`).join(', ') || 'No event can be worked on.'}
        {leftOut > 0 && ` · ${leftOut} left out: ${action === 'replay' ? 'their payload was not kept' : 'they have no dead run'}`}
        {isCut && ' · older events fit, too: do the same again afterwards, until the time of the oldest'}
      </p>
      <ol class="events" aria-label="the first events">
        {first.map((event) => (
          <EventLine key={event.event_id} event={{ ...event, id: event.event_id }} />
        ))}
      </ol>
      {count > 0 && (
        <>
          <p>{effect}</p>
          <button type="button" onClick={start}>
            {does} {eventsOf(count)} now
          </button>
        </>
      )}
    </>
  )
}

/** Shows the latest bulk job of this console; nothing where there is none. */
export const BulkJobs = (): JSX.Element | null => {
  const isRunning = jobs.value.some(({ endedAt }) => endedAt === null)
  useEffect(() => void look().catch(() => {}), [])
  useEffect(() => {
    if (!isRunning) return
    const timer = setInterval(() => void look().catch(() => {}), lookMs)
    return () => clearInterval(timer)
  }, [isRunning])
  const [latest] = jobs.value
  return latest ? <Job job={latest} /> : null
}

/** Returns the progress of a job in words. */
const progressOf = ({ action, count, done, failed, endedAt, isStopped, error }: BulkJob): string => {
  const { did } = words[action]
  const how =
    endedAt === null
      ? `${done.toLocaleString()} of ${eventsOf(count)} ${did}`
      : `${(done - failed).toLocaleString()} of ${eventsOf(count)} ${did}`
  const end = isStopped ? ': stopped' : error === null ? '' : `: it ended early: ${shown(error)}`
  return `${how}${failed > 0 ? `, ${failed.toLocaleString()} failed` : ''}${end}`
}

const Job = ({ job }: { readonly job: BulkJob }): JSX.Element => {
  const { id, count, done, failures, startedAt, endedAt, canResume } = job
  const [failure, setFailure] = useState<NoAnswer>()
  const doing = (work: Promise<unknown>): void => {
    setFailure(undefined)
    work.then(look).catch((error) => setFailure(asNoAnswer(error)))
  }
  return (
    <section class="panel" aria-label="bulk job">
      <p role="status">
        {progressOf(job)}
        <span class="quiet"> since {time(startedAt)}</span>
      </p>
      {failure && <Failure failure={failure} />}
      {endedAt === null && <progress max={count} value={done} aria-label="events" />}
      {may('operate') && endedAt === null && (
        <button type="button" onClick={() => doing(ask('bulkStop', { job: id }))}>
          Stop
        </button>
      )}
      {may('operate') && canResume && (
        <button type="button" onClick={() => doing(ask('bulkResume', { job: id }))}>
          Go on with the {eventsOf(count - done)} that are left
        </button>
      )}
      {failures.length > 0 && (
        <details>
          <summary>What failed</summary>
          <ul>
            {failures.map(({ event_id, why }) => (
              <li key={event_id}>
                <a href={`/events/${encodeURIComponent(event_id)}`}>{event_id}</a> {shown(why)}
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  )
}
