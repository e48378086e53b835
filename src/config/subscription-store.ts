/** The write side of `webhook_subscriptions.json`: one update at a time, each over what the file holds at that moment (spec: Subscription 3). */

import * as fs from 'node:fs'
import { dirname } from 'node:path'
import { lock } from 'proper-lockfile'
import { exit, Fault, messageOf } from '../core/fault.ts'
import type { JsonObject } from '../core/json.ts'
import { makeFolder, refuseOdd, replaceFile } from './replace-file.ts'
import { parseSource } from './source.ts'
import { parseSubscriptions, subscriptionName } from './subscriptions.ts'

const maxFileBytes = 16_777_216
/** A holder that has not touched its lock for this long is dead. */
const staleMs = 5_000
/** Waits for other commands, some 30 s in all: longer than a dead one's lock can last. */
const retries = { retries: 150, factor: 1.3, minTimeout: 10, maxTimeout: 250, randomize: true }
const maxRounds = 5

/** The name under which a subscription is stored (contract 7). Throws a Fault. */
export const subscriptionNameOf = (text: string): string => {
  const name = text.trim().toLowerCase().replaceAll(' ', '-')
  if (subscriptionName.test(name)) return name
  const hint = 'use letters, digits, dot, underscore and hyphen; at most 64, the first a letter or digit'
  throw new Fault('bad_name', `${JSON.stringify(text.slice(0, 80))} cannot be a name`, { exitCode: exit.usage, hint })
}

type Snapshot = { readonly entries: JsonObject; readonly text: string | undefined; readonly stamp: string }

/** The entries as they are now, unchecked; none when there is no file. Throws a Fault when the file is not usable. */
export const readEntries = (file: string): JsonObject => readSnapshot(file).entries

/** What an update makes of the entries: without `entries` nothing is written. */
export type Update<T> = (entries: JsonObject) => { readonly entries?: JsonObject; readonly result: T }

/**
 * Applies an update to the current entries, under a lock that other commands wait for. The update may be called again when somebody
 * without the lock changed the file meanwhile, so a stale view can never bring back a removed or disabled route.
 */
export const updateEntries = async <T>(file: string, update: Update<T>): Promise<T> => {
  refuseOdd(file)
  await makeFolder(dirname(file))
  const held = await hold(file)
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
  } finally {
    await held.release()
  }
}

const hold = async (file: string): Promise<{ lost: () => boolean; release: () => Promise<void> }> => {
  let lost = false
  const privately = { ...fs, mkdir: (path: string, done: fs.NoParamCallback) => fs.mkdir(path, { mode: 0o700 }, done) }
  const onCompromised = (): void => {
    lost = true
  }
  try {
    const release = await lock(file, { realpath: false, stale: staleMs, retries, fs: privately, onCompromised })
    return { lost: () => lost, release: () => release().catch(() => {}) }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ELOCKED')) throw error
    throw conflict(`another command is changing ${file}`, `try again; if none is running, remove ${file}.lock`)
  }
}

const conflict = (message: string, hint: string): Fault => new Fault('conflict', message, { exitCode: exit.conflict, hint })

const stampOf = (file: string): string => {
  const stat = fs.statSync(file, { bigint: true, throwIfNoEntry: false })
  return stat ? `${stat.mtimeNs} ${stat.ctimeNs} ${stat.size} ${stat.ino}` : 'absent'
}

const readSnapshot = (file: string): Snapshot => {
  refuseOdd(file)
  const stamp = stampOf(file)
  if (stamp === 'absent') return { entries: {}, text: undefined, stamp }
  const text = readText(file)
  try {
    const entries = parseSubscriptions(text)
    refuseTwins(file, text)
    return { entries, text, stamp }
  } catch (error) {
    throw corrupt(file, messageOf(error))
  }
}

const readText = (file: string): string => {
  const fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK)
  try {
    if (fs.fstatSync(fd).size > maxFileBytes) throw corrupt(file, `larger than ${maxFileBytes} bytes`)
    return fs.readFileSync(fd, 'utf8')
  } finally {
    fs.closeSync(fd)
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
