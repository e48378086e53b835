/**
 * Makes a file of entries and the shared entries equal again. The shared entries are authoritative, and the file is a copy. Edits that were
 * made by hand in the file become shared entries, unless the shared entries were changed meanwhile (rules: Subscriptions 9).
 */

import { parseEntriesFile, readEntriesText } from '../../config/writing/entry-store.ts'
import { conflict } from '../../config/writing/file-lock.ts'
import { replaceFile } from '../../config/writing/replace-file.ts'
import { absent, stampOf } from '../../core/file-stamp.ts'
import { type JsonObject, own } from '../../core/json.ts'
import { equalWritten } from '../../core/written-digits.ts'
import type { Shared, SharedEntries } from '../../store/shared.ts'
import { copiedRevision, noteRevision, sharedText, writeCopy } from './copied-revision.ts'
import type { EntryFile } from './entry-files.ts'

/** The calls of a shared store that read and replace shared entries. */
export type EntryPort = Pick<Shared, 'entryRevisions' | 'readEntries' | 'replaceEntries'>

/**
 * How a file and the shared entries were made equal. `same`: they were equal, the file at its `stamp`, the shared entries at their
 * `revision`. `copied`: the file got the shared entries. `first`: the entries of the file became the first shared entries. `edited`:
 * entries that a user edited in the file became shared entries. `overruled`: the shared entries had changed as well, or the file had never
 * been a copy; they replaced the file, whose text is in the file `kept` now. `names`: the names of the entries that differ; for `overruled`
 * only of those that the file had.
 */
export type Reconciled =
  | { readonly kind: 'same'; readonly stamp: string; readonly revision: string | undefined }
  | { readonly kind: 'copied' }
  | { readonly kind: 'first' | 'edited'; readonly names: readonly string[] }
  | { readonly kind: 'overruled'; readonly names: readonly string[]; readonly kept: string }

const maxRounds = 5

/**
 * Makes the file and the shared entries equal. The caller holds the lock of the file. Throws a Fault where the file is not usable or keeps
 * changing, and a StoreFault where the database does not answer.
 */
export const reconcile = async (port: EntryPort, entryFile: EntryFile): Promise<Reconciled> => {
  for (let round = 0; round < maxRounds; round++) {
    const reconciled = await reconcileOnce(port, entryFile)
    if (reconciled) return reconciled
  }
  throw conflict(`${entryFile.file} keeps changing while it is compared with the database`, 'try again')
}

/** Tries once to make the file and the shared entries equal. `undefined`: the file or the shared entries have changed meanwhile. */
const reconcileOnce = async (port: EntryPort, entryFile: EntryFile): Promise<Reconciled | undefined> => {
  const { name, file } = entryFile
  const stamp = stampOf(file)
  const present = await port.readEntries(name)
  const text = readEntriesText(file)
  // The file was made or deleted between the two reads, so the stamp does not belong to the text.
  if ((text === undefined) !== (stamp === absent)) return undefined
  const same = { kind: 'same', stamp, revision: present?.revision } as const
  const mine = text === undefined ? undefined : sharedText(text)
  const copied = copiedRevision(file)
  if (mine && mine.revision === present?.revision) {
    if (copied !== mine.revision) await noteRevision(file, mine.revision)
    return same
  }
  if (present === undefined) return mine && hasEntries(file, mine.text) ? shareFile(port, entryFile, present, mine) : same
  const edited = mine?.revision === copied ? undefined : mine
  if (edited && present.revision === copied) return shareFile(port, entryFile, present, edited)
  // A user may have saved the file from an editor since it was read.
  if (stampOf(file) !== stamp) return undefined
  const overruled = edited && (await keepOverruled(file, edited.text, present.text))
  await writeCopy(file, present)
  return overruled ?? { kind: 'copied' }
}

const hasEntries = (file: string, text: string): boolean => Object.keys(parseEntriesFile(file, text)).length > 0

/** Stores the entries of the file as the shared entries. `undefined`: the shared entries have changed meanwhile. */
const shareFile = async (
  port: EntryPort,
  { name, file }: EntryFile,
  present: SharedEntries | undefined,
  mine: SharedEntries,
): Promise<Reconciled | undefined> => {
  const names = differingNames(present ? parseEntriesFile(file, present.text) : {}, parseEntriesFile(file, mine.text))
  if (!(await port.replaceEntries(name, present?.revision, mine))) return undefined
  await noteRevision(file, mine.revision)
  return { kind: present === undefined ? 'first' : 'edited', names }
}

/**
 * Keeps the text of an edited file that the shared entries are about to replace. `undefined`: every entry of the file is a shared entry, so
 * no text was kept.
 */
const keepOverruled = async (file: string, mine: string, present: string): Promise<Reconciled | undefined> => {
  const shared = lenientEntries(file, present)
  const entries = lenientEntries(file, mine)
  const names = Object.keys(entries ?? {}).filter((name) => !isSame(shared, entries, name))
  if (entries && names.length === 0) return undefined
  const kept = `${file}.local`
  await replaceFile(kept, mine)
  return { kind: 'overruled', names, kept }
}

/** Returns the entries in a text; `undefined` where the text has a mistake. */
const lenientEntries = (file: string, text: string): JsonObject | undefined => {
  try {
    return parseEntriesFile(file, text)
  } catch {
    return undefined
  }
}

const differingNames = (before: JsonObject, after: JsonObject): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => !isSame(before, after, name))

const isSame = (before: JsonObject | undefined, after: JsonObject | undefined, name: string): boolean =>
  equalWritten(own(before ?? {}, name) ?? null, own(after ?? {}, name) ?? null)
