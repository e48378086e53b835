/** The keys of a route whose names are picked from a list. */

import type { Path } from '../../core/diagnostic.ts'
import { isObject, type Json } from '../../core/json.ts'

export type NamesKey = 'verify' | 'events'

/** Returns the field's key if it is a `NamesKey`. A scheme that the route describes itself is not a name. */
export const namesKeyOf = ([key, ...more]: Path, value: Json | undefined): NamesKey | undefined =>
  more.length === 0 && (key === 'verify' || key === 'events') && !isObject(value) ? key : undefined
