/**
 * Keeps the files of a data directory equal to the shared entries. Compares the texts only where a file or the shared entries have changed.
 */

import { lockFile } from '../../config/writing/file-lock.ts'
import { Fault } from '../../core/fault.ts'
import { absent, stampOf } from '../../core/file-stamp.ts'
import type { EntryFile } from './entry-files.ts'
import { type EntryPort, type Reconciled, reconcile } from './reconcile.ts'

/** A file that was not equal to the shared entries: how it was made equal, or the Fault that prevented this. */
export type Refreshed = { readonly file: string; readonly result: Exclude<Reconciled, { readonly kind: 'same' }> | Fault }

/** Refreshes copies again and again, and remembers which of them need no comparison. */
export class EntryCopies {
  readonly #port: EntryPort
  /**
   * For each file: its stamp (`stampOf`) and the revision of the shared entries, when the file and the shared entries were last equal. The
   * stamp was read before the file's text, so the next refresh finds any change that was made meanwhile.
   */
  readonly #equal = new Map<string, { readonly stamp: string; readonly revision: string | undefined }>()

  constructor(port: EntryPort) {
    this.#port = port
  }

  /** Makes the files equal to the shared entries, and returns a result for each file that was not equal. Throws a StoreFault. */
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
      if (!(result instanceof Fault) && result.kind === 'same') this.#equal.set(file, result)
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
