/** Reads a file of entries (subscriptions or jobs) as it was at one moment. */

import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { exactOf } from '../core/exact-json.ts'
import { ExactNumber } from '../core/exact-number.ts'
import { stampOfStats } from '../core/file-stamp.ts'
import { type ExactJson, isObject, type Json, type JsonObject, valueAt } from '../core/json.ts'
import { jsonErrorPlace } from '../core/json-error.ts'
import { noteDigits } from '../core/written-digits.ts'
import { jsonDepthPlace, maxDepth } from './yaml/json-place.ts'

/** The most bytes of a file of entries. A larger file is not read. */
export const maxEntriesBytes = 16_777_216
/** How many times a file is read at most, when it changes while it is read. */
const snapshotTries = 5

/**
 * Reads the text of a file as it was at one moment. Throws an Error where the file is missing, cannot be read, is no regular file or too
 * large, or keeps changing.
 */
export const readSnapshot = (file: string): string => {
  const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    for (let tries = 0; tries < snapshotTries; tries++) {
      const before = fstatSync(fd, { bigint: true })
      if (!before.isFile()) throw new Error('not a regular file')
      if (before.size > maxEntriesBytes) throw new Error(`larger than ${maxEntriesBytes} bytes`)
      const bytes = Buffer.alloc(Number(before.size))
      const read = readSync(fd, bytes, 0, bytes.length, 0)
      const after = fstatSync(fd, { bigint: true })
      if (read === bytes.length && stampOfStats(before) === stampOfStats(after)) return bytes.toString('utf8')
    }
    throw new Error('it keeps changing while it is read')
  } finally {
    closeSync(fd)
  }
}

/** Thrown for a text that is not a JSON object of entries. Line and column of the mistake are 1-based. */
export class NotEntries extends Error {
  readonly line: number
  readonly column: number

  constructor(message: string, { line, column }: { readonly line: number; readonly column: number }) {
    super(message)
    this.line = line
    this.column = column
  }
}

const noteDigitsOf = (data: Json, text: string): void => {
  const exact = exactOf({ text, payload: data })
  noteDigits(data, (path) => {
    const number = valueAt(exact as Json, path) as ExactJson | undefined
    return number instanceof ExactNumber && number.isDigits ? number.text : undefined
  })
}

/**
 * Parses the text of a file to its entries by name. The entries are not checked. Throws NotEntries when the text as a whole is not usable.
 */
export const parseEntries = (text: string): JsonObject => {
  const deep = jsonDepthPlace(text)
  if (deep) throw new NotEntries(`lists and maps are nested deeper than ${maxDepth} at ${deep.line}:${deep.column}`, deep)
  let data: Json
  try {
    data = JSON.parse(text) as Json
    noteDigitsOf(data, text)
  } catch {
    // The message of JSON.parse quotes the text around the mistake, and that may be a secret.
    const place = jsonErrorPlace(text)
    const mark = text.startsWith('\ufeff') ? ': it begins with a byte order mark' : ''
    throw new NotEntries(`not valid JSON at ${place.line}:${place.column}${mark}`, place)
  }
  if (!isObject(data)) throw new NotEntries('not a JSON object of entries by name', { line: 1, column: 1 })
  return data
}
