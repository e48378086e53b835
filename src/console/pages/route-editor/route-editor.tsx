/** The entry of the route editor, which a page loads when a route is edited. */

import type { JSX } from 'preact'
import { NewRouteScreen } from './new-route.tsx'
import { RouteEditorScreen } from './screen.tsx'

/** `name`: the name of the route; without a name, the user begins a new route. */
export const RouteEditor = ({ name }: { readonly name: string | undefined }): JSX.Element =>
  name === undefined ? <NewRouteScreen /> : <RouteEditorScreen key={name} name={name} />
