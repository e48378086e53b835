/** The screen "Routes": all routes with their findings, and where each delivers. */

import type { JSX } from 'preact'
import { ask } from './ask.ts'
import { Failure, useAsked, Word } from './parts.tsx'
import { addressOf } from './router.ts'
import { line, time } from './words.ts'

export const Routes = (): JSX.Element => {
  const { answer, failure, again } = useAsked('routes', (signal) => ask('routes', {}, signal))
  return (
    <section aria-labelledby="title">
      <header class="bar">
        <h1 id="title">Routes</h1>
        <button type="button" onClick={again}>
          Read again
        </button>
      </header>
      {failure && <Failure failure={failure} again={again} />}
      {answer?.problem && (
        <p role="alert" class="failure">
          {line(answer.problem.message)} ({line(answer.problem.file)}:{answer.problem.line})
        </p>
      )}
      {answer && (
        <ul class="cards">
          {answer.rows.map(
            ({ name, source, enabled, shadowed, mode, events, deliver, description, findings, errors, warnings, recorded, lastAt }) => (
              <li key={`${source} ${name}`}>
                <h2>{line(name)}</h2>
                {!enabled && <Word word="off" />} {shadowed && <Word word="off">hidden by a configured route</Word>}
                <p>{line(description)}</p>
                <p>
                  {line(mode)} to {line(deliver)} <span class="quiet">{line(events.length > 0 ? events.join(', ') : 'all events')}</span>
                </p>
                <p>
                  <a href={addressOf('/events', { route: name })}>
                    {recorded} recorded {recorded === 1 ? 'event' : 'events'}
                  </a>
                  {lastAt !== undefined && <span class="quiet"> the latest {time(new Date(lastAt).toISOString())}</span>}
                </p>
                {errors + warnings > 0 && (
                  <ul class="notices">
                    {findings.map(({ code, severity, message }) => (
                      <li key={`${code} ${message}`}>
                        <Word word={severity === 'error' ? 'error' : 'warn'}>{code}</Word> {line(message)}
                      </li>
                    ))}
                  </ul>
                )}
              </li>
            ),
          )}
        </ul>
      )}
    </section>
  )
}
