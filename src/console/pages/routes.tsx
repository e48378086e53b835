/** The screen "Routes": all routes with their findings, and where each delivers. */

import type { JSX } from 'preact'
import type { ConsoleAnswers } from '../answers/answers.ts'
import { ask } from './ask.ts'
import { Failure, ScreenHead, useAsked, Word } from './parts.tsx'
import { addressOf } from './router.ts'
import { shown, time } from './words.ts'

export const RoutesScreen = (): JSX.Element => {
  const { answer, failure, again } = useAsked('routes', (signal) => ask('routes', {}, signal))
  return (
    <section aria-labelledby="title">
      <ScreenHead title="Routes" again={again} />
      {failure && <Failure failure={failure} again={again} />}
      {answer?.problem && (
        <p role="alert" class="failure">
          {shown(answer.problem.message)} ({shown(answer.problem.file)}:{answer.problem.line})
        </p>
      )}
      {answer && (
        <>
          <p>
            <a href="/routes/new">New route…</a>
          </p>
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
                  <h2>{shown(name)}</h2>
                  {!enabled && <Word word="off" />} {shadowed && <Word word="off">hidden by a configured route</Word>}
                  <p>{shown(description)}</p>
                  <p>
                    {shown(mode)} to {shown(deliver)}{' '}
                    <span class="quiet">{shown(events.length > 0 ? events.join(', ') : 'all events')}</span>
                  </p>
                  <p>
                    <a href={addressOf(`/routes/${encodeURIComponent(name)}/edit`, { source })}>Edit</a>{' '}
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
                          <Word word={severity === 'error' ? 'error' : 'warn'}>{code}</Word> {shown(message)}
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
        {shown(stage)}
        {ends.map(({ outcome, count }) => (
          <a key={outcome} href={addressOf('/events', { route, outcome: outcome === 'ignored' ? `ignored:${stage}` : outcome })}>
            <Word word={outcome}>
              {count} {shown(outcome).replaceAll('_', ' ')}
            </Word>
          </a>
        ))}
      </li>
    ))}
  </ol>
)
