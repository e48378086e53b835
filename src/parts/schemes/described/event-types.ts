/** The types of all events of one request, where a description reads the type from a list: `events.0.type` names the first of them. */

import { header } from '../../../core/headers.ts'
import type { Json } from '../../../core/json.ts'
import type { Headers } from '../../../core/request.ts'
import { compilePath } from '../../../expr/path.ts'
import { scalarText } from '../../../expr/render.ts'
import type { SignatureScheme } from '../../../generated/config.ts'

export type EventTypes = {
  /** The path of the list; empty where the payload is that list. */
  readonly list: string
  /** In the order of the events. */
  readonly typesIn: (headers: Headers, payload: Json) => readonly string[]
}

const firstItem = /^(?:(.*?)\.)?0\.(.+)$/

/** `undefined` where a request has one event. */
export const compileEventTypes = ({ header: name, body = [] }: NonNullable<SignatureScheme['event']>): EventTypes | undefined => {
  const paths = [body].flat()
  const [list] = paths.flatMap((path) => listOf(path) ?? [])
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

const listOf = (path: string): string | undefined => {
  const match = firstItem.exec(path)
  return match ? (match[1] ?? '') : undefined
}

type ReadAll = (value: Json) => readonly string[]

/** Of the places in one item the first that has a type counts. Lists may stand in lists. */
const readAll = (paths: readonly string[]): ReadAll => {
  const [list] = paths.flatMap((path) => listOf(path) ?? [])
  if (list === undefined) return readFirst(paths)
  const ofItems = readAll(paths.flatMap((path) => (listOf(path) === list ? (firstItem.exec(path)?.[2] ?? []) : [])))
  const others = paths.filter((path) => listOf(path) !== list)
  const elsewhere: ReadAll = others.length > 0 ? readAll(others) : () => []
  const listIn = list === '' ? (value: Json) => value : compilePath(list)
  return (value) => {
    const items = listIn(value)
    const found = Array.isArray(items) ? items.flatMap(ofItems) : []
    return found.length > 0 ? found : elsewhere(value)
  }
}

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
