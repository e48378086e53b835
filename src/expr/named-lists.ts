/**
 * The lists that `headgate lists` keeps in a file of the data directory, as `in_list` looks into them. Where gateways share a store, each
 * keeps its file equal to the shared lists (src/datadir/entries/).
 */

import { numberKeyOfText } from '../core/exact-number.ts'
import { isObject, type Json, own } from '../core/json.ts'
import { parseJson } from '../core/json-error.ts'
import { type InSteps, openWatchedFile, valuesInStep, type WatchedFile } from './list-file.ts'

export const listsFileName = 'lists.json'

/** The most bytes of the file: as many as a file of entries may have. */
const maxBytes = 16_777_216

/** A value of a list, as the file has it: a text, or a map of the text and the time at which it ends, as an ISO date-time. */
export type StoredValue = { readonly value: string; readonly until?: string }

/** Reads a value of the file; `undefined` for what is none. */
const storedValue = (item: Json): StoredValue | undefined => {
  if (typeof item === 'string') return { value: item }
  if (!isObject(item)) return undefined
  const [value, until] = [own(item, 'value'), own(item, 'until')]
  return typeof value === 'string' ? { value, ...(typeof until === 'string' ? { until } : {}) } : undefined
}

/** Returns the values of the list in an entry of the file, in their order; `undefined` where the entry is no list. */
export const storedValues = (entry: Json | undefined): readonly StoredValue[] | undefined => {
  const values = isObject(entry) ? own(entry, 'values') : undefined
  return Array.isArray(values) ? values.flatMap((item) => storedValue(item) ?? []) : undefined
}

/** The wall time at which each value ends, in milliseconds; `Infinity` for one that stays. Values by their texts, and by their numbers. */
export type NamedList = { readonly texts: ReadonlyMap<string, number>; readonly numbers: ReadonlyMap<string, number> }

type NamedLists = ReadonlyMap<string, NamedList>

function* parseLists(text: string): InSteps<NamedLists> {
  const entries = parseJson(text)
  if (!isObject(entries)) throw new Error(`${listsFileName} is no JSON object`)
  const lists = new Map<string, NamedList>()
  for (const [name, entry] of Object.entries(entries)) {
    const list = yield* listOf(entry)
    if (list) lists.set(name, list)
  }
  return lists
}

function* listOf(entry: Json | undefined): InSteps<NamedList | undefined> {
  const values = isObject(entry) ? own(entry, 'values') : undefined
  if (!Array.isArray(values)) return undefined
  const [texts, numbers] = [new Map<string, number>(), new Map<string, number>()]
  for (const [at, item] of values.entries()) {
    if (at % valuesInStep === 0) yield
    const stored = storedValue(item)
    if (!stored) continue
    const { value, until } = stored
    const ends = until === undefined ? Number.POSITIVE_INFINITY : Date.parse(until)
    texts.set(value, ends)
    const number = numberKeyOfText(value)
    if (number !== undefined) numbers.set(number, ends)
  }
  return { texts, numbers }
}

/** The most data directories whose lists are kept in memory: a gateway has one. */
const maxOpen = 4
const open = new Map<string, WatchedFile<NamedLists>>()

/** Opens the lists of a data directory. All conditions share them, because a list may have a hundred thousand values. */
export const openNamedLists = (dataDir: string): WatchedFile<NamedLists> => {
  const known = open.get(dataDir)
  if (known) return known
  const opened = openWatchedFile(
    dataDir,
    listsFileName,
    { called: 'the data directory', maxBytes, parse: parseLists, without: new Map() },
    () => {},
  )
  for (const oldest of [...open.keys()].slice(0, open.size - maxOpen + 1)) open.delete(oldest)
  open.set(dataDir, opened)
  return opened
}

/** A list that a condition needs cannot be used now: whether the event passes is known later. */
export class UnavailableList extends Error {
  override name = 'UnavailableList'
}
