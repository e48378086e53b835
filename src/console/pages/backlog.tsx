/**
 * The backlog on the screen "Work": the numbers of runs, groups, dead runs and sessions, the groups and lanes that wait, and the budgets of
 * the day.
 */

import type { JSX } from 'preact'
import type { ConsoleAnswers } from '../answers/answers.ts'
import { shown, time } from './words.ts'

type Backlog = NonNullable<ConsoleAnswers['work']['backlog']>
type Owner = Pick<Backlog['budgets'][number], 'profile' | 'route' | 'job'>

export const BacklogTables = ({ backlog }: { readonly backlog: Backlog }): JSX.Element => {
  const { runs, in_lanes, groups, dead, sessions, oldest_at, open_groups, full_lanes, budgets, more_budgets } = backlog
  return (
    <>
      <dl class="facts">
        <dt>Runs</dt>
        <dd>
          {`${runs}, ${in_lanes} of them in lanes`}
          {oldest_at !== null && <>; the oldest was accepted {time(oldest_at)}</>}
        </dd>
        <dt>Groups</dt>
        <dd>{groups}</dd>
        <dt>Dead</dt>
        <dd>{dead}</dd>
        <dt>Sessions</dt>
        <dd>{sessions}</dd>
      </dl>
      <Table title="Groups" heads={['Route', 'Events', 'Becomes a run']} none="No events wait for others.">
        {open_groups.map(({ id, events, due_at, ...of }) => (
          <tr key={id}>
            <th scope="row">
              <a href={`/events/${encodeURIComponent(id)}`}>{ownerName(of)}</a>
            </th>
            <td>{events}</td>
            <td>{time(due_at)}</td>
          </tr>
        ))}
      </Table>
      <Table title="Lanes" heads={['Route', 'Waiting', 'Begun']} none="No run waits for its turn.">
        {full_lanes.map(({ id, waiting, open, limit, ...of }) => (
          <tr key={id}>
            <th scope="row">
              <a href={`/events/${encodeURIComponent(id)}`}>{ownerName(of)}</a>
            </th>
            <td>{waiting}</td>
            <td>{`${open} of ${limit}`}</td>
          </tr>
        ))}
      </Table>
      <Table title="Budgets of the day" heads={['Route or job', 'Tokens', 'Cost', 'Until']} none="No route or job has a budget of the day.">
        {budgets.map(({ tokens, cost, day_tokens, day_cost, ends_at, ...of }) => (
          <tr key={JSON.stringify(of)}>
            <th scope="row">{ownerName(of)}</th>
            <td>{used(tokens, day_tokens)}</td>
            <td>{used(cost, day_cost)}</td>
            <td>{time(ends_at)}</td>
          </tr>
        ))}
      </Table>
      {more_budgets > 0 && <p class="quiet">{`There are ${more_budgets} more.`}</p>}
    </>
  )
}

type TableProps = {
  readonly title: string
  readonly heads: readonly string[]
  readonly none: string
  readonly children: readonly JSX.Element[]
}

const Table = ({ title, heads, none, children }: TableProps): JSX.Element => (
  <>
    <h2>{title}</h2>
    {children.length === 0 ? (
      <p class="quiet">{none}</p>
    ) : (
      <table>
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head}>{head}</th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    )}
  </>
)

const used = (amount: number, budget: number | undefined): string => (budget === undefined ? `${amount}` : `${amount} of ${budget}`)

const ownerName = ({ profile, route, job }: Owner): JSX.Element => (
  <>
    {job === undefined ? shown(route ?? '') : `job ${shown(job)}`} {profile !== 'default' && <span class="quiet">{shown(profile)}</span>}
  </>
)
