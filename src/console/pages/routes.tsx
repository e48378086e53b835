/** The screen "Routes": all routes with their findings, and where each delivers. */

import type { JSX } from 'preact'
import type { ConsoleAnswers } from '../answers/answers.ts'
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
        <>
          <p class="quiet">The numbers at the stages are of the latest {answer.counted} recorded events.</p>
          <ul class="cards wide">
            {answer.routes.map(
              ({
                name,
                source,
                enabled,
                shadowed,
                mode,
                events,
                deliver,
                description,
                findings,
                errors,
                warnings,
                recorded,
                lastAt,
                stages,
              }) => (
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
                  <Stages route={name} stages={stages} />
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
        </>
      )}
    </section>
  )
}

type Stage = ConsoleAnswers['routes']['routes'][number]['stages'][number]

/** The stages that the events of a route go through, each with the events that ended there. */
const Stages = ({ route, stages }: { readonly route: string; readonly stages: readonly Stage[] }): JSX.Element => (
  <ol class="stages" aria-label="stages">
    {stages.map(({ stage, ends }) => (
      <li key={stage} class={ends.length > 0 ? '' : 'skip'}>
        {line(stage)}
        {ends.map(({ outcome, count }) => (
          <a key={outcome} href={addressOf('/events', { route, outcome: outcome === 'ignored' ? `ignored:${stage}` : outcome })}>
            <Word word={outcome}>
              {count} {line(outcome).replaceAll('_', ' ')}
            </Word>
          </a>
        ))}
      </li>
    ))}
  </ol>
)
