/**
 * Remembers how whole numbers past 2^53 are written in files that people make, whose values have the nearest doubles. What asks for the
 * digits gets them; everything else reads doubles.
 */

import { ExactNumber } from './exact-number.ts'
import { type ExactJson, type ExactObject, equalJson, type Json, type JsonObject, valueAt } from './json.ts'

type Container = Json[] | JsonObject
type Path = readonly (string | number)[]

const digitsIn = new WeakMap<Container, Map<string, string>>()

/** Calls `found` for each number past 2^53 in a value. */
const walk = (value: unknown, path: Path, found: (path: Path, around: Container) => void): void => {
  if (typeof value !== 'object' || value === null) return
  for (const [key, member] of Object.entries(value)) {
    if (typeof member === 'number' && Math.abs(member) > Number.MAX_SAFE_INTEGER) found([...path, key], value as Container)
    else if (typeof member === 'object') walk(member, [...path, key], found)
  }
}

/** Returns the paths of the numbers past 2^53 in a value. */
export const longNumbersIn = (value: Json | undefined): readonly Path[] => {
  const paths: Path[] = []
  walk(value, [], (path) => paths.push(path))
  return paths
}

/** Remembers the digits of the numbers past 2^53 in a value. `digitsAt`: those at a path; `undefined` where a number is written otherwise. */
export const noteDigits = (value: Json, digitsAt: (path: Path) => string | undefined): void =>
  walk(value, [], (path, around) => {
    const digits = digitsAt(path)
    if (digits !== undefined) note(around, path, digits)
  })

const note = (around: Container, path: Path, digits: string): void =>
  void digitsIn.set(around, (digitsIn.get(around) ?? new Map()).set(String(path.at(-1)), digits))

/** The digits of the numbers past 2^53 in a value, as far as they are known, as data that can go to another thread. */
export type WrittenDigits = readonly (readonly [path: Path, digits: string])[]

export const writtenDigitsIn = (value: unknown): WrittenDigits => {
  const all: [Path, string][] = []
  walk(value, [], (path, around) => {
    const digits = digitsIn.get(around)?.get(String(path.at(-1)))
    if (digits !== undefined) all.push([path, digits])
  })
  return all
}

/** Remembers the digits of a value that came from another thread. */
export const restoreDigits = (value: unknown, written: WrittenDigits): void => {
  for (const [path, digits] of written) note(valueAt(value as Json, path.slice(0, -1)) as Container, path, digits)
}

/** Lets a copy of a list or map have the digits of what it is a copy of. Returns the copy. */
export const keepDigits = <T extends Json>(from: Container, copy: T): T => {
  const digits = digitsIn.get(from)
  if (digits && typeof copy === 'object' && copy !== null) digitsIn.set(copy, digits)
  return copy
}

/** Returns a value with its numbers as they are written, as far as that is known. */
export const withDigits = (value: Json): ExactJson => {
  if (typeof value !== 'object' || value === null) return value
  const digits = digitsIn.get(value)
  const exact = (member: Json, key: string | number): ExactJson => {
    const written = digits?.get(String(key))
    // A member that was changed since has other digits.
    return written !== undefined && Number(written) === member ? new ExactNumber(written) : withDigits(member)
  }
  if (Array.isArray(value)) return value.map(exact)
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, exact(member, key)])) as ExactObject
}

/** Returns the digits of the number past 2^53 at a path of a value, as far as they are known. */
export const digitsAt = (value: Json, path: Path): string | undefined => {
  const around = valueAt(value, path.slice(0, -1))
  return typeof around === 'object' && around !== null ? digitsIn.get(around)?.get(String(path.at(-1))) : undefined
}

/** As `equalJson`, for values with written digits. */
export const equalWritten = (a: Json, b: Json): boolean =>
  equalJson(a, b) && longNumbersIn(a).every((path) => digitsAt(a, path) === digitsAt(b, path))
