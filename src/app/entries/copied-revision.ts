/** Computes the revision of a text of entries, and notes beside a file which revision was last written into the file. */

import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { replaceFile } from '../../config/writing/replace-file.ts'
import type { SharedEntries } from '../../store/shared.ts'

const revisionFile = (file: string): string => `${file}.revision`

/**
 * Returns a text of entries with its revision. Equal texts have equal revisions, so a file can be compared without the text in the
 * database.
 */
export const sharedText = (text: string): SharedEntries => ({ revision: hash('sha256', text, 'base64url'), text })

/** Returns the revision that was last written into the file; `undefined` where none was. */
export const copiedRevision = (file: string): string | undefined => {
  try {
    return readFileSync(revisionFile(file), 'utf8').trim()
  } catch {
    // Without a noted revision, the file counts as edited by hand. Where the shared entries replace such a file, its text is kept.
    return undefined
  }
}

/** Notes that the file has the text of this revision. */
export const noteRevision = (file: string, revision: string): Promise<void> => replaceFile(revisionFile(file), `${revision}\n`)

/** Writes the shared entries into the file, and notes their revision. */
export const writeCopy = async (file: string, { revision, text }: SharedEntries): Promise<void> => {
  await replaceFile(file, text)
  await noteRevision(file, revision)
}
