/** The screen "Work": the runs that wait, run or are dead, the backlog, alerts that fire, jobs with their next times, and sessions. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { ConsoleAnswers } from '../answers/answers.ts'
import { ask, may, type NoAnswer } from './ask.ts'
import { BacklogTables } from './backlog.tsx'
import { asNoAnswer, EventLine, Failure, Notices, ScreenHead, useAsked, Word } from './parts.tsx'
import { shown, time } from './words.ts'

type Jobs = ConsoleAnswers['work']['jobs']

export const WorkScreen = (): JSX.Element => {
  const [round, setRound] = useState(0)
  const { answer, failure, again } = useAsked(`work ${round}`, (signal) => ask('work', {}, signal))
  return (
    <section aria-labelledby="title">
      <ScreenHead title="Work" again={() => setRound(round + 1)} />
      <Runs key={`waiting ${round}`} title="Waiting and running" states={['waiting', 'running']} />
      <Runs key={`dead ${round}`} title="Dead" states={['dead']} />
      {failure && <Failure failure={failure} again={again} />}
      {answer && (
        <>
          <Notices notices={answer.notices} />
          {answer.backlog ? (
            <BacklogTables backlog={answer.backlog} />
          ) : (
            <p class="quiet">No gateway runs, so nobody knows what waits in groups and lanes.</p>
          )}
          <h2>Alerts</h2>
          {answer.firing && answer.firing.length > 0 ? (
            <Firing firing={answer.firing} />
          ) : (
            <p class="quiet">No alert fires, as far as is known.</p>
          )}
          <h2>Jobs</h2>
          {answer.jobs.length > 0 ? <JobTable jobs={answer.jobs} again={again} /> : <p class="quiet">No scheduled jobs.</p>}
        </>
      )}
      {may('payloads') && <Sessions key={round} />}
    </section>
  )
}

type RunsProps = { readonly title: string; readonly states: readonly ('waiting' | 'running' | 'dead')[] }

const Runs = ({ title, states }: RunsProps): JSX.Element => {
  const { answer, failure, again } = useAsked(title, (signal) => ask('events', { state: states, limit: 20 }, signal))
  const all = `/events?state=${states[0]}`
  return (
    <>
      <h2>
        {title} {answer && answer.events.length > 0 && <a href={all}>all</a>}
      </h2>
      {failure && <Failure failure={failure} again={again} />}
      {answer && (
        <>
          <Notices notices={answer.notices} />
          <ol class="events" aria-label={title}>
            {answer.events.map((event) => (
              <EventLine key={event.event_id} event={{ ...event, id: event.event_id }} />
            ))}
          </ol>
          {answer.events.length === 0 && !failure && <p class="quiet">None.</p>}
        </>
      )}
    </>
  )
}

const Firing = ({ firing }: { readonly firing: NonNullable<ConsoleAnswers['work']['firing']> }): JSX.Element => (
  <ul class="cards">
    {firing.map(({ name, since, count, detail, told, muted }) => (
      <li key={name}>
        <h2>{shown(name)}</h2>
        <p>{shown(detail)}</p>
        <p class="quiet">
          since {time(since)}
          {count > 1 && `, ${count} times`}
          {muted ? ', muted' : told ? ', told' : ', not told yet'}
        </p>
      </li>
    ))}
  </ul>
)

const JobTable = ({ jobs, again }: { readonly jobs: Jobs; readonly again: () => void }): JSX.Element => {
  const [failure, setFailure] = useState<NoAnswer>()
  const doing = (work: Promise<unknown>): void => {
    setFailure(undefined)
    work.then(again, (error) => setFailure(asNoAnswer(error)))
  }
  return (
    <>
      {failure && <Failure failure={failure} />}
      <table>
        <thead>
          <tr>
            <th>Job</th>
            <th>State</th>
            <th>Schedule</th>
            <th>Next</th>
            <th>To</th>
            {may('operate') && <th>Actions</th>}
          </tr>
        </thead>
        <tbody>
          {jobs.map(({ id, name, profile, state, running, schedule, timezone, next_run, deliver }) => (
            <tr key={`${profile} ${id}`}>
              <th scope="row">
                {shown(name)} {profile !== 'default' && <span class="quiet">{shown(profile)}</span>}
              </th>
              <td>
                <Word word={running === true ? 'running' : state} />
              </td>
              <td>
                {shown(String(schedule ?? ''))} <span class="quiet">{shown(String(timezone))}</span>
              </td>
              <td>{next_run !== null && time(next_run)}</td>
              <td>{shown([deliver].flat().join(', '))}</td>
              {may('operate') && (
                <td>
                  <button type="button" onClick={() => doing(ask('startJob', { profile, job: id }))}>
                    Start now
                  </button>{' '}
                  <button type="button" onClick={() => doing(ask(state === 'paused' ? 'resumeJob' : 'pauseJob', { profile, job: id }))}>
                    {state === 'paused' ? 'Resume' : 'Pause'}
                  </button>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}

const Sessions = (): JSX.Element | null => {
  const { answer, failure, again } = useAsked('sessions', (signal) => ask('sessions', {}, signal))
  if (failure && failure.status !== 503) return <Failure failure={failure} again={again} />
  if (!answer || answer.sessions.length === 0) return null
  return (
    <>
      <h2>Sessions</h2>
      <table>
        <thead>
          <tr>
            <th>Session</th>
            <th>Route</th>
            <th>Messages</th>
            <th>Latest</th>
          </tr>
        </thead>
        <tbody>
          {answer.sessions.map(({ profile, route, name, count, updated_at }) => (
            <tr key={`${profile} ${route} ${name}`}>
              <th scope="row">{shown(name)}</th>
              <td>{shown(route)}</td>
              <td>{count}</td>
              <td>{time(updated_at)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {answer.more && <p class="quiet">There are more: headgate sessions list</p>}
    </>
  )
}
