/**
 * The lists that `in_list` asks, and those of them that `headgate lists` keeps in a file of the data directory. Where gateways share a
 * store, each keeps its file equal to the shared lists (src/datadir/entries/).
 */

import { numberKeyOfText } from '../core/exact-number.ts'
import { messageOf } from '../core/fault.ts'
import { isObject, type Json, own } from '../core/json.ts'
import { parseJsonInSteps } from './json-in-steps.ts'
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

/** A list at a web address. `path`: where the list is in the JSON of the answer. `item`: where the value is in an item of the list. */
export type FetchedListSpec = {
  readonly url: string
  readonly headers: { readonly [name: string]: string }
  readonly path?: string | undefined
  readonly item?: string | undefined
  readonly refreshMinutes: number
  readonly maxAgeMinutes: number
  /** Nothing is asked in a private network or on this machine. */
  readonly isPublicOnly: boolean
}

/** The list of a condition: one that `headgate lists` keeps, by its name, or one at a web address. */
export type ListSpec = { readonly store: string } | FetchedListSpec

/** A list that a condition has open. `close`: the condition is gone; absent where nothing is held for it. */
export type OpenedList = {
  /** Returns the list as it is now. Throws, or rejects with, an UnavailableList while there is none. */
  readonly ask: () => NamedList | Promise<NamedList>
  readonly close?: () => void
}

/** Opens a list for a condition. Never throws. */
export type OpenList = (spec: ListSpec) => OpenedList

type NamedLists = ReadonlyMap<string, NamedList>

function* parseLists(text: string): InSteps<NamedLists> {
  const entries = yield* parseJsonInSteps(text)
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
  return Array.isArray(values) ? yield* listFrom(values) : undefined
}

/** Makes a list of its values. An item that is no value is left out. */
export function* listFrom(items: readonly Json[]): InSteps<NamedList> {
  const [texts, numbers] = [new Map<string, number>(), new Map<string, number>()]
  for (const [at, item] of items.entries()) {
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
const openNamedLists = (dataDir: string): WatchedFile<NamedLists> => {
  const known = open.get(dataDir)
  if (known) return known
  const kind = { called: 'the data directory', maxBytes, parse: parseLists, without: new Map() }
  const opened = openWatchedFile(dataDir, listsFileName, kind)
  for (const oldest of [...open.keys()].slice(0, open.size - maxOpen + 1)) open.delete(oldest)
  open.set(dataDir, opened)
  return opened
}

/** Opens a list that `headgate lists` keeps in a data directory. */
export const openStoredList = (dataDir: string, name: string): OpenedList => {
  const lists = openNamedLists(dataDir)
  const listIn = (all: NamedLists): NamedList => {
    const list = all.get(name)
    if (!list) throw new UnavailableList(`there is no list "${name}"`)
    return list
  }
  const unusable = (error: unknown): never => {
    if (error instanceof UnavailableList) throw error
    throw new UnavailableList(messageOf(error))
  }
  return {
    ask() {
      try {
        const all = lists.values()
        return all instanceof Promise ? all.then(listIn).catch(unusable) : listIn(all)
      } catch (error) {
        return unusable(error)
      }
    },
  }
}

/** A list that a condition needs cannot be used now: whether the event passes is known later. */
export class UnavailableList extends Error {
  override name = 'UnavailableList'
}

/** A list that cannot be asked here. */
export const unavailableList = (why: string): OpenedList => ({
  ask() {
    throw new UnavailableList(why)
  },
})

/** Opens no list, where conditions are compiled only to be looked at. */
export const noLists: OpenList = () => unavailableList('there are no lists here')
