/** The edits that can be made to a YAML text, and what each makes of the data. */

import type { Path } from '../../../core/diagnostic.ts'
import { isObject, type Json, type JsonObject, own } from '../../../core/json.ts'

/** A new key of a map, with the lines of comment above it (`# …`). */
export type NewMember = { readonly key: string; readonly value: Json; readonly above?: readonly string[] }

/** An edit. A path names keys (texts) and the indexes of list items (numbers, from 0). */
export type YamlEdit =
  /** Replaces a value, or adds a key at the end of its map. Maps that are missing on the way are made. */
  | { readonly kind: 'set'; readonly path: Path; readonly value: Json }
  /** Adds keys to a map before its member at the index `at`, or behind its last member. Maps that are missing on the way are made. */
  | { readonly kind: 'add'; readonly path: Path; readonly at?: number; readonly members: readonly NewMember[] }
  /** Takes out a key or a list item. A map or list that becomes empty stays, as `{}` or `[]`. */
  | { readonly kind: 'remove'; readonly path: Path }
  /** Adds an item to a list so that it has the index `at`. A list that is missing is made. */
  | { readonly kind: 'insert'; readonly path: Path; readonly at: number; readonly value: Json }
  /** Moves the item of a list from the index `from` to the index `to`. */
  | { readonly kind: 'move'; readonly path: Path; readonly from: number; readonly to: number }
  /** Gives the key at a path another name, in its place. */
  | { readonly kind: 'rename'; readonly path: Path; readonly key: string }

/** Why an edit is refused, as a sentence to the user about the value at the edit's path. */
export type RefusedEdit = { readonly why: string }

export const isRefused = (value: unknown): value is RefusedEdit =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, 'why')

type ChangeValue = (value: Json | undefined) => { readonly value?: Json } | RefusedEdit

/** Returns the data as they must be after an edit, or why the data do not allow the edit. */
export const changedData = (data: Json, edit: YamlEdit): { readonly value?: Json } | RefusedEdit => {
  if (edit.kind === 'insert' || edit.kind === 'move') return changeAt(data, edit.path, listChange(edit))
  if (edit.kind === 'add') return changeAt(data, edit.path, (held) => withMembers(held ?? {}, edit.members))
  const last = edit.path.at(-1)
  if (last === undefined) return { why: 'the whole file is no value that an edit can change' }
  if (edit.kind === 'set') return changeAt(data, edit.path, () => ({ value: edit.value }))
  return changeAt(data, edit.path.slice(0, -1), (holder) =>
    edit.kind === 'rename' ? withRenamedKey(holder, last, edit.key) : withoutMember(holder, last),
  )
}

const changeAt = (data: Json | undefined, path: Path, change: ChangeValue): { readonly value?: Json } | RefusedEdit => {
  const [key, ...rest] = path
  if (key === undefined) return change(data)
  if (typeof key === 'number') {
    if (!Array.isArray(data) || !Object.hasOwn(data, key)) return { why: `there is no list with an item ${key}` }
    const item = changeAt(data[key], rest, change)
    return isRefused(item) ? item : { value: data.with(key, item.value ?? null) }
  }
  const map = data ?? {}
  if (!isObject(map)) return { why: `"${key}" cannot stand in what is no map` }
  const member = changeAt(own(map, key), rest, change)
  return isRefused(member) ? member : { value: { ...map, [key]: member.value ?? null } }
}

const listChange =
  (edit: Extract<YamlEdit, { kind: 'insert' | 'move' }>): ChangeValue =>
  (held) => {
    const list = held ?? (edit.kind === 'insert' ? [] : undefined)
    if (!Array.isArray(list)) return { why: 'there is no list' }
    if (edit.kind === 'insert') {
      const fits = Number.isInteger(edit.at) && edit.at >= 0 && edit.at <= list.length
      return fits ? { value: list.toSpliced(edit.at, 0, edit.value) } : { why: `the list has no place ${edit.at}` }
    }
    const missing = [edit.from, edit.to].find((index) => !Object.hasOwn(list, index))
    if (missing !== undefined) return { why: `the list has no item ${missing}` }
    return { value: list.toSpliced(edit.from, 1).toSpliced(edit.to, 0, list[edit.from] ?? null) }
  }

const withMembers = (holder: Json, members: readonly NewMember[]): { readonly value: Json } | RefusedEdit => {
  if (!isObject(holder)) return { why: 'there is no map' }
  const taken = members.find(({ key }, i) => Object.hasOwn(holder, key) || members.findIndex((other) => other.key === key) < i)
  if (taken) return { why: `there is a key "${taken.key}" already` }
  return { value: Object.fromEntries([...Object.entries(holder), ...members.map(({ key, value }): [string, Json] => [key, value])]) }
}

const withoutMember = (holder: Json | undefined, key: string | number): { readonly value: Json } | RefusedEdit => {
  if (Array.isArray(holder) && typeof key === 'number' && Object.hasOwn(holder, key)) return { value: holder.toSpliced(key, 1) }
  if (!isObject(holder) || !Object.hasOwn(holder, key)) return { why: `there is no "${key}"` }
  return { value: Object.fromEntries(Object.entries(holder).filter(([name]) => name !== String(key))) }
}

const withRenamedKey = (holder: Json | undefined, key: string | number, name: string): { readonly value: JsonObject } | RefusedEdit => {
  if (!isObject(holder) || !Object.hasOwn(holder, key)) return { why: `there is no key "${key}"` }
  if (name !== String(key) && Object.hasOwn(holder, name)) return { why: `there is a key "${name}" already` }
  return { value: Object.fromEntries(Object.entries(holder).map(([each, value]) => [each === String(key) ? name : each, value])) }
}
