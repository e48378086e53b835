/** Reads and changes the lists that conditions ask (`in_list: { store }`), whether or not a gateway runs. */

import { join } from 'node:path'
import { readEntries } from '../config/writing/entry-store.ts'
import { exit, Fault } from '../core/fault.ts'
import { isObject, type Json, type JsonObject, own, put } from '../core/json.ts'
import { nearest } from '../core/text.ts'
import { changeEntries } from '../datadir/entries/change-entries.ts'
import type { Workspace } from '../datadir/workspace.ts'
import { listsFileName, type StoredValue, storedValues } from '../expr/named-lists.ts'
import { listNameForm } from '../parts/operators/in-list.ts'

/** The most lists, values of all lists together, and characters of a value. */
const bounds = { lists: 1_000, values: 200_000, chars: 512 }

export type ListSummary = { readonly name: string; readonly count: number }

/** Returns the lists by their names, in order. Throws a Fault where their file cannot be used. */
export const readLists = (workspace: Workspace): readonly ListSummary[] =>
  Object.entries(readEntries(listsFile(workspace)))
    .flatMap(([name, entry]) => {
      const values = storedValues(entry)
      return values ? [{ name, count: values.filter(isPresent).length }] : []
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1))

/** Returns the values of a list, in the order in which they were added. Throws a Fault (exit 5) where there is no such list. */
export const readList = (workspace: Workspace, name: string): readonly StoredValue[] => {
  const entries = readEntries(listsFile(workspace))
  const values = storedValues(own(entries, name))
  if (!values) throw noSuchList(name, entries)
  return values.filter(isPresent)
}

/** `changed`: the number of values that were added or removed. `count`: that of the values after it. */
export type ChangedList = { readonly name: string; readonly changed: number; readonly count: number }

/**
 * Adds values to a list, and makes the list where there is none. `forMs`: how long they stay; absent: until they are removed. A value that
 * is there already gets the new time. Throws a Fault for a name or value that no list may have, and past a bound.
 */
export const addToList = async (workspace: Workspace, name: string, values: readonly string[], forMs?: number): Promise<ChangedList> => {
  if (!new RegExp(listNameForm).test(name)) throw usage(`"${name}" is no name of a list`, 'small letters, digits, - and _, at most 64')
  const added = valuesGiven(values)
  const until = forMs === undefined ? undefined : new Date(Date.now() + forMs).toISOString()
  return changeEntries(workspace, listsFile(workspace), (entries) => {
    const before = storedValues(own(entries, name))
    const kept = (before ?? []).filter((each) => isPresent(each) && !added.has(each.value))
    const same = (before ?? []).filter((each) => isPresent(each) && added.has(each.value))
    const after = [...kept, ...[...added].map((value): StoredValue => ({ value, ...(until === undefined ? {} : { until }) }))]
    const isSame =
      before !== undefined && until === undefined && same.length === added.size && same.every((each) => each.until === undefined)
    const result = { name, changed: isSame ? 0 : until === undefined ? added.size - same.length : added.size, count: after.length }
    if (isSame) return { result }
    return { entries: withinBounds(withList(entries, name, after)), result }
  })
}

/** Removes values from a list. Throws a Fault (exit 5) where there is no such list. The list stays, also without values. */
export const removeFromList = async (workspace: Workspace, name: string, values: readonly string[]): Promise<ChangedList> => {
  const removed = valuesGiven(values)
  return changeEntries(workspace, listsFile(workspace), (entries) => {
    const before = storedValues(own(entries, name))
    if (!before) throw noSuchList(name, entries)
    const present = before.filter(isPresent)
    const after = present.filter(({ value }) => !removed.has(value))
    const result = { name, changed: present.length - after.length, count: after.length }
    return result.changed === 0 ? { result } : { entries: withList(entries, name, after), result }
  })
}

/** Removes a whole list. Events of routes that ask it are refused from then on. Throws a Fault (exit 5) where there is no such list. */
export const dropList = async (workspace: Workspace, name: string): Promise<ChangedList> =>
  changeEntries(workspace, listsFile(workspace), (entries) => {
    const before = storedValues(own(entries, name))
    if (!before) throw noSuchList(name, entries)
    const { [name]: _, ...others } = entries
    return { entries: others, result: { name, changed: before.filter(isPresent).length, count: 0 } }
  })

const listsFile = ({ dataDir }: Workspace): string => join(dataDir, listsFileName)

const isPresent = ({ until }: StoredValue): boolean => until === undefined || Date.parse(until) > Date.now()

const withList = (entries: JsonObject, name: string, values: readonly StoredValue[]): JsonObject => {
  const before = own(entries, name)
  const list = {
    ...(isObject(before) ? before : {}),
    values: values.map((each): Json => (each.until === undefined ? each.value : { ...each })),
  }
  const changed: { [name: string]: Json } = { ...entries }
  put(changed, name, list)
  return changed
}

const withinBounds = (entries: JsonObject): JsonObject => {
  const lists = Object.values(entries)
  const count = lists.reduce<number>((sum, entry) => sum + (storedValues(entry)?.length ?? 0), 0)
  if (lists.length > bounds.lists) throw tooMany(`there may be at most ${bounds.lists} lists`)
  if (count > bounds.values) throw tooMany(`all lists together may have at most ${bounds.values} values`)
  return entries
}

const tooMany = (why: string): Fault =>
  new Fault('too_large', `${why}: nothing was written`, { exitCode: exit.no, hint: 'remove what is not needed: headgate lists remove' })

/** Returns the values without blanks around them, each once. Throws a Fault for a value that no list may have. */
const valuesGiven = (values: readonly string[]): ReadonlySet<string> => {
  const given = new Set(values.map((value) => value.trim()))
  for (const value of given) {
    if (value === '') throw usage('a value is empty', 'write each value as a word, or as a line of standard input')
    if (value.length > bounds.chars) throw usage(`a value has more than ${bounds.chars} characters`, 'shorten it')
    if (/\p{Cc}/u.test(value)) throw usage('a value has a control character', 'write each value as a line of its own')
  }
  return given
}

const usage = (message: string, hint: string): Fault => new Fault('usage', message, { exitCode: exit.usage, hint })

const noSuchList = (name: string, entries: JsonObject): Fault => {
  const [near] = nearest(name, Object.keys(entries))
  const hint = near === undefined ? 'headgate lists show has the names; headgate lists add makes a list' : `did you mean "${near}"?`
  return new Fault('unknown_list', `there is no list "${name}"`, { exitCode: exit.notFound, hint })
}
