/** The keys of a route whose values are names, so that an editor can offer a list of known names. */

import type { Path } from '../core/diagnostic.ts'
import { isObject, type Json } from '../core/json.ts'

export type NamesKey = 'verify' | 'events'

/** A name to pick. `detail`: the scheme or the senders that the name belongs to. */
export type OfferedName = { readonly name: string; readonly detail: string }

/** The names that an editor of texts offers, by the key of the route whose values they are. */
export type OfferedNames = { readonly [key in NamesKey | 'deliver' | 'profile' | 'agent' | 'skills']: readonly OfferedName[] }

/**
 * Returns the key of the field at a path where its values are names; otherwise `undefined`. A `verify` that is a map describes a scheme
 * instead of naming one.
 */
export const namesKeyOf = ([key, ...more]: Path, value: Json | undefined): NamesKey | undefined =>
  more.length === 0 && (key === 'verify' || key === 'events') && !isObject(value) ? key : undefined
