/** The screen "Events": the recorded events that the filters let through. The filters are in the address. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { ConsoleQuestions } from '../../generated/console.ts'
import { ask, may } from './ask.ts'
import { BulkPanel } from './bulk.tsx'
import { EventLine, Failure, Notices, ScreenHead, useAsked } from './parts.tsx'
import { currentAddress, go, pageAddress } from './router.ts'
import { shown, time } from './words.ts'

const states = ['waiting', 'running', 'done', 'dead', 'cancelled', 'expired', 'stale', 'merged', 'final'] as const
const spans: readonly (readonly [ms: string, name: string])[] = [
  ['', 'any time'],
  ['3600000', 'the last hour'],
  ['86400000', 'the last day'],
  ['604800000', 'the last week'],
]

/** Reads a time in ISO 8601 from the query, and returns it in milliseconds since 1970; `undefined` where the query has no such time. */
const timeIn = (query: URLSearchParams, name: string): number | undefined => {
  const ms = Date.parse(query.get(name) ?? '')
  return Number.isNaN(ms) ? undefined : ms
}

/**
 * Makes the criteria from the query of the address. A span, such as the last hour, ends when the question is asked, so its beginning is
 * computed here.
 */
const criteriaOf = (query: URLSearchParams): Omit<ConsoleQuestions['events'], 'cursor' | 'limit'> => {
  const [from, until] = [timeIn(query, 'from'), timeIn(query, 'until')]
  const [text, route, outcome, state, since, field] = ['text', 'route', 'outcome', 'state', 'since', 'field'].map(
    (name) => query.get(name) || undefined,
  )
  const [path, ...value] = (field ?? '').split('=')
  return {
    ...(text === undefined ? {} : { text }),
    ...(route === undefined ? {} : { route }),
    ...(outcome === undefined ? {} : { outcome: [outcome] }),
    ...(state === undefined ? {} : { state: [state as (typeof states)[number]] }),
    ...(since === undefined ? {} : { since: Date.now() - Number(since) }),
    ...(from === undefined ? {} : { since: from }),
    ...(until === undefined ? {} : { until }),
    ...(path ? { field: [{ path, value: value.join('=') }] } : {}),
  }
}

/** The bulk job whose plan the panel shows. `of`: the query of the address at which the user chose the job. */
type Bulk = Pick<Parameters<typeof BulkPanel>[0], 'action' | 'criteria'> & { readonly of: string }

export const EventsScreen = (): JSX.Element => {
  const { query } = currentAddress.value
  const [bulk, setBulk] = useState<Bulk>()
  const cursor = query.get('cursor')
  const { answer, failure, isAsking, again } = useAsked(String(query), (signal) =>
    ask('events', { ...criteriaOf(query), ...(cursor === null ? {} : { cursor }) }, signal),
  )
  const without = (name: string): { [name: string]: string } => Object.fromEntries([...query].filter(([each]) => each !== name))
  return (
    <section aria-labelledby="title">
      <ScreenHead title="Events" again={again} />
      <Filters query={query} />
      {may('operate') && (
        <div class="actions">
          {(['replay', 'retry'] as const).map((action) => (
            <button key={action} type="button" onClick={() => setBulk({ action, of: String(query), criteria: criteriaOf(query) })}>
              {action === 'replay' ? 'Replay all that fit…' : 'Retry all dead runs that fit…'}
            </button>
          ))}
          {/* Other filters let other events through, so the panel is hidden. */}
          {bulk?.of === String(query) && <BulkPanel key={bulk.action} {...bulk} close={() => setBulk(undefined)} />}
        </div>
      )}
      {failure && <Failure failure={failure} again={again} />}
      {answer && (
        <>
          <Notices notices={answer.notices} />
          <ol class={isAsking ? 'events old' : 'events'} tabIndex={0} aria-label="events, newest first" aria-busy={isAsking}>
            {answer.events.map((event) => (
              <EventLine key={event.event_id} event={{ ...event, id: event.event_id }} />
            ))}
          </ol>
          {answer.events.length === 0 && !failure && !isAsking && <p class="quiet">No event fits.</p>}
          <nav class="pages" aria-label="pages">
            {query.has('cursor') && <a href={pageAddress('/events', without('cursor'))}>Newest</a>}
            {answer.next !== null && <a href={pageAddress('/events', { ...without('cursor'), cursor: answer.next })}>Older</a>}
          </nav>
        </>
      )}
    </section>
  )
}

const Filters = ({ query }: { readonly query: URLSearchParams }): JSX.Element => {
  const search = (event: SubmitEvent): void => {
    event.preventDefault()
    const given = new FormData(event.currentTarget as HTMLFormElement)
    go(pageAddress('/events', Object.fromEntries([...given].map(([name, value]) => [name, String(value).trim()]))))
  }
  const of = (name: string): string => query.get(name) ?? ''
  const [from, until] = [of('from'), of('until')]
  return (
    <form class="filters" onSubmit={search} key={String(query)}>
      {may('payloads') && <PayloadFilters of={of} />}
      <label>
        Route
        <input name="route" defaultValue={of('route')} />
      </label>
      <label>
        Outcome
        <input name="outcome" defaultValue={of('outcome')} placeholder="ignored:filters" />
      </label>
      <label>
        State
        <select name="state" defaultValue={of('state')}>
          <option value="">any</option>
          {states.map((state) => (
            <option key={state} value={state}>
              {shown(state)}
            </option>
          ))}
        </select>
      </label>
      <label>
        Since
        <select name="since" defaultValue={of('since')}>
          {spans.map(([ms, name]) => (
            <option key={ms} value={ms}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {(from !== '' || until !== '') && (
        <span>
          <input type="hidden" name="from" value={from} />
          <input type="hidden" name="until" value={until} />
          {shown([from && `from ${time(from)}`, until && `until ${time(until)}`].filter(Boolean).join(' '))}{' '}
          <a href={pageAddress('/events', Object.fromEntries([...query].filter(([name]) => !['from', 'until', 'cursor'].includes(name))))}>
            any time
          </a>
        </span>
      )}
      <button type="submit">Search</button>
    </form>
  )
}

/**
 * The filters that search in payloads. They are only for users who may see payloads, because the found events reveal what their payloads
 * have.
 */
const PayloadFilters = ({ of }: { readonly of: (name: string) => string }): JSX.Element => (
  <>
    <label>
      Text
      <input name="text" type="search" defaultValue={of('text')} placeholder="in records, payloads, replies" />
    </label>
    <label>
      Field
      <input name="field" defaultValue={of('field')} placeholder="payload.action=opened" />
    </label>
  </>
)
