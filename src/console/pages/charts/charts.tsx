/** The screen "Charts": how many events came and how they ended, how long they waited and ran, and what they cost. */

import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { moneyText } from '../../../core/money.ts'
import type { ChartSpan, ChartStep, Charts } from '../../../operate/event-charts.ts'
import { ask } from '../ask.ts'
import { Failure, ScreenHead, useAsked } from '../parts.tsx'
import { currentAddress, go, pageAddress } from '../router.ts'
import { shown } from '../words.ts'
import { Chart, type ChartOptions, type ChartSeries } from './chart.tsx'

const spans: readonly (readonly [span: ChartSpan, name: string])[] = [
  ['hour', 'the last hour'],
  ['day', 'the last day'],
  ['week', 'the last week'],
]

/** The endings with a colour of their own. All other endings share three colours. */
const colored = ['done', 'delivered', 'ignored', 'duplicate', 'waiting', 'merged', 'dead', 'bad_signature']
const colorOf = (word: string, i: number): string => (colored.includes(word) ? `--chart-${word}` : `--chart-${i % 3}`)

const duration = (ms: number): string => {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 120_000) return `${Number((ms / 1_000).toFixed(1))} s`
  return ms < 7_200_000 ? `${Number((ms / 60_000).toFixed(1))} min` : `${Number((ms / 3_600_000).toFixed(1))} h`
}
const amount = (value: number): string => Number(value.toPrecision(4)).toLocaleString()

const clock: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit' }
const labels: { readonly [span in ChartSpan]: (at: number) => string } = {
  hour: (at) => new Date(at).toLocaleTimeString([], clock),
  day: (at) => new Date(at).toLocaleTimeString([], clock),
  week: (at) => new Date(at).toLocaleString([], { weekday: 'short', day: 'numeric', ...clock }),
}

/** Returns the address of the events of a step. `ending`: only the events with this ending. */
type Leads = (step: ChartStep, ending?: Charts['endings'][number]) => string

export const ChartsScreen = (): JSX.Element => {
  const { query } = currentAddress.value
  const span = spans.find(([each]) => each === query.get('span'))?.[0] ?? 'day'
  const route = query.get('route') || undefined
  const { answer, failure, isAsking, again } = useAsked(`${span} ${route}`, (signal) =>
    ask('charts', { span, ...(route === undefined ? {} : { route }) }, signal),
  )
  return (
    <section aria-labelledby="title">
      <ScreenHead title="Charts" again={again} />
      <nav class="bar" aria-label="span">
        {spans.map(([each, name]) => (
          <a key={each} href={pageAddress('/charts', { span: each, route })} aria-current={each === span ? 'page' : undefined}>
            {name}
          </a>
        ))}
        {route !== undefined && (
          <span>
            of {shown(route)} <a href={pageAddress('/charts', { span })}>of all routes</a>
          </span>
        )}
      </nav>
      {failure && <Failure failure={failure} again={again} />}
      {answer && (
        <div class={isAsking ? 'old' : ''}>
          <p class="quiet">
            {answer.events.toLocaleString()} recorded events{answer.isCut && ', the newest of this span; older events are not counted'}.
          </p>
          <Figures key={span} charts={answer} span={span} route={route} />
        </div>
      )}
    </section>
  )
}

type FigureProps = { readonly charts: Charts; readonly span: ChartSpan; readonly route: string | undefined }

const Figures = ({ charts, span, route }: FigureProps): JSX.Element => {
  const { steps, endings, stepMs } = charts
  const leads: Leads = ({ at }, ending) =>
    pageAddress('/events', {
      route,
      from: new Date(at).toISOString(),
      until: new Date(at + stepMs).toISOString(),
      ...(ending && { [ending.isState ? 'state' : 'outcome']: ending.word }),
    })
  const about = { steps, label: labels[span], leads, endings }
  const byEnding = endings.map(
    ({ word }, i): ChartSeries => ({
      name: word.replaceAll('_', ' '),
      color: colorOf(word, i),
      values: steps.map(({ counts }) => counts[i] ?? 0),
    }),
  )
  const times = (of: (step: ChartStep) => ChartStep['waited']): readonly ChartSeries[] => [
    { name: 'half of them at most', color: '--chart-done', values: steps.map((step) => of(step)?.median ?? null) },
    { name: '95 of 100 at most', color: '--chart-waiting', values: steps.map((step) => of(step)?.p95 ?? null) },
  ]
  const sum = (name: string, of: (step: ChartStep) => number | null): readonly ChartSeries[] => [
    { name, color: '--chart-merged', values: steps.map(of) },
  ]
  return (
    <div class="figures">
      <Figure title="Events by their ending" kind="bars" series={byEnding} write={amount} isByEnding {...about} />
      <Figure title="Wait for the first attempt" kind="lines" series={times(({ waited }) => waited)} write={duration} {...about} />
      <Figure title="Time of all attempts" kind="lines" series={times(({ ran }) => ran)} write={duration} {...about} />
      <Figure title="Cost" kind="bars" series={sum('cost', ({ cost }) => cost)} write={moneyText} {...about} />
      <Figure title="Tokens" kind="bars" series={sum('tokens', ({ tokens }) => tokens)} write={amount} {...about} />
    </div>
  )
}

type FigureOptions = Pick<ChartOptions, 'kind' | 'series' | 'write' | 'label'> & {
  readonly title: string
  readonly steps: Charts['steps']
  readonly endings: Charts['endings']
  readonly leads: Leads
  /** Whether the series are the endings, in the order of `endings`. */
  readonly isByEnding?: boolean
}

const Figure = ({ title, kind, series, write, label, steps, endings, leads, isByEnding = false }: FigureOptions): JSX.Element => {
  // biome-ignore lint/correctness/useExhaustiveDependencies: a chart is drawn anew for another answer alone
  const options = useMemo<ChartOptions>(
    () => ({
      kind,
      series,
      write,
      label,
      at: steps.map(({ at }) => at),
      pick: (i, ending) => {
        const step = steps[i]
        if (step) go(leads(step, isByEnding && ending !== undefined ? endings[ending] : undefined))
      },
    }),
    [steps],
  )
  const rows = steps.filter((_, i) => series.some(({ values }) => values[i] !== null && values[i] !== 0))
  return (
    <figure>
      <figcaption>
        <h2>{title}</h2>
        <ul class="legend">
          {series.map(({ name, color }) => (
            <li key={name}>
              <span class={`swatch ${color.slice(2)}`} /> {shown(name)}
            </li>
          ))}
        </ul>
      </figcaption>
      {rows.length === 0 ? (
        <p class="quiet">Nothing is known of this span.</p>
      ) : (
        <>
          <Chart {...options} />
          <details>
            <summary>{title} as a table</summary>
            <section class="scrolled" tabIndex={0} aria-label={`${title} as a table`}>
              <Numbers
                rows={rows}
                steps={steps}
                series={series}
                write={write}
                label={label}
                leads={leads}
                endings={isByEnding ? endings : []}
              />
            </section>
          </details>
        </>
      )}
    </figure>
  )
}

type NumbersOptions = Pick<FigureOptions, 'series' | 'write' | 'label' | 'leads' | 'endings' | 'steps'> & {
  readonly rows: readonly ChartStep[]
}

const Numbers = ({ rows, steps, series, write, label, leads, endings }: NumbersOptions): JSX.Element => (
  <table>
    <thead>
      <tr>
        <th>From</th>
        {series.map(({ name }) => (
          <th key={name}>{shown(name)}</th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map((step) => (
        <tr key={step.at}>
          <th scope="row">
            <a href={leads(step)}>{label(step.at)}</a>
          </th>
          {series.map(({ name, values }, i) => {
            const value = values[steps.indexOf(step)] ?? null
            const ending = endings[i]
            return (
              <td key={name}>
                {value === null || value === 0 ? '' : ending ? <a href={leads(step, ending)}>{write(value)}</a> : write(value)}
              </td>
            )
          })}
        </tr>
      ))}
    </tbody>
  </table>
)
