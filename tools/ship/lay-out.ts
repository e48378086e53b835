/** Writes a list of contents as files, and says which time the files of an archive have. */

import { chmodSync, copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ShippedEntry } from './contents.ts'
import { run } from './run.ts'

/** Returns the time of all that is made, in seconds: `SOURCE_DATE_EPOCH` (reproducible-builds.org), else the last commit, else 0. */
export const sourceDate = (root: string): number => {
  const given = process.env.SOURCE_DATE_EPOCH
  if (given !== undefined && /^\d+$/.test(given)) return Number(given)
  try {
    return Number(run(['git', 'log', '-1', '--format=%ct'], { cwd: root }))
  } catch {
    return 0
  }
}

/** Writes the entries below `folder`, which must be new or empty. */
export const layOut = (entries: readonly ShippedEntry[], folder: string): void => {
  for (const entry of entries) {
    const path = join(folder, entry.path)
    mkdirSync(dirname(path), { recursive: true })
    if ('link' in entry) {
      symlinkSync(entry.link, path)
      continue
    }
    if ('from' in entry) copyFileSync(entry.from, path)
    else writeFileSync(path, entry.text)
    chmodSync(path, entry.isProgram ? 0o755 : 0o644)
  }
}
