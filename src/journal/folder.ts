/** The folder of the journal: the names of its files, and a list of its segments. */

import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** The folder of a data directory's journal. */
export const journalFolder = (dataDir: string): string => join(dataDir, 'state', 'events')

/** A segment, by what its files show. */
export type SegmentFiles = {
  readonly name: string
  /** The size of both files together. */
  readonly bytes: number
  readonly lineBytes: number
  readonly changedAt: number
}

const segmentFile = /^(\d{10})\.(?:jsonl|raw)$/

export const isSegmentName = (name: string): boolean => /^\d{10}$/.test(name)
export const segmentName = (number: number): string => String(number).padStart(10, '0')
export const linesPath = (folder: string, name: string): string => join(folder, `${name}.jsonl`)
export const rawPath = (folder: string, name: string): string => join(folder, `${name}.raw`)

/** For `catch`: `undefined` when there is no such file or folder; it rethrows any other error. */
export const unlessGone = (error: unknown): undefined => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error
  return undefined
}

/** The segments of a folder, oldest first; none when there is no folder. */
export const listSegments = async (folder: string): Promise<SegmentFiles[]> => {
  const files = (await readdir(folder).catch(unlessGone)) ?? []
  const names = new Set(files.flatMap((file) => segmentFile.exec(file)?.[1] ?? []))
  const found = await Promise.all([...names].sort().map((name) => look(folder, name)))
  return found.filter((segment) => segment !== undefined)
}

const look = async (folder: string, name: string): Promise<SegmentFiles | undefined> => {
  const [lines, raw] = await Promise.all([linesPath, rawPath].map((path) => stat(path(folder, name)).catch(unlessGone)))
  if (!lines && !raw) return undefined
  const lineBytes = lines?.size ?? 0
  return { name, bytes: lineBytes + (raw?.size ?? 0), lineBytes, changedAt: Math.max(lines?.mtimeMs ?? 0, raw?.mtimeMs ?? 0) }
}
