/** The screen "Lists": the lists that conditions ask, the values of those that are kept here, and how old those at web addresses are. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { ConsoleAnswers } from '../answers/answers.ts'
import { ask, may, type NoAnswer } from './ask.ts'
import { asNoAnswer, Failure, Notices, ScreenHead, useAsked, Word } from './parts.tsx'
import { currentAddress, pageAddress } from './router.ts'
import { shown, time } from './words.ts'

/** How long an added value may stay, in minutes. */
const spans: readonly (readonly [minutes: string, name: string])[] = [
  ['', 'until it is removed'],
  ['60', 'for an hour'],
  ['1440', 'for a day'],
  ['10080', 'for a week'],
]

type ListChange = ConsoleAnswers['addToList']
/** Makes a change of a list. `done`: called when it is made. */
type MakeChange = (change: Promise<ListChange>, done?: () => void) => void

export const ListsScreen = (): JSX.Element => {
  const [changed, setChanged] = useState<ListChange | NoAnswer>()
  const [round, setRound] = useState(0)
  const { answer, failure, again } = useAsked(`lists ${round}`, (signal) => ask('lists', {}, signal))
  const name = currentAddress.value.query.get('name')
  const make: MakeChange = (change, done) => {
    setChanged(undefined)
    change.then(
      (made) => {
        setChanged(made)
        setRound(round + 1)
        done?.()
      },
      (error) => setChanged(asNoAnswer(error)),
    )
  }
  return (
    <section aria-labelledby="title">
      <ScreenHead title="Lists" again={() => setRound(round + 1)} />
      {failure && <Failure failure={failure} again={again} />}
      {answer && (
        <>
          {answer.kept.length === 0 && <p class="quiet">No list is kept here.</p>}
          {answer.kept.length > 0 && (
            <table>
              <thead>
                <tr>
                  <th>List</th>
                  <th>Values</th>
                </tr>
              </thead>
              <tbody>
                {answer.kept.map((list) => (
                  <tr key={list.name}>
                    <th scope="row">
                      <a href={pageAddress('/lists', { name: list.name })} aria-current={list.name === name ? 'true' : undefined}>
                        {shown(list.name)}
                      </a>
                    </th>
                    <td>{list.count}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
          {may('operate') && <Adding key={name} name={name} make={make} />}
          {changed && <Changed changed={changed} />}
          {name !== null && may('payloads') && <Values key={name} name={name} round={round} make={make} />}
          <h2>At web addresses</h2>
          <Fetched fetched={answer.fetched} />
        </>
      )}
    </section>
  )
}

const Changed = ({ changed }: { readonly changed: ListChange | NoAnswer }): JSX.Element =>
  'status' in changed ? (
    <Failure failure={changed} />
  ) : (
    <>
      <p role="status">
        {shown(changed.name)}: {changed.count === 1 ? '1 value' : `${changed.count} values`} now
      </p>
      <Notices notices={changed.notices} />
    </>
  )

/** A form that adds values. `name`: the list that is shown; `null`: the form asks for the name. */
const Adding = ({ name, make }: { readonly name: string | null; readonly make: MakeChange }): JSX.Element => {
  const add = (event: SubmitEvent): void => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    const given = new FormData(form)
    const minutes = String(given.get('for'))
    const values = String(given.get('values')).split('\n')
    make(
      ask('addToList', {
        name: String(given.get('name')).trim(),
        values: values.flatMap((line) => line.trim() || []),
        ...(minutes === '' ? {} : { for_minutes: Number(minutes) }),
      }),
      () => form.reset(),
    )
  }
  return (
    <form class="filters" onSubmit={add}>
      <label>
        List
        <input name="name" required defaultValue={name ?? ''} />
      </label>
      <label>
        Values, one a line
        <textarea name="values" rows={2} />
      </label>
      <label>
        They stay
        <select name="for">
          {spans.map(([minutes, words]) => (
            <option key={minutes} value={minutes}>
              {words}
            </option>
          ))}
        </select>
      </label>
      <button type="submit">Add</button>
    </form>
  )
}

type ValuesProps = { readonly name: string; readonly round: number; readonly make: MakeChange }

/** The values of a list. They are asked for again in each round. */
const Values = ({ name, round, make }: ValuesProps): JSX.Element => {
  const [text, setText] = useState('')
  const { answer, failure } = useAsked(`${round} ${text}`, (signal) => ask('list', { name, ...(text === '' ? {} : { text }) }, signal))
  return (
    <>
      <h2>{shown(name)}</h2>
      <label>
        Find <input type="search" value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} />
      </label>
      {failure && <Failure failure={failure} />}
      {answer && (
        <ul aria-label="values">
          {answer.values.map(({ value, until }) => (
            <li key={value}>
              {shown(value, 512)} {until !== undefined && <span class="quiet">until {time(until)}</span>}{' '}
              {may('operate') && (
                <button
                  type="button"
                  aria-label={`Remove ${shown(value)}`}
                  onClick={() => make(ask('removeFromList', { name, values: [value] }))}
                >
                  Remove
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {answer?.values.length === 0 && <p class="quiet">{text === '' ? 'Nobody is in it.' : 'No value fits.'}</p>}
      {answer?.more && <p class="quiet">There are more: headgate lists show {shown(name)}</p>}
    </>
  )
}

const Fetched = ({ fetched }: Pick<ConsoleAnswers['lists'], 'fetched'>): JSX.Element => {
  if (fetched === null) return <p class="quiet">No gateway runs, so no list is fetched.</p>
  if (fetched.length === 0) return <p class="quiet">No condition asks a list at an address.</p>
  return (
    <table>
      <thead>
        <tr>
          <th>Address</th>
          <th>State</th>
          <th>Values</th>
          <th>Fetched</th>
          <th>Why there is no newer one</th>
        </tr>
      </thead>
      <tbody>
        {fetched.map(({ address, usable, values, fetched_at: at, failure }) => (
          <tr key={address}>
            <th scope="row">{shown(address)}</th>
            <td>
              <Word word={usable ? 'ok' : 'failed'}>{usable ? 'ok' : 'events get 503'}</Word>
            </td>
            <td>{values}</td>
            <td>{at === null ? 'never' : time(at)}</td>
            <td>{failure && `${shown(failure.reason, 1_000)}, ${failure.times} times since ${time(failure.since)}`}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
