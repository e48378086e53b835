/** Computes the revision of a text of entries. A file beside a copy notes the revision at which copy and shared entries were last equal. */

import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { replaceFile } from '../../config/writing/replace-file.ts'
import type { SharedEntries } from '../../store/shared.ts'

const revisionFile = (file: string): string => `${file}.revision`

/**
 * Returns a text (of entries, or of what a shared store keeps for alerts) with its revision, the text's hash. Equal texts have equal
 * revisions, so a file can be compared with the shared entries by their revisions alone.
 */
export const sharedText = (text: string): SharedEntries => ({ revision: hash('sha256', text, 'base64url'), text })

/** Returns the revision at which the file and the shared entries were last equal; `undefined` where none is noted. */
export const copiedRevision = (file: string): string | undefined => {
  try {
    return readFileSync(revisionFile(file), 'utf8').trim()
  } catch {
    // Without a noted revision, the file counts as edited by hand. When shared entries that lack one of its entries replace it, its text
    // is kept.
    return undefined
  }
}

/** Notes that the file is equal to the shared entries of this revision. Throws as `replaceFile` does. */
export const noteRevision = (file: string, revision: string): Promise<void> => replaceFile(revisionFile(file), `${revision}\n`)

/** Writes the shared entries into the file, and notes their revision. Throws as `replaceFile` does. */
export const writeCopy = async (file: string, { revision, text }: SharedEntries): Promise<void> => {
  await replaceFile(file, text)
  await noteRevision(file, revision)
}
