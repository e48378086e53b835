/** The route editor: the text of a route, and beside it what the route would do. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { ask } from '../ask.ts'
import { Failure, Notices, useAsked } from '../parts.tsx'
import { currentAddress, go } from '../router.ts'
import { shown } from '../words.ts'
import { EditedRoutePane } from './edited-route.tsx'
import { NewRouteScreen } from './new-route.tsx'
import type { Opened } from './route-state.ts'

/** The screen of the route editor. `name`: the name of the route; without a name, the user begins a new route. */
export const RouteEditor = ({ name }: { readonly name: string | undefined }): JSX.Element =>
  name === undefined ? <NewRouteScreen /> : <RouteEditorScreen key={name} name={name} />

/** Makes the question for the text of a route, from its name and the query of the address. */
const askedRoute = (name: string) => {
  const { query } = currentAddress.value
  const source = query.get('source')
  const is_new = query.has('new')
  const [clone, like] = [query.get('clone'), query.get('like')]
  return {
    name,
    ...(source === 'config' || source === 'subscription' ? { source: source as Opened['source'] } : {}),
    ...(is_new ? { is_new } : {}),
    ...(clone ? { clone } : {}),
    ...(like ? { like } : {}),
  }
}

export const RouteEditorScreen = ({ name }: { readonly name: string }): JSX.Element => {
  const [notices, setNotices] = useState<readonly string[]>([])
  const of = askedRoute(name)
  const { answer, failure, isAsking, again } = useAsked(JSON.stringify(of), (signal) => ask('routeText', of, signal))
  /** The user's text that stays when the route is opened again, because the file was changed meanwhile. */
  const [text, setText] = useState<string>()
  const reopen = (edited?: string): void => {
    setText(edited)
    again()
  }
  if (failure) return <Failure failure={failure} again={again} />
  if (!answer || isAsking) return <p class="quiet">Reading…</p>
  const opened = text === undefined ? answer : { ...answer, to: text, kept: null }
  return (
    <section aria-labelledby="title">
      <header class="bar">
        <h1 id="title">
          {shown(name)}{' '}
          <span class="quiet">{opened.is_new ? 'a new route' : opened.source === 'subscription' ? 'a subscription' : ''}</span>
        </h1>
        <span class="quiet">{shown(opened.file)}</span>
      </header>
      <Notices notices={notices} />
      <EditedRoutePane
        key={`${opened.from}\n${opened.to}`}
        opened={opened}
        reopen={reopen}
        saved={(said) => {
          setNotices(said)
          if (opened.is_new) go(`/routes/${encodeURIComponent(name)}/edit`, true)
          reopen()
        }}
      />
    </section>
  )
}
