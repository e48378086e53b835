/** The keys of a route whose values are names, which the user picks from a list. */

import type { Path } from '../../core/diagnostic.ts'
import { isObject, type Json } from '../../core/json.ts'

export type NamesKey = 'verify' | 'events'

/** Returns the key of the field at a path if it is a `NamesKey`. A `verify` that describes a scheme itself holds no name. */
export const namesKeyOf = ([key, ...more]: Path, value: Json | undefined): NamesKey | undefined =>
  more.length === 0 && (key === 'verify' || key === 'events') && !isObject(value) ? key : undefined
