/** Chooses the payload with which a route is tried: a sample or a recorded event. */

import type { JSX } from 'preact'
import type { ConsoleAnswers } from '../../answers/answers.ts'
import { shown } from '../words.ts'
import type { PreviewPayload } from './route-state.ts'

type Rows = ConsoleAnswers['payloads']['payloads']

const nameOf = ({ from, id }: PreviewPayload): string => `${from} ${id}`

/** Returns the payload to begin with: the first payload that the route takes, or else the first. */
export const bestOf = (rows: Rows): PreviewPayload | undefined => {
  const best = rows.find(({ fits }) => fits) ?? rows[0]
  return best && { from: best.from, id: best.id }
}

export const PayloadChooser = ({
  rows,
  chosen,
  choose,
}: {
  readonly rows: Rows
  readonly chosen: PreviewPayload | undefined
  readonly choose: (choice: PreviewPayload) => void
}): JSX.Element => (
  <label class="payload-choice">
    Payload
    <select
      value={chosen && nameOf(chosen)}
      onChange={({ currentTarget }) => {
        const row = rows.find((each) => nameOf(each) === currentTarget.value)
        if (row) choose({ from: row.from, id: row.id })
      }}
    >
      {(['event', 'sample'] as const).map((from) => (
        <optgroup key={from} label={from === 'event' ? 'recorded events' : 'samples'}>
          {rows
            .filter((row) => row.from === from)
            .map((row) => (
              <option key={row.id} value={nameOf(row)}>
                {shown(row.title)} · {shown(row.detail)}
                {!row.fits && ' · does not fit'}
              </option>
            ))}
        </optgroup>
      ))}
    </select>
  </label>
)
