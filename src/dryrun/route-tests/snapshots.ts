/**
 * The snapshots of a file of tests: the texts that earlier runs produced, kept in a JSON file beside the file of tests, to compare later
 * texts with.
 */

import { existsSync, readFileSync } from 'node:fs'
import { replaceFile } from '../../config/writing/replace-file.ts'
import { messageOf, usage } from '../../core/fault.ts'
import { isObject, type Json, own } from '../../core/json.ts'
import { parseJson } from '../../core/json-error.ts'

export interface Snapshots {
  /**
   * Returns the stored snapshot for a test and the key `at` of its expectation; `undefined` where none is stored. In a run that updates
   * snapshots, keeps `value` for `save` and returns it.
   */
  of(test: string, at: string, value: string): string | undefined
  /**
   * In a run that updates snapshots, writes the file where a snapshot changed. `left`: the names of the tests that did not run to their
   * end, whose snapshots stay; `all`: the file has tests that cannot be read, and every snapshot stays. Other snapshots that no test asked
   * for are dropped. A run that asks for no snapshot leaves the file as it is.
   */
  save(left: readonly string[] | 'all'): Promise<void>
}

/** Reads the snapshots of a file of tests. Throws a usage Fault for a file that is malformed, but not in a run that updates. */
export const readSnapshots = (testFile: string, update: boolean): Snapshots => {
  const file = `${testFile}.snapshots.json`
  const { data: before, text: written } = readSnapshotFile(file, update)
  const now = new Map<string, string>()
  return {
    of(test, at, value) {
      const key = snapshotKey(test, at)
      now.set(key, value)
      if (update) return value
      const known = own(before, key)
      return typeof known === 'string' ? known : undefined
    },
    async save(left) {
      const stays = (key: string): boolean => left === 'all' || left.some((test) => key.startsWith(snapshotKey(test, '')))
      const kept = Object.entries(before).filter(([key]) => stays(key))
      const text = `${JSON.stringify(Object.fromEntries([...kept, ...now]), null, 2)}\n`
      if (update && now.size > 0 && text !== written) await replaceFile(file, text)
    },
  }
}

const snapshotKey = (test: string, at: string): string => `${test} › ${at}`

/** Reads the file. A file that is malformed is refused, but not by a run that writes it again. */
const readSnapshotFile = (file: string, update: boolean): { readonly data: { readonly [key: string]: Json }; readonly text?: string } => {
  if (!existsSync(file)) return { data: {} }
  try {
    const text = readFileSync(file, 'utf8')
    const data = parseJson(text)
    if (isObject(data)) return { data, text }
    throw new Error('it is not a map')
  } catch (error) {
    if (update) return { data: {} }
    throw usage(`${file}: ${messageOf(error)}`, 'mend it, or write it again with --update')
  }
}
