/** Keeps the files of a data directory equal to the shared entries, and looks closer only at files where something has changed. */

import { absent, stampOf } from '../../config/read-consistent.ts'
import { lockFile } from '../../config/writing/file-lock.ts'
import { Fault } from '../../core/fault.ts'
import type { EntryFile } from './entry-files.ts'
import { type EntryPort, type Reconciled, reconcile } from './reconcile.ts'

/** What became of a file, or why it could not be made equal. */
export type Refreshed = { readonly file: string; readonly result: Exclude<Reconciled, { readonly kind: 'same' }> | Fault }

export class EntryCopies {
  readonly #port: EntryPort
  /** By file: the stamp of the file and the revision of the shared entries, when the two were last found equal. */
  readonly #equal = new Map<string, { readonly stamp: string; readonly revision: string | undefined }>()

  constructor(port: EntryPort) {
    this.#port = port
  }

  /** Returns what became of the files that were not equal. Throws StoreFault. */
  async refresh(files: readonly EntryFile[]): Promise<readonly Refreshed[]> {
    const revisions = await this.#port.entryRevisions()
    const refreshed: Refreshed[] = []
    for (const entryFile of files) {
      const { name, file } = entryFile
      const revision = revisions.get(name)
      const stamp = stampOf(file)
      const equal = this.#equal.get(file)
      if (equal ? equal.stamp === stamp && equal.revision === revision : revision === undefined && stamp === absent) continue
      const result = await this.#reconcile(entryFile)
      // What has changed since is found by the next refresh, because stamp and revision are older.
      if (!(result instanceof Fault) && result.kind === 'same') this.#equal.set(file, { stamp, revision })
      else refreshed.push({ file, result })
    }
    return refreshed
  }

  async #reconcile(entryFile: EntryFile): Promise<Reconciled | Fault> {
    try {
      const lock = await lockFile(entryFile.file)
      try {
        return await reconcile(this.#port, entryFile)
      } finally {
        await lock.release()
      }
    } catch (error) {
      if (error instanceof Fault) return error
      throw error
    }
  }
}
