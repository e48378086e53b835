/** The keys of a route whose names are picked from a list. */

import type { Path } from '../../core/diagnostic.ts'
import { isObject, type Json } from '../../core/json.ts'

export type NamesKey = 'verify' | 'events'

/** The key of a field, where it is one of these. A scheme that the route describes itself is no name. */
export const namesKeyOf = ([key, ...more]: Path, value: Json | undefined): NamesKey | undefined =>
  more.length === 0 && (key === 'verify' || key === 'events') && !isObject(value) ? key : undefined
