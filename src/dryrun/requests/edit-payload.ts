/**
 * Sets and removes single values in the body of a request that is posted as a test, traced, or sent by a test of a route. Paths are written
 * as in templates.
 */

import { exactJson } from '../../core/exact-json.ts'
import { usage } from '../../core/fault.ts'
import { type ExactJson, type ExactObject, isJson, isObject, own } from '../../core/json.ts'
import { editJson } from '../../datadir/json-text.ts'
import { partsOf } from '../../expr/path-parts.ts'
import { editJsonField } from '../../parts/body/json-field.ts'
import { setField, withoutField } from '../../parts/body/multipart/set-field.ts'
import { bodyKind } from '../../parts/body/payload.ts'

export type PayloadEdit = {
  /** Assignments such as `a.b=1`. The value is taken as JSON where it parses as JSON, else as a text. */
  readonly set: readonly string[]
  readonly unset: readonly string[]
}

/**
 * Returns the edited body. The values of `unset` are removed first, so that `set` can make them anew. Throws a usage Fault for a path that
 * leads nowhere, and for an assignment without `=` or path.
 */
export const editBody = (body: string, { set, unset }: PayloadEdit): string => {
  if (set.length === 0 && unset.length === 0) return body
  const wanted = set.map(parseSet)
  const kind = bodyKind({}, Buffer.from(body))
  if (kind === 'xml') throw usage('--set and --unset change no XML', 'give it whole: --payload @file')
  if (kind === 'multipart') return editMultipart(body, wanted, unset)
  const inJson = (text: string): string =>
    editJson(text, (payload) => {
      const rest = unset.reduce((value, path) => without(value, partsOf(path), `--unset ${path}`), payload)
      return wanted.reduce((value, { path, to }) => withValue(value, partsOf(path), to, `--set ${path}`), rest)
    })
  if (isJson(body)) return inJson(body)
  return editJsonField(body, (text) => (isJson(text) ? inJson(text) : text)) ?? editForm(body, wanted, unset)
}

/** Whether a body is XML or multipart, or would have to be. */
export const isOtherKind = (body: string): boolean => ['xml', 'multipart'].includes(bodyKind({}, Buffer.from(body)))

/** An assignment of `--set`. `to`: the value. `text`: the value for a field of a form: a text as it is, anything else as it is written. */
type Assignment = { readonly path: string; readonly to: ExactJson; readonly text: string }

const parseSet = (written: string): Assignment => {
  const at = written.indexOf('=')
  const path = written.slice(0, at)
  if (at < 1) throw usage(`--set ${written}: not of the form path=value`, '--set pull_request.draft=true')
  const text = written.slice(at + 1)
  const to = isJson(text) ? exactJson(text) : text
  return { path, to, text: typeof to === 'string' ? to : text }
}

const listIndex = /^(?:0|[1-9]\d{0,5})$/

/**
 * Returns the value with `to` set at the path. Missing maps on the path are made. In a list, only an existing item can be set, or the place
 * behind the last item. `option`: the option of the command, for the message of a Fault.
 */
const withValue = (at: ExactJson | undefined, [key = '', ...rest]: readonly string[], to: ExactJson, option: string): ExactJson => {
  const next = (before: ExactJson | undefined): ExactJson => (rest.length === 0 ? to : withValue(before, rest, to, option))
  if (Array.isArray(at)) {
    const index = listIndex.test(key) ? Number(key) : Number.NaN
    if (!(index <= at.length)) throw usage(`${option}: the list there has ${at.length} items, and no "${key}"`)
    return [...at.slice(0, index), next(at[index]), ...at.slice(index + 1)]
  }
  if (at !== undefined && at !== null && !isObject(at)) throw usage(`${option}: "${key}" would be inside of a value that is no map or list`)
  const map: ExactObject = at ?? {}
  return { ...map, [key]: next(own(map, key)) }
}

/** Returns the value without the value at the path. Throws a usage Fault where the path leads nowhere. */
const without = (at: ExactJson | undefined, [key = '', ...rest]: readonly string[], option: string): ExactJson => {
  const inside = Array.isArray(at) ? at[listIndex.test(key) ? Number(key) : -1] : isObject(at) ? own(at, key) : undefined
  if (at === undefined || inside === undefined) throw usage(`${option}: the payload has no "${key}" there`)
  if (Array.isArray(at)) {
    const index = Number(key)
    return [...at.slice(0, index), ...(rest.length === 0 ? [] : [without(inside, rest, option)]), ...at.slice(index + 1)]
  }
  const { [key]: _, ...others } = at as ExactObject
  return rest.length === 0 ? others : { ...(at as ExactObject), [key]: without(inside, rest, option) }
}

/** Edits the body of a form. The fields of a form have no paths, so a name with dots is a plain name. */
const editForm = (body: string, set: readonly Assignment[], unset: readonly string[]): string => {
  const fields = new URLSearchParams(body)
  for (const name of unset) {
    if (!fields.has(name)) throw usage(`--unset ${name}: the form has no such field`)
    fields.delete(name)
  }
  for (const { path, text } of set) fields.set(path, text)
  return fields.toString()
}

/** Edits the fields of a multipart body, which have no paths, as those of a form have none. A file can only be removed. */
const editMultipart = (body: string, set: readonly Assignment[], unset: readonly string[]): string => {
  const rest = unset.reduce((before, name) => {
    const without = withoutField(before, name)
    if (without === undefined) throw usage(`--unset ${name}: the body has no such field`)
    return without
  }, body)
  return set.reduce((before, { path, text }) => {
    if (/["\r\n]/.test(path)) throw usage(`--set ${path}: no name of a field`)
    return setField(before, path, text)
  }, rest)
}
