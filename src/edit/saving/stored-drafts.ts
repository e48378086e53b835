/**
 * Stores unsaved drafts in `<data_dir>/.drafts/`, a file for each route. Only the owner may read a file, because a user may have typed a
 * secret. The text of the route's file is not stored, only its digest.
 */

import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../../config/writing/replace-file.ts'
import { carriedJson, writeCarriedNumbers } from '../../core/carried-numbers.ts'
import { diskFault } from '../../core/disk-fault.ts'
import { exit, Fault } from '../../core/fault.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import { isStoredDraft } from '../../generated/stored-checks.js'
import type { DraftStep, OpenedRoute } from '../draft/route-draft.ts'

/** The most drafts that are kept. Beyond this number, the oldest drafts are dropped. */
const maxDrafts = 20
const maxBytes = 1_048_576

const draftsFolder = ({ dataDir }: Pick<Workspace, 'dataDir'>): string => join(dataDir, '.drafts')

/** A draft as its file has it. `v`: the version of the format. `at`: when the draft was stored, in milliseconds since 1970. */
export type StoredDraft = Pick<OpenedRoute, 'name' | 'source' | 'base' | 'written' | 'isNew'> & {
  readonly v: 1
  readonly at: number
  /** The SHA-256 of the text that the draft began with, in hex. */
  readonly digest: string
  readonly past: readonly DraftStep[]
}

/** Stores a draft and returns the path of its file. Throws a Fault when the draft is too large, or cannot be written. */
export const storeDraft = async (workspace: Workspace, stored: StoredDraft): Promise<string> => {
  const json = `${writeCarriedNumbers(JSON.stringify(stored))}\n`
  if (Buffer.byteLength(json) > maxBytes)
    throw new Fault('too_large', `the draft of "${stored.name}" is larger than ${maxBytes} bytes: it is not kept`, { exitCode: exit.no })
  const file = fileOf(workspace, stored)
  await replaceFile(file, json).catch((error) => {
    throw diskFault('write', file, error)
  })
  for (const { file: old } of readAllDrafts(workspace).slice(maxDrafts)) rmSync(old, { force: true })
  return file
}

/** Removes the file of a draft; does nothing where there is none. */
export const dropDraft = (workspace: Workspace, of: Pick<StoredDraft, 'name' | 'source'>): void =>
  rmSync(fileOf(workspace, of), { force: true })

/** Returns the stored drafts, the latest first, at most `maxDrafts`. */
export const storedDrafts = (workspace: Workspace): readonly StoredDraft[] =>
  readAllDrafts(workspace)
    .slice(0, maxDrafts)
    .map(({ stored }) => stored)

/**
 * Returns the path of a draft's file. A route and a subscription may have the same name, so a subscription's file begins with a tilde, as
 * no name does.
 */
const fileOf = (workspace: Pick<Workspace, 'dataDir'>, { name, source }: Pick<StoredDraft, 'name' | 'source'>): string =>
  join(draftsFolder(workspace), `${source === 'subscription' ? '~' : ''}${encodeURIComponent(name)}.json`)

/** Reads all files of drafts, the latest draft first. A file without a valid draft is left out. */
const readAllDrafts = (workspace: Workspace): readonly { readonly file: string; readonly stored: StoredDraft }[] =>
  draftFileNames(draftsFolder(workspace))
    .filter((name) => name.endsWith('.json'))
    .map((name) => join(draftsFolder(workspace), name))
    .flatMap((file) => {
      const stored = readDraft(file)
      return stored ? [{ file, stored }] : []
    })
    .sort((a, b) => b.stored.at - a.stored.at)

const draftFileNames = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

const readDraft = (file: string): StoredDraft | undefined => {
  try {
    if (statSync(file).size > maxBytes) return undefined
    const data = carriedJson(readFileSync(file, 'utf8'))
    // Another version, or a user, may have written the file. Data of any other shape is not a draft.
    return isStoredDraft(data) ? (data as JsonObject & StoredDraft) : undefined
  } catch {
    return undefined
  }
}
