/** Says why the system refused to read or write a file: as a Fault with the path and the way out, or in a few words. */

import { dirname } from 'node:path'
import { exit, Fault, messageOf } from './fault.ts'

/** `why`: the reason, as a clause. `hint`: what the operator can do, for the folder of the file. */
type WayOut = { readonly why: string; readonly hint: (folder: string) => string }

const forbidden: WayOut = {
  why: 'it is not allowed',
  hint: (folder) => `check the owner and the permissions of ${folder} and what is in it`,
}
const full: WayOut = { why: 'no space is left', hint: (folder) => `make room on the disk of ${folder}` }
const noFolder: WayOut = { why: 'a part of its path is not a folder', hint: (folder) => `check the path ${folder}` }
const gone: WayOut = { why: 'there is no such file', hint: (folder) => `look what is in ${folder}` }
const waysOut: { readonly [code: string]: WayOut } = {
  EACCES: forbidden,
  EPERM: forbidden,
  EROFS: { why: 'the file system is read-only', hint: () => 'mount it writable, or use another data directory: --data-dir' },
  ENOSPC: full,
  EDQUOT: full,
  // Node gives this code for a folder that it cannot make on a read-only file system.
  ENOENT: { why: 'its folder cannot be made', hint: (folder) => `check the path ${folder}, and that its file system is not read-only` },
  ENOTDIR: noFolder,
  // Node gives this code for a folder when a file has its path.
  EEXIST: noFolder,
}

/**
 * Returns the error to throw after reading or writing `file` failed with `error`: a Fault for an error of the system, else `error` itself.
 */
export const diskFault = (doing: 'read' | 'write', file: string, error: unknown): unknown => {
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) return error
  const usual: WayOut = { why: messageOf(error), hint: (folder) => `check the path and the disk of ${folder}` }
  const { why, hint } = (doing === 'read' && error.code === 'ENOENT' ? gone : waysOut[String(error.code)]) ?? usual
  return new Fault(`cannot_${doing}`, `cannot ${doing} ${file}: ${why}`, { exitCode: exit.no, hint: hint(dirname(file)), cause: error })
}

const readFailures: { readonly [code: string]: string } = {
  ENOENT: gone.why,
  EISDIR: 'it is a folder',
  EACCES: forbidden.why,
  EPERM: forbidden.why,
  ENOTDIR: noFolder.why,
}

/** Says in a few words why a file could not be read: the message of the error, or clearer words for the usual system errors. */
export const whyUnread = (error: unknown): string =>
  (error instanceof Error && 'code' in error ? readFailures[String(error.code)] : undefined) ?? messageOf(error)
