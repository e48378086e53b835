/** Names texts of entries, and keeps beside a file which text of the database was last written into it. */

import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { replaceFile } from '../../config/writing/replace-file.ts'
import type { SharedEntries } from '../../store/shared.ts'

const revisionFile = (file: string): string => `${file}.revision`

/** Returns a text as it is shared. Equal texts have one revision, so that a file can be compared without the text of the database. */
export const sharedText = (text: string): SharedEntries => ({ revision: hash('sha256', text, 'base64url'), text })

/** Returns the revision that was last written into the file; `undefined` where none was. */
export const copiedRevision = (file: string): string | undefined => {
  try {
    return readFileSync(revisionFile(file), 'utf8').trim()
  } catch {
    // Without it the file counts as one that was never a copy, and is kept beside the copy.
    return undefined
  }
}

/** Notes that the file has the text of this revision. */
export const noteRevision = (file: string, revision: string): Promise<void> => replaceFile(revisionFile(file), `${revision}\n`)

/** Makes the file a copy of what the database has. */
export const writeCopy = async (file: string, { revision, text }: SharedEntries): Promise<void> => {
  await replaceFile(file, text)
  await noteRevision(file, revision)
}
