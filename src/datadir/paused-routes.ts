/** Reads the pauses of routes from the entries of `paused_routes.json`, which `webhook pause` and `webhook resume` change. */

import { isObject, type JsonObject, own, textOrEmpty } from '../core/json.ts'

export const pausesFileName = 'paused_routes.json'

/** `isHold`: events are accepted, and their runs wait. Otherwise events are refused, and their senders asked to repeat them. */
export type Pause = { readonly isHold: boolean; readonly since: string }

/** Returns the pauses by the names of their routes. An entry that is no map pauses nothing. */
export const pausesIn = (entries: JsonObject): ReadonlyMap<string, Pause> =>
  new Map(
    Object.entries(entries).flatMap(([name, entry]) =>
      isObject(entry) ? [[name, { isHold: own(entry, 'hold') === true, since: textOrEmpty(own(entry, 'paused_at')) }] as const] : [],
    ),
  )
