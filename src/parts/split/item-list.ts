/** Finds the items of a payload that `split` of a route names, each with its own JSON text. */

import { isObject, type Json, own } from '../../core/json.ts'
import { walkJson } from '../../core/walk-json.ts'
import { partsOf } from '../../expr/path-parts.ts'

/** An item of a payload. `text`: its JSON text as it came, in which long numbers keep their digits. */
export type Item = { readonly payload: Json; readonly text: string }

/**
 * Returns the items of a payload in order, or their number where there are more than `max`; `undefined` for a payload without a list at the
 * place. `text`: the JSON text of the payload.
 */
export type FindItems = (payload: Json, text: string, max: number) => readonly Item[] | number | undefined

type Steps = readonly string[]

/**
 * Compiles the place of a list: `alerts`; `*` for a payload that is the list; `entry.*.changes` for a list in each item of another list. An
 * outer item without such a list is an item itself, so that nothing of the request is lost.
 */
export const compileItemList = (place: string): FindItems => {
  const written = partsOf(place)
  const steps = written.at(-1) === '*' ? written : [...written, '*']
  return (payload, text, max) => {
    const count = countItems(payload, steps)
    return count === undefined || count > max ? count : itemsIn({ payload, text }, steps)
  }
}

/** Splits steps at the first `*`: the keys that lead to the outer list, and the steps in each of its items. */
const atList = (steps: Steps): { readonly keys: Steps; readonly rest: Steps } => {
  const at = steps.indexOf('*')
  return { keys: steps.slice(0, at), rest: steps.slice(at + 1) }
}

const listAt = (payload: Json, keys: Steps): readonly Json[] | undefined => {
  let at: Json | undefined = payload
  for (const key of keys) at = at !== undefined && isObject(at) ? own(at, key) : undefined
  return Array.isArray(at) ? at : undefined
}

const countItems = (payload: Json, steps: Steps): number | undefined => {
  const { keys, rest } = atList(steps)
  const list = listAt(payload, keys)
  if (!list || rest.length === 0) return list?.length
  return list.reduce<number>((sum, each) => sum + (countItems(each, rest) ?? 1), 0)
}

const itemsIn = ({ payload, text }: Item, steps: Steps): readonly Item[] | undefined => {
  const { keys, rest } = atList(steps)
  const list = listAt(payload, keys)
  if (!list) return undefined
  const texts = textsAt(text, keys)
  const items = list.map((each, i): Item => ({ payload: each, text: texts[i] ?? JSON.stringify(each) }))
  return rest.length === 0 ? items : items.flatMap((item) => itemsIn(item, rest) ?? item)
}

/** Returns the texts of the items of a list. They are cut out of the text, because a number that is written anew may lose digits. */
const textsAt = (text: string, keys: Steps): readonly string[] => {
  const bytes = Buffer.from(text)
  const found = walkJson(bytes, [[...keys, '*']], { wholes: true, valueAt: (from, to) => bytes.toString('utf8', from, to) })
  return ((found !== undefined && listAt(found as Json, keys)) || []) as readonly string[]
}
