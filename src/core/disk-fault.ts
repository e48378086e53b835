/** A file that the system does not hand over, or take: said in a sentence, with the path and what to do. */

import { dirname } from 'node:path'
import { exit, Fault, messageOf } from './fault.ts'

type Way = { readonly why: string; readonly hint: (folder: string) => string }

const forbidden: Way = { why: 'it is not allowed', hint: (folder) => `check the owner and the permissions of ${folder} and what is in it` }
const full: Way = { why: 'no space is left', hint: (folder) => `make room on the disk of ${folder}` }
const noFolder: Way = { why: 'a part of its path is not a folder', hint: (folder) => `check the path ${folder}` }
const ways: { readonly [code: string]: Way } = {
  EACCES: forbidden,
  EPERM: forbidden,
  EROFS: { why: 'the file system is read-only', hint: () => 'mount it writable, or use another data directory: --data-dir' },
  ENOSPC: full,
  EDQUOT: full,
  // Node says so of a folder that it cannot make on a read-only file system.
  ENOENT: { why: 'its folder cannot be made', hint: (folder) => `check the path ${folder}, and that its file system is not read-only` },
  ENOTDIR: noFolder,
  // Node says so of a folder whose place another file has.
  EEXIST: noFolder,
}

/** What to throw for an error of reading or writing `file`: a Fault where the system said no, else the error itself. */
export const diskFault = (doing: 'read' | 'write', file: string, error: unknown): unknown => {
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) return error
  const { why, hint } = ways[String(error.code)] ?? { why: messageOf(error), hint: (folder) => `check the path and the disk of ${folder}` }
  return new Fault(`cannot_${doing}`, `cannot ${doing} ${file}: ${why}`, { exitCode: exit.no, hint: hint(dirname(file)), cause: error })
}

const unread: { readonly [code: string]: string } = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: forbidden.why,
  EPERM: forbidden.why,
  ENOTDIR: noFolder.why,
}

/** Why the system did not hand a file over, in a few words. */
export const whyUnread = (error: unknown): string =>
  (error instanceof Error && 'code' in error ? unread[String(error.code)] : undefined) ?? messageOf(error)
