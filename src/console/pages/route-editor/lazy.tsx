/**
 * Loads the script of the route editor when a user opens it, because the script is several times as large as the scripts of all other
 * screens.
 */

import type { FunctionComponent, JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { NoAnswer } from '../ask.ts'
import { Failure } from '../parts.tsx'

/**
 * Returns the name of the route at the address of a route editor. The name is `undefined` for a new route, and the result is `undefined`
 * for any other address.
 */
export const editedRouteIn = (path: string): { readonly name: string | undefined } | undefined => {
  if (path === '/routes/new') return { name: undefined }
  try {
    const [, name] = /^\/routes\/([^/]+)\/edit$/.exec(path) ?? []
    return name === undefined ? undefined : { name: decodeURIComponent(name) }
  } catch {
    return undefined
  }
}

export const LazyRouteEditor = ({ name }: { readonly name: string | undefined }): JSX.Element => {
  const [loaded, setLoaded] = useState<{ readonly Screen?: FunctionComponent<{ name: string | undefined }>; readonly failed?: true }>({})
  const [round, setRound] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another round tries again
  useEffect(() => {
    import('./route-editor.tsx').then(
      ({ RouteEditor }) => setLoaded({ Screen: RouteEditor }),
      () => setLoaded({ failed: true }),
    )
  }, [round])
  if (loaded.Screen) return <loaded.Screen name={name} />
  if (!loaded.failed) return <p class="quiet">Reading…</p>
  const failure = new NoAnswer(0, 'the route editor could not be loaded', 'load the page again: the program may be another version by now')
  return <Failure failure={failure} again={() => setRound(round + 1)} />
}
