/**
 * Drafts that were left unsaved, in `<data_dir>/.drafts/`: a file for each route, which only its owner may read, for what was typed may be
 * a secret. The text of the route's file is not kept, only what it was known by.
 */

import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../../../config/replace-file.ts'
import { diskFault } from '../../../core/disk-fault.ts'
import { exit, Fault } from '../../../core/fault.ts'
import { type JsonObject, parseObject } from '../../../core/json.ts'
import { isStoredDraft } from '../../../generated/stored-checks.js'
import type { Workspace } from '../../workspace.ts'
import type { OpenedRoute, Step } from '../draft/route-draft.ts'

/** Of more the oldest are dropped. */
const maxDrafts = 20
const maxBytes = 1_048_576

const draftsFolder = ({ dataDir }: Pick<Workspace, 'dataDir'>): string => join(dataDir, '.drafts')

export type StoredDraft = Pick<OpenedRoute, 'name' | 'source' | 'base' | 'written' | 'isNew'> & {
  readonly v: 1
  readonly at: number
  /** Of the text that the draft began with: SHA-256, in hex. */
  readonly digest: string
  readonly past: readonly Step[]
}

/** Says where it is. Throws a Fault where it is too large, or cannot be written. */
export const storeDraft = async (workspace: Workspace, stored: StoredDraft): Promise<string> => {
  const json = `${JSON.stringify(stored)}\n`
  if (Buffer.byteLength(json) > maxBytes)
    throw new Fault('too_large', `the draft of "${stored.name}" is larger than ${maxBytes} bytes: it is not kept`, { exitCode: exit.no })
  const file = fileOf(workspace, stored)
  await replaceFile(file, json).catch((error) => {
    throw diskFault('write', file, error)
  })
  for (const { file: old } of known(workspace).slice(maxDrafts)) rmSync(old, { force: true })
  return file
}

export const dropDraft = (workspace: Workspace, of: Pick<StoredDraft, 'name' | 'source'>): void =>
  rmSync(fileOf(workspace, of), { force: true })

/** The latest first. What holds no draft is left out. */
export const storedDrafts = (workspace: Workspace): readonly StoredDraft[] =>
  known(workspace)
    .slice(0, maxDrafts)
    .map(({ stored }) => stored)

/** A subscription may have the name of the route that hides it; no name begins with a tilde. */
const fileOf = (workspace: Pick<Workspace, 'dataDir'>, { name, source }: Pick<StoredDraft, 'name' | 'source'>): string =>
  join(draftsFolder(workspace), `${source === 'subscription' ? '~' : ''}${encodeURIComponent(name)}.json`)

const known = (workspace: Workspace): readonly { readonly file: string; readonly stored: StoredDraft }[] =>
  namesIn(draftsFolder(workspace))
    .filter((name) => name.endsWith('.json'))
    .map((name) => join(draftsFolder(workspace), name))
    .flatMap((file) => {
      const stored = read(file)
      return stored ? [{ file, stored }] : []
    })
    .sort((a, b) => b.stored.at - a.stored.at)

const namesIn = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

const read = (file: string): StoredDraft | undefined => {
  try {
    if (statSync(file).size > maxBytes) return undefined
    const data = parseObject(readFileSync(file, 'utf8'))
    // Written by another version, or by hand: what has another shape is no draft.
    return isStoredDraft(data) ? (data as JsonObject & StoredDraft) : undefined
  } catch {
    return undefined
  }
}
