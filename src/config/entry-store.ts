/** The write side of the files that commands change (subscriptions, jobs): one update at a time, each over what the file holds at that moment (rules: Subscriptions 3). */

import * as fs from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { lock } from 'proper-lockfile'
import { diskFault } from '../core/disk-fault.ts'
import { exit, Fault, messageOf } from '../core/fault.ts'
import type { JsonObject } from '../core/json.ts'
import { absent, parseEntries, readSnapshot as readText, stampOf } from './read-consistent.ts'
import { makeFolder, refuseOdd, replaceFile } from './replace-file.ts'
import { parseSource } from './yaml/source.ts'

/** A holder that has not touched its lock for this long is dead. */
const staleMs = 5_000
/** How long other commands are waited for: longer than a dead one's lock can last. */
const patienceMs = 30_000
const longestPauseMs = 250
const maxRounds = 5

type Snapshot = { readonly entries: JsonObject; readonly text: string | undefined; readonly stamp: string }

/** The entries as they are now, unchecked; none when there is no file. Throws a Fault when the file is not usable. */
export const readEntries = (file: string): JsonObject => readSnapshot(file).entries

/** What an update makes of the entries: without `entries` nothing is written. */
export type Update<T> = (entries: JsonObject) => { readonly entries?: JsonObject; readonly result: T }

/**
 * Applies an update to the current entries, under a lock that other commands wait for. The update may be called again when somebody
 * without the lock changed the file meanwhile, so a stale view can never bring back a removed or disabled entry.
 */
export const updateEntries = async <T>(file: string, update: Update<T>): Promise<T> => {
  const held = await lockFile(file)
  try {
    for (let round = 0; round < maxRounds; round++) {
      const { entries, text, stamp } = readSnapshot(file)
      const next = update(entries)
      if (!next.entries) return next.result
      if (text !== undefined) await replaceFile(`${file}.bak`, text)
      if (held.lost() || stampOf(file) !== stamp) continue
      await replaceFile(file, `${JSON.stringify(next.entries, null, 2)}\n`)
      return next.result
    }
    throw conflict(`${file} keeps changing while it is updated: nothing was written`, 'try again')
  } catch (error) {
    throw diskFault('write', file, error)
  } finally {
    await held.release()
  }
}

const lockFile = async (file: string): Promise<Held> => {
  try {
    refuseOdd(file)
    await makeFolder(dirname(file))
    return await hold(file)
  } catch (error) {
    throw diskFault('write', file, error)
  }
}

type Held = { readonly lost: () => boolean; readonly release: () => Promise<void> }

const hold = async (file: string): Promise<Held> => {
  let lost = false
  const privately = { ...fs, mkdir: (path: string, done: fs.NoParamCallback) => fs.mkdir(path, { mode: 0o700 }, done) }
  const onCompromised = (): void => {
    lost = true
  }
  for (const end = performance.now() + patienceMs; ; await wait(Math.random() * longestPauseMs)) {
    try {
      const release = await lock(file, { realpath: false, stale: staleMs, fs: privately, onCompromised })
      return { lost: () => lost, release: () => release().catch(() => {}) }
    } catch (error) {
      // Its own retries would wait for a disk that takes no lock, too.
      if (!isHeld(error)) throw error
      if (performance.now() > end)
        throw conflict(`another command is changing ${file}`, `try again; if none is running, remove ${file}.lock`)
    }
  }
}

const isHeld = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ELOCKED'

const conflict = (message: string, hint: string): Fault => new Fault('conflict', message, { exitCode: exit.conflict, hint })

const readSnapshot = (file: string): Snapshot => {
  try {
    refuseOdd(file)
    const stamp = stampOf(file)
    if (stamp === absent) return { entries: {}, text: undefined, stamp }
    const text = readText(file)
    const entries = parseEntries(text)
    refuseTwins(file, text)
    return { entries, text, stamp }
  } catch (error) {
    if (error instanceof Fault) throw error
    // A file that the system does not hand over says nothing about its contents.
    if (error instanceof Error && 'code' in error) throw diskFault('read', file, error)
    throw corrupt(file, messageOf(error))
  }
}

/** A name that stands twice: writing the file back would drop one of the two. */
const refuseTwins = (file: string, text: string): void => {
  const twin = parseSource(file, text).diagnostics.find(({ code }) => code === 'WH002')
  if (twin?.place) throw new Error(`a key stands twice at ${twin.place.line}:${twin.place.column}`)
}

const corrupt = (file: string, why: string): Fault => {
  const backup = fs.existsSync(`${file}.bak`) ? `, or restore ${file}.bak` : ''
  return new Fault('corrupt_store', `${file}: ${why}`, {
    exitCode: exit.conflict,
    hint: `nothing was written: mend the file by hand${backup}`,
  })
}
