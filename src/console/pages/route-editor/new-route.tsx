/** The screen that asks for the name of a new route, and for the route or the event to begin with. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { ask, may } from '../ask.ts'
import { Failure, useAsked } from '../parts.tsx'
import { go, pageAddress } from '../router.ts'
import { shown } from '../words.ts'

export const NewRouteScreen = (): JSX.Element => {
  const routes = useAsked('routes', (signal) => ask('routes', {}, signal))
  const samples = useAsked('payloads', async (signal) => (may('payloads') ? (await ask('payloads', { route: '' }, signal)).payloads : []))
  const [name, setName] = useState('')
  const [begin, setBegin] = useState('')
  const start = (event: Event): void => {
    event.preventDefault()
    const [kind = '', ...rest] = begin.split(' ')
    go(pageAddress(`/routes/${encodeURIComponent(name.trim())}/edit`, { new: '1', ...(kind === '' ? {} : { [kind]: rest.join(' ') }) }))
  }
  return (
    <section aria-labelledby="title">
      <header class="bar">
        <h1 id="title">New route</h1>
      </header>
      {routes.failure && <Failure failure={routes.failure} again={routes.again} />}
      <form class="filters" onSubmit={start}>
        <label>
          Name
          <input
            required
            maxLength={64}
            pattern="[A-Za-z0-9][A-Za-z0-9._\-]*"
            title="letters, digits, dot, underscore and hyphen; the first a letter or digit"
            value={name}
            onInput={({ currentTarget }) => setName(currentTarget.value)}
          />
        </label>
        <label>
          Begins with
          <select value={begin} onChange={({ currentTarget }) => setBegin(currentTarget.value)}>
            <option value="">empty</option>
            <optgroup label="as a copy of">
              {routes.answer?.routes.map((route) => (
                <option key={`${route.source} ${route.name}`} value={`clone ${route.name}`}>
                  {shown(route.name)}
                </option>
              ))}
            </optgroup>
            <optgroup label="for events like">
              {samples.answer?.map((row) => (
                <option key={row.id} value={`like ${row.id}`}>
                  {shown(row.title)} · {shown(row.detail)}
                </option>
              ))}
            </optgroup>
          </select>
        </label>
        <button type="submit" class="primary">
          Go on
        </button>
      </form>
      <p class="quiet">Nothing is written before it is saved.</p>
    </section>
  )
}
