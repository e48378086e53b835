/**
 * Reads and updates the files of subscriptions and jobs. An update starts from the present entries of its file (rules: Subscriptions 3).
 */

import * as fs from 'node:fs'
import { diskFault } from '../../core/disk-fault.ts'
import { codeOf, exit, Fault, messageOf } from '../../core/fault.ts'
import { absent, stampOf } from '../../core/file-stamp.ts'
import type { JsonObject } from '../../core/json.ts'
import { withDigits } from '../../core/written-digits.ts'
import { renderJson } from '../../expr/render.ts'
import { parseEntries, readSnapshot } from '../read-consistent.ts'
import { parseSource } from '../yaml/source.ts'
import { conflict, lockFile } from './file-lock.ts'
import { refuseOdd, refuseReadOnly, replaceFile } from './replace-file.ts'

/** How often an update is tried while an editor keeps changing the file. */
const maxRounds = 5

/** A file at one moment. `text` is `undefined` without a file. */
type EntriesFile = { readonly entries: JsonObject; readonly text: string | undefined; readonly stamp: string }

/** Returns the present entries, unchecked; none without a file. Throws a Fault when the file is not usable. */
export const readEntries = (file: string): JsonObject => readEntriesFile(file).entries

/** Makes new entries from the present entries. Where an update returns no `entries`, nothing is written. */
export type EntriesUpdate<T> = (entries: JsonObject) => { readonly entries?: JsonObject; readonly result: T }

/**
 * Applies an update to the present entries, under a lock that other commands wait for, and returns the `result` of the update. A text
 * editor may change the file without the lock. Then the update is called again with the new entries, so that it never brings back an entry
 * that was removed or disabled meanwhile. Throws a Fault where the file is locked for too long, is not usable, keeps changing, or cannot be
 * written; and whatever the update throws.
 */
export const updateEntries = async <T>(file: string, update: EntriesUpdate<T>): Promise<T> => {
  const lock = await lockFile(file)
  try {
    for (let round = 0; round < maxRounds; round++) {
      const { entries, text, stamp } = readEntriesFile(file)
      const next = update(entries)
      if (!next.entries) return next.result
      refuseReadOnly(file)
      if (text !== undefined) await replaceFile(`${file}.bak`, text)
      if (lock.lost() || stampOf(file) !== stamp) continue
      await replaceFile(file, textOfEntries(next.entries))
      return next.result
    }
    throw conflict(`${file} keeps changing while it is updated: nothing was written`, 'try again')
  } catch (error) {
    throw diskFault('write', file, error)
  } finally {
    await lock.release()
  }
}

/**
 * Replaces the text `before` of a file by `after`, with this mode, and keeps `before` as `.bak`. Other commands wait as for
 * `updateEntries`. Throws a Fault as `updateEntries` does, and (`conflict`) where the file has another text than `before`.
 */
export const replaceEntriesText = async (file: string, before: string, after: string, mode: number): Promise<void> => {
  const lock = await lockFile(file)
  try {
    const { text } = readEntriesFile(file)
    if (text !== before || lock.lost()) throw conflict(`${file} has changed meanwhile: nothing was written`, 'try again')
    refuseReadOnly(file)
    await replaceFile(`${file}.bak`, before)
    await replaceFile(file, after, mode)
  } catch (error) {
    throw diskFault('write', file, error)
  } finally {
    await lock.release()
  }
}

const readEntriesFile = (file: string): EntriesFile => {
  const stamp = stampOf(file)
  const text = readEntriesText(file)
  return { entries: text === undefined ? {} : parseEntriesFile(file, text), text, stamp }
}

/**
 * Returns the text of a file, unchecked; `undefined` without a file. Throws a Fault where the file cannot be read or is no regular file.
 */
export const readEntriesText = (file: string): string | undefined => {
  try {
    refuseOdd(file)
    return stampOf(file) === absent ? undefined : readSnapshot(file)
  } catch (error) {
    if (error instanceof Fault) throw error
    // The system could not read the file, so its contents need not be corrupt.
    if (codeOf(error) !== undefined) throw diskFault('read', file, error)
    throw corrupt(file, messageOf(error))
  }
}

/** Returns the entries in the text of a file, unchecked. Throws a Fault where the text as a whole is not usable. */
export const parseEntriesFile = (file: string, text: string): JsonObject => {
  try {
    const entries = parseEntries(text)
    refuseDuplicateKeys(file, text)
    return entries
  } catch (error) {
    throw corrupt(file, messageOf(error))
  }
}

export const textOfEntries = (entries: JsonObject): string => `${renderJson(withDigits(entries), Number.POSITIVE_INFINITY, 2)}\n`

/** Throws where a key stands twice in a map of the text, because writing the file back would drop one of the two values. */
const refuseDuplicateKeys = (file: string, text: string): void => {
  const twin = parseSource(file, text).diagnostics.find(({ code }) => code === 'WH002')
  if (twin?.place) throw new Error(`a key stands twice at ${twin.place.line}:${twin.place.column}`)
}

const corrupt = (file: string, why: string): Fault => {
  const backup = fs.existsSync(`${file}.bak`) ? `, or restore ${file}.bak` : ''
  return new Fault('corrupt_store', `${file}: ${why}`, {
    exitCode: exit.conflict,
    hint: `the file is left as it is: mend it by hand${backup}`,
  })
}
