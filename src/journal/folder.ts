/** The journal's folder: the names of its files, and the list of its segments. */

import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../core/fault.ts'

export const journalFolder = (dataDir: string): string => join(dataDir, 'state', 'events')

/** A segment: a file of lines and a file of raw requests (segments/segment.ts), as the file system describes them. */
export type SegmentFiles = {
  /** The name of both files, without their endings: ten digits. */
  readonly name: string
  readonly bytes: number
  readonly lineBytes: number
  /** When one of the files was last written to, in milliseconds since 1970. */
  readonly changedAt: number
}

const segmentFile = /^(\d{10})\.(?:jsonl|raw)$/

export const isSegmentName = (name: string): boolean => /^\d{10}$/.test(name)
export const segmentName = (number: number): string => String(number).padStart(10, '0')
export const linesPath = (folder: string, name: string): string => join(folder, `${name}.jsonl`)
export const rawPath = (folder: string, name: string): string => join(folder, `${name}.raw`)

/** For `catch`: returns `undefined` when there is no such file or folder, and rethrows any other error. */
export const unlessGone = (error: unknown): undefined => {
  const code = codeOf(error)
  if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error
  return undefined
}

/** Lists the segments of a folder, oldest first; empty where there is no folder. */
export const listSegments = async (folder: string): Promise<SegmentFiles[]> => {
  const files = (await readdir(folder).catch(unlessGone)) ?? []
  const names = new Set(files.flatMap((file) => segmentFile.exec(file)?.[1] ?? []))
  const found = await Promise.all([...names].sort().map((name) => readSegmentFiles(folder, name)))
  return found.filter((segment) => segment !== undefined)
}

const readSegmentFiles = async (folder: string, name: string): Promise<SegmentFiles | undefined> => {
  const [lines, raw] = await Promise.all([linesPath, rawPath].map((path) => stat(path(folder, name)).catch(unlessGone)))
  if (!lines && !raw) return undefined
  const lineBytes = lines?.size ?? 0
  return { name, bytes: lineBytes + (raw?.size ?? 0), lineBytes, changedAt: Math.max(lines?.mtimeMs ?? 0, raw?.mtimeMs ?? 0) }
}
