/** Reads the schema, the names and the payload values for completions and explanations. */

import { useEffect, useRef } from 'preact/hooks'
import { ask } from '../ask.ts'
import type { EditorContext } from './complete.ts'
import type { EditedRoute, PreviewPayload } from './route-state.ts'

const nothingKnown: EditorContext = {
  schema: {},
  names: { verify: [], events: [], deliver: [], profile: [], agent: [], skills: [] },
  values: [],
}

/**
 * Reads the schema and the names once for a route, and the values of each chosen payload. Where they cannot be read, fewer completions are
 * offered.
 */
export const useKnown = (edited: EditedRoute, payload: PreviewPayload | undefined): { readonly current: EditorContext } => {
  const known = useRef<EditorContext>(nothingKnown)
  const { name } = edited
  // biome-ignore lint/correctness/useExhaustiveDependencies: the names are read once for each route
  useEffect(() => {
    ask('routeNames', edited).then(
      ({ names, schema }) => {
        known.current = { ...known.current, names, schema }
      },
      () => {},
    )
  }, [name])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a payload is named by its two members
  useEffect(() => {
    if (!payload) return
    const aborter = new AbortController()
    ask('payload', { route: name, payload }, aborter.signal).then(
      ({ values }) => {
        known.current = { ...known.current, values }
      },
      () => {},
    )
    return () => aborter.abort()
  }, [name, payload?.from, payload?.id])
  return known
}
