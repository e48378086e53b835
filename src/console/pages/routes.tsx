/** The screen "Routes": all routes with their findings, and where each delivers. */

import type { JSX } from 'preact'
import { pauseText } from '../../features/pauses/pause-text.ts'
import type { ConsoleAnswers } from '../answers/answers.ts'
import { ask } from './ask.ts'
import { Failure, ScreenHead, useAsked, Word } from './parts.tsx'
import { pageAddress } from './router.ts'
import { shown, time, tone } from './words.ts'

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
                pause,
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
                  {!enabled && <Word word="off" />} {pause && <Word word="paused">{pauseText(pause)}</Word>}{' '}
                  {shadowed && <Word word="off">hidden by a configured route</Word>}
                  <p>{shown(description)}</p>
                  <p>
                    {shown(mode)} to {shown(deliver)}{' '}
                    <span class="quiet">{shown(events.length > 0 ? events.join(', ') : 'all events')}</span>
                  </p>
                  <p>
                    <a href={pageAddress(`/routes/${encodeURIComponent(name)}/edit`, { source })}>Edit</a>{' '}
                    <a href={pageAddress('/events', { route: name })}>
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

const boxPx = { width: 128, height: 34, gap: 34, row: 24 }

const cutTo = (text: string, length: number): string => (text.length > length ? `${text.slice(0, length - 1)}…` : text)

/**
 * Shows the stages of a route as a graph. Below each stage hangs a bar for each outcome of the events that ended there, as wide as their
 * number. A list has the same content, for users who do not see the graph, and for narrow screens.
 */
const Stages = ({ route, stages }: { readonly route: string; readonly stages: readonly Stage[] }): JSX.Element => {
  const most = Math.max(1, ...stages.flatMap(({ ends }) => ends.map(({ count }) => count)))
  const rows = Math.max(0, ...stages.map(({ ends }) => ends.length))
  const { width, height, gap, row } = boxPx
  const size = { width: stages.length * (width + gap) - gap + 2, height: height + rows * row + 10 }
  return (
    <>
      <div class="graph" aria-hidden="true">
        <svg viewBox={`-1 -1 ${size.width} ${size.height}`} width={size.width} height={size.height} role="presentation">
          {stages.map(({ stage, ends }, i) => (
            <g key={stage} transform={`translate(${i * (width + gap)} 0)`} class={ends.length > 0 ? '' : 'unused'}>
              {i > 0 && <path class="arrow" d={`M${-gap + 4} ${height / 2}H-6m-6 -5l6 5l-6 5`} />}
              <rect class="box" width={width} height={height} rx="5" />
              <text x={width / 2} y={height / 2 + 5} text-anchor="middle">
                {cutTo(shown(stage).replaceAll('_', ' '), 16)}
              </text>
              {ends.map(({ outcome, count }, below) => (
                <a key={outcome} href={endsAt(route, stage, outcome)} tabindex={-1} class={tone(outcome)}>
                  <g transform={`translate(0 ${height + 6 + below * row})`}>
                    <rect class="share" width={Math.max(3, (width * count) / most)} height={row - 4} rx="3" />
                    <text x="5" y={row - 10}>
                      {cutTo(`${count.toLocaleString()} ${shown(outcome).replaceAll('_', ' ')}`, 20)}
                    </text>
                  </g>
                </a>
              ))}
            </g>
          ))}
        </svg>
      </div>
      <ol class="stages" aria-label="stages">
        {stages.map(({ stage, ends }) => (
          <li key={stage} class={ends.length > 0 ? '' : 'skip'}>
            {shown(stage)}
            {ends.map(({ outcome, count }) => (
              <a key={outcome} href={endsAt(route, stage, outcome)}>
                <Word word={outcome}>
                  {count} {shown(outcome).replaceAll('_', ' ')}
                </Word>
              </a>
            ))}
          </li>
        ))}
      </ol>
    </>
  )
}

/** Returns the address of the events of a route that ended at a stage. */
const endsAt = (route: string, stage: string, outcome: string): string =>
  pageAddress('/events', { route, outcome: outcome === 'ignored' ? `ignored:${stage}` : outcome })
