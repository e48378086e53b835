/**
 * Reads the types of all events of a request that has a list of events in its body. The path to the type of the first event in a
 * description, such as `events.0.type`, says where the list is.
 */

import { header } from '../../../core/headers.ts'
import type { Json } from '../../../core/json.ts'
import type { Headers } from '../../../core/request.ts'
import { compilePath } from '../../../expr/path.ts'
import { scalarText } from '../../../expr/render.ts'
import type { SignatureScheme } from '../../../generated/config.ts'

/** The place of the events in a payload, and the function that reads their types. */
export type EventTypes = {
  /** The path of the list; empty where the payload is the list. */
  readonly list: string
  /** Returns the types in the order of the events. */
  readonly typesIn: (headers: Headers, payload: Json) => readonly string[]
}

const firstItem = /^(?:(.*?)\.)?0\.(.+)$/

/**
 * Makes the function that reads all types at the place of the event's type; `undefined` where no path leads to the first item of a list.
 */
export const compileEventTypes = ({ header: name, body = [] }: NonNullable<SignatureScheme['event']>): EventTypes | undefined => {
  const paths = [body].flat()
  const [list] = paths.flatMap((path) => listPath(path) ?? [])
  if (list === undefined) return undefined
  const read = readAll(paths)
  return {
    list,
    // Where a header names the event type, all events of the request are of that type.
    typesIn: (headers, payload) => {
      const named = name === undefined ? undefined : header(headers, name.toLowerCase())
      return named === undefined ? read(payload) : [named]
    },
  }
}

/** Returns the path of the list in which a path leads to the first item; `undefined` for any other path. */
const listPath = (path: string): string | undefined => {
  const match = firstItem.exec(path)
  return match ? (match[1] ?? '') : undefined
}

type ReadAll = (value: Json) => readonly string[]

/**
 * Makes the function that reads the types at these paths. Where a path leads to the first item of a list, the types of all items of the
 * list are read. In an item, the first path with a value counts. Lists may contain lists. Where the list gives no type, the paths that do
 * not lead into it are read.
 */
const readAll = (paths: readonly string[]): ReadAll => {
  const [list] = paths.flatMap((path) => listPath(path) ?? [])
  if (list === undefined) return readFirst(paths)
  const ofItems = readAll(paths.flatMap((path) => (listPath(path) === list ? (firstItem.exec(path)?.[2] ?? []) : [])))
  const others = paths.filter((path) => listPath(path) !== list)
  const elsewhere: ReadAll = others.length > 0 ? readAll(others) : () => []
  const listIn = list === '' ? (value: Json) => value : compilePath(list)
  return (value) => {
    const items = listIn(value)
    const found = Array.isArray(items) ? items.flatMap(ofItems) : []
    return found.length > 0 ? found : elsewhere(value)
  }
}

/** Makes the function that reads the type at the first path with a value. */
const readFirst = (paths: readonly string[]): ReadAll => {
  const getters = paths.map(compilePath)
  return (value) => {
    for (const get of getters) {
      const text = scalarText(get(value))
      if (text !== undefined && text !== '') return [text]
    }
    return []
  }
}
